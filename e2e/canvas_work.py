"""Count what a page draws on a canvas in each of its frames."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

# A frame of the canvas begins with the call that clears it. All callbacks of one animation frame
# see the same time.
COUNT_CALLS = """selector => {
  const canvas = document.querySelector(selector);
  const context = canvas.getContext("2d");
  globalThis.canvasWork = [];
  const names = Object.getOwnPropertyNames(CanvasRenderingContext2D.prototype);
  for (const name of names.filter((name) => typeof canvasMethod(name) === "function")) {
    context[name] = (...values) => {
      if (name === "clearRect") canvasWork.push({ time: document.timeline.currentTime, calls: {} });
      const calls = canvasWork.at(-1)?.calls ?? {};
      calls[name] = (calls[name] ?? 0) + 1;
      return canvasMethod(name).apply(context, values);
    };
  }
  function canvasMethod(name) {
    return Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, name).value;
  }
}"""
NEXT_FRAME = """() => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve));
})"""


class CanvasWork:
    """Frames of a canvas, each with the number of calls of every drawing method."""

    frames: list[dict[str, int]]
    times: list[float]
    """Time of the animation frame in which each was drawn."""

    def most(self, *methods: str) -> int:
        """Return the largest number of calls of these methods in a frame; without any, of all."""
        return max(
            sum(calls.get(method, 0) for method in methods or calls) for calls in self.frames
        )


def count_canvas_work(page: Page, selector: str) -> None:
    """Begin to count the calls on a canvas, which `canvas_work` gives."""
    page.evaluate(COUNT_CALLS, selector)


@contextmanager
def canvas_work(page: Page) -> Iterator[CanvasWork]:
    """Yield what is drawn in the block, which is known at its end."""
    page.evaluate("canvasWork.length = 0")
    work = CanvasWork()
    yield work
    page.evaluate(NEXT_FRAME)
    seen: list[dict[str, Any]] = page.evaluate("canvasWork")
    work.frames = [frame["calls"] for frame in seen]
    work.times = [frame["time"] for frame in seen]
