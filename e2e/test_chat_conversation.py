"""Test conversations of the chat with the model of the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from accessibility import faults
from chat_driver import SHIPPED_FILE, ChatPage, native_answer
from conftest import SITE
from demo_driver import WEBGL
from kept_files import kept_addresses
from lost_context import keep_contexts, lose_context
from playwright.sync_api import Browser, Page
from server import serve
from waiting import eventually
from watched_page import PageErrors, SharedPage

SCHEMES = ("light", "dark")
STOP_AT_FIRST_PIECE = """() => new MutationObserver((changes, observer) => {
  if (!document.querySelector(".message.assistant .text")?.textContent) return;
  observer.disconnect();
  document.getElementById("stop").click();
}).observe(document.getElementById("messages"), {
  subtree: true,
  childList: true,
  characterData: true,
})"""
"""Script that presses the button in the page, where the answer cannot end before."""


@pytest.fixture(scope="module")
def chat_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[ChatPage]]:
    with SharedPage(chromium, lambda page: ChatPage(page, site_url)) as page:
        yield page


@pytest.fixture
def chat(chat_page: SharedPage[ChatPage]) -> Iterator[ChatPage]:
    """Page of the chat with the model of the page, and no messages."""
    chat = chat_page.get()
    if chat.page.is_enabled("#new"):
        chat.new_conversation()
    chat.set(temperature=0, maxTokens=16, seed="", system="", length=1024)
    yield chat
    chat_page.errors.check()


def test_shipped_model_answers_as_in_python(chat: ChatPage) -> None:
    facts = chat.page.inner_text("#model-facts")
    assert facts.startswith("A model of 162 k parameters. The model of this page was trained on ")
    answer = chat.send("A tensor is")
    assert answer == native_answer(SHIPPED_FILE, "A tensor is", 16)
    # The second turn continues the whole text.
    wanted = native_answer(SHIPPED_FILE, f"A tensor is{answer}\n\nA kernel", 16)
    assert chat.send("A kernel") == wanted
    assert chat.page.inner_text("[data-metric=cache]").isdigit()
    assert chat.page.inner_text("[data-metric=bytes]").endswith("B")
    assert "16 tokens" in chat.page.inner_text(".message.assistant:last-child .hint")


def test_conversation_goes_on_after_the_loss_of_the_gpu(
    page: Page, site_url: str, page_errors: PageErrors
) -> None:
    keep_contexts(page, "**/chat_worker-*.js*")
    page_errors.ignore()
    chat = ChatPage(page, site_url, query=WEBGL)
    assert page.inner_text("#backend").startswith("WebGL2, ")
    chat.set(temperature=0, maxTokens=16)
    answer = chat.send("A tensor is")
    assert answer == native_answer(SHIPPED_FILE, "A tensor is", 16)
    lose_context(page)
    # The keys and values of the first turn are lost, and are computed again.
    wanted = native_answer(SHIPPED_FILE, f"A tensor is{answer}\n\nA kernel", 16)
    assert chat.send("A kernel") == wanted


def test_stop_retry_and_new_conversation(chat: ChatPage) -> None:
    chat.set(maxTokens=900)
    chat.page.evaluate(STOP_AT_FIRST_PIECE)
    chat.start("A tensor is")
    stopped = chat.finish()
    assert "Stopped." in chat.page.inner_text(".message.assistant .hint")
    assert chat.page.evaluate("document.activeElement.id") == "message"
    chat.set(maxTokens=16)
    chat.page.click("#retry")
    again = chat.finish()
    assert len(chat.answers()) == 1
    assert again.startswith(stopped[:16]) or stopped.startswith(again[:16])
    chat.new_conversation()
    assert chat.page.is_visible("#messages-empty")
    # A seed repeats an answer that is drawn by chance.
    chat.set(temperature=1, seed=7)
    drawn = chat.send("A tensor is")
    chat.page.click("#retry")
    assert chat.finish() == drawn != again


def test_conversation_is_saved(chat: ChatPage) -> None:
    chat.set(system="A guide of <b>tensors</b>.")
    answer = chat.send("What <i>is</i> it?")
    # Texts are never markup.
    assert chat.page.locator("#messages :is(b, i)").count() == 0
    with chat.page.expect_download() as saved:
        chat.page.click("#export-json")
    document = json.loads(Path(saved.value.path()).read_text())
    assert document == {
        "model": "py_tensor guides",
        "messages": [
            {"role": "system", "content": "A guide of <b>tensors</b>."},
            {"role": "user", "content": "What <i>is</i> it?"},
            {"role": "assistant", "content": answer},
        ],
    }
    with chat.page.expect_download() as saved:
        chat.page.click("#export-markdown")
    text = Path(saved.value.path()).read_text()
    assert text.startswith("# Conversation with py_tensor guides\n\n## System\n")
    assert text.endswith(f"## Assistant\n\n{answer}\n")


def test_message_without_room_is_explained(chat_page: SharedPage[ChatPage], chat: ChatPage) -> None:
    chat.set(length=64, maxTokens=60)
    chat.start("far too many words " * 5)
    chat.page.wait_for_selector("#answer-problem:not([hidden])")
    assert "message is too long; got" in chat.page.inner_text("#answer-problem")
    chat.set(length=1024, maxTokens=16)
    chat.page.click("#retry")
    assert chat.finish()
    assert chat.page.is_hidden("#answer-problem")
    chat_page.errors.ignore()


def test_keys_send_and_begin_lines(chat: ChatPage) -> None:
    page = chat.page
    page.focus("#message")
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    page.keyboard.press("Enter")
    chat.finish()
    assert page.locator(".message.user .text").evaluate("e => e.textContent") == "one\ntwo"
    assert page.input_value("#message") == ""
    assert page.evaluate("document.activeElement.id") == "message"
    # Screen readers hear the answer once, at its end.
    assert page.inner_text("#answer-status").startswith("The model answered: ")
    assert page.locator("#messages[aria-live], #messages [aria-live]").count() == 0


def test_attention_of_the_last_turn_is_drawn(chat: ChatPage) -> None:
    page = chat.page
    chat.send("A tensor is")
    page.select_option("#attention-layer", label="2")
    page.select_option("#attention-head", label="3")
    page.click("#attention-show")
    page.wait_for_selector("#attention-stage:not([hidden])")
    page.wait_for_function(
        "document.getElementById('attention-status').textContent.startsWith('Layer 2, head 3: ')"
    )
    page.focus("#attention-canvas")
    for _ in range(100):
        page.keyboard.press("ArrowUp")
    # The first token can only attend to itself.
    assert page.inner_text("#attention-cell").endswith(": 100 %")
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#attention-cell").startswith("Token 2 ")


def test_page_is_accessible_and_fits_a_phone(
    page: Page, site_url: str, page_errors: PageErrors
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(reduced_motion="reduce")
    chat = ChatPage(page, site_url)
    chat.set(maxTokens=16)
    chat.send("A tensor is " + "averylongwordwithoutspaces" * 4)
    chat.look_at_files({"guides.gguf": SHIPPED_FILE})
    page.click("#attention-show")
    page.wait_for_selector("#attention-stage:not([hidden])")
    page_errors.ignore()
    chat.start("words " * 2000)
    page.wait_for_selector("#answer-problem:not([hidden])")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert (scheme, faults(page)) == (scheme, [])


def assert_kept(page: Page) -> None:
    """Assert that the service worker has stored what the page needs."""
    kept = " ".join(kept_addresses(page))
    for name in ("chat/index.html", "guides-", "jinja2.zip", "chat_worker-", "rest-"):
        assert name in kept, kept


def test_page_works_without_a_connection(chromium: Browser) -> None:
    context = chromium.new_context()
    page = context.new_page()
    with serve(SITE) as url:
        chat = ChatPage(page, url, offline=True)
        eventually(page, lambda: assert_kept(page))
    page.reload()
    chat.wait_until_ready()
    chat.set(temperature=0, maxTokens=8)
    assert chat.send("A tensor is") == native_answer(SHIPPED_FILE, "A tensor is", 8)
    context.close()
