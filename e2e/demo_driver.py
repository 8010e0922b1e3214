"""Drives the demo page: its address goes in, what a visitor sees comes out as text and arrays."""

import base64
import io

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page

STARTED = "[data-state=ready], [data-state=failed]"
START_LIMIT = 60_000
RUN_LIMIT = 120_000

# A canvas that a worker draws to, or one with a bitmaprenderer, gives its pixels through another.
READ_CANVAS = """canvas => {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy.toDataURL("image/png");
}"""


class Demo:
    """The demo page in a browser, ready to be used."""

    def __init__(self, page: Page, site_url: str) -> None:
        self.page = page
        page.set_default_timeout(RUN_LIMIT)
        page.goto(f"{site_url}/index.html")
        page.wait_for_selector(STARTED, timeout=START_LIMIT)
        assert page.is_hidden("#notice"), page.inner_text("#notice")

    def choose(self, example: str) -> None:
        """Put an example into the editor."""
        self.page.click(f"[data-example={example}]")

    def write(self, source: str) -> None:
        """Put a program into the editor."""
        self.page.click("#editor .cm-content")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)

    def start(self) -> None:
        """Press Run."""
        self.page.click("#run:enabled")

    def finish(self) -> str:
        """Wait for the program's end; how the page says it ended."""
        self.page.wait_for_selector("#run:enabled")
        return self.page.inner_text("#run-status")

    def run(self, example: str) -> None:
        """Run an example to its end, which must be a good one."""
        self.choose(example)
        self.start()
        status = self.finish()
        assert status.startswith("ran in"), f"{status}\n{self.text()}"

    def text(self) -> str:
        """All that the output shows."""
        return self.page.inner_text("#output")

    def printed(self) -> list[str]:
        """The lines that the program printed."""
        return "".join(self.page.locator("#output pre").all_text_contents()).splitlines()

    def caption(self) -> str:
        return self.page.inner_text("#output caption")

    def table(self) -> list[list[str]]:
        """The cells of the table in the output."""
        rows = self.page.locator("#output tr").all()
        return [row.locator("td").all_text_contents() for row in rows]

    def values(self) -> np.ndarray:
        """The numbers of a table that shows all of its tensor."""
        return np.array(self.table(), dtype=float)

    def picture(self, title: str) -> np.ndarray:
        """The pixels (height, width, 3) of a picture in the output."""
        return pixels(self.page.locator(f'#output canvas[aria-label^="{title},"]'))

    def photo(self) -> np.ndarray:
        """The pixels of the photo lab's canvas."""
        return pixels(self.page.locator("#stage canvas"))

    def number(self, name: str) -> int:
        """One of the live numbers."""
        return int(self.page.get_attribute(f"[data-number={name}]", "data-value") or "-1")

    def figure(self, section: str, name: str) -> str:
        """One of the figures of a section that trains."""
        return self.page.inner_text(f"#{section}-figures [data-figure={name}]")

    def wait_for_step(self, section: str, step: int) -> None:
        """Wait until a section's training has come so far."""
        self.page.wait_for_function(
            "([section, step]) => Number(document.querySelector("
            "`#${section}-figures [data-figure=step]`).textContent.replace(',', '')) >= step",
            arg=[section, step],
        )

    def wait_for_state(self, section: str, state: str) -> None:
        """Wait until a section that trains is "new", "training", "paused" or "done"."""
        self.page.wait_for_selector(f"#{section}[data-state={state}]")


def pixels(canvas: Locator) -> np.ndarray:
    """The pixels (height, width, 3) of a canvas; it must be opaque."""
    address = canvas.evaluate(READ_CANVAS)
    image = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
    rgba = np.asarray(image.convert("RGBA"))
    assert (rgba[..., 3] == 255).all(), "the canvas is not opaque"
    return rgba[..., :3]
