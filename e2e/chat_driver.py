"""Drive the page of the chat, with models that tests give."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from helpers import finished
from playwright.sync_api import Page

import py_tensor as pt

SHIPPED = Path(__file__).parent.parent / "web" / "src" / "features" / "chat" / "model"
SHIPPED_FILE = (SHIPPED / "guides.gguf").read_bytes()
SEEN = """() => !document.getElementById('needs').hidden
  || !document.getElementById('open-problem').hidden"""


class ChatPage:
    """The chat in a browser, with the model of the page loaded."""

    def __init__(self, page: Page, site_url: str, offline: bool = False, query: str = "") -> None:
        self.page = page
        # Requests of a service worker pass the routes of Playwright.
        if not offline:
            page.add_init_script("delete Navigator.prototype.serviceWorker")
        page.goto(f"{site_url}/chat/index.html{query}")
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        self.page.wait_for_selector("#send:enabled, [data-state=failed]")
        assert self.page.is_hidden("#notice"), self.page.inner_text("#notice")

    # --- answers ----------------------------------------------------------------------------------

    def set(self, **values: object) -> None:
        """Change settings by their names."""
        for name, value in values.items():
            self.page.fill(f"#settings [name={name}]", str(value))

    def start(self, text: str) -> None:
        """Send a message."""
        self.page.fill("#message", text)
        self.page.press("#message", "Enter")

    def finish(self) -> str:
        """Wait for the end of an answer, and return it."""
        self.page.wait_for_selector("#send:enabled")
        assert self.page.is_hidden("#answer-problem"), self.page.inner_text("#answer-problem")
        return self.answers()[-1]

    def send(self, text: str) -> str:
        """Send a message and return the answer."""
        self.start(text)
        return self.finish()

    def answers(self) -> list[str]:
        return self.page.locator(".message.assistant .text").evaluate_all(
            "all => all.map((one) => one.textContent)"
        )

    def new_conversation(self) -> None:
        self.page.click("#new")
        self.page.wait_for_selector(".message", state="detached")

    # --- models -----------------------------------------------------------------------------------

    def look_at_files(self, files: Mapping[str, bytes]) -> None:
        """Choose files, and wait until the page says what they need, or that they are no model."""
        self.page.set_input_files(
            "#model-files",
            [
                {"name": name, "mimeType": "application/octet-stream", "buffer": data}
                for name, data in files.items()
            ],
        )
        self.page.wait_for_function(SEEN)

    def look_at_address(self, address: str) -> None:
        self.page.fill("#model-address", address)
        self.page.click("#model-look")
        self.page.wait_for_function(SEEN)

    def load(self) -> None:
        """Load the model that the page has looked at."""
        self.page.click("#model-load")
        self.page.wait_for_function(
            """() => document.getElementById('open-status').textContent.includes('was loaded')
              || !document.getElementById('open-problem').hidden"""
        )
        assert self.page.is_hidden("#open-problem"), self.page.inner_text("#open-problem")

    def needs(self) -> dict[str, str]:
        """Return what the model needs, by the names on the page."""
        terms = self.page.locator("#needs-list dt").all_inner_texts()
        return dict(zip(terms, self.page.locator("#needs-list dd").all_inner_texts(), strict=True))


def native_answer(source: object, prompt: str, count: int) -> str:
    """Return the greedy continuation of a text, computed here with NumPy."""
    before = pt.get_backend()
    pt.set_backend("numpy")
    try:
        model = finished(pt.text.load(source))
        return "".join(model.generate(prompt, max_tokens=count))
    finally:
        pt.set_backend(before)
