"""Lose the WebGL contexts of a page's workers."""

from __future__ import annotations

from playwright.sync_api import Page, Route

# Keeps the contexts of a worker, so that a test can lose them.
KEEP_CONTEXTS = """
const getContext = OffscreenCanvas.prototype.getContext;
globalThis.contexts = [];
OffscreenCanvas.prototype.getContext = function (...values) {
  const context = getContext.apply(this, values);
  if (values[0] === "webgl2" && context && !contexts.includes(context)) contexts.push(context);
  return context;
};
"""
LOSE = """milliseconds => {
  const loss = contexts.at(-1).getExtension("WEBGL_lose_context");
  loss.loseContext();
  setTimeout(() => loss.restoreContext(), milliseconds);
}"""


def keep_contexts(page: Page, workers: str) -> None:
    """Let `lose_context` find the contexts of workers whose addresses match a pattern."""

    def keep(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=KEEP_CONTEXTS + answer.text())

    page.route(workers, keep)


def lose_context(page: Page) -> None:
    """Lose the context of the page's last worker for half a second."""
    page.workers[-1].evaluate(LOSE, 500)
