"""Run a program of the playground, sending its output to the page."""

import ast
import asyncio
import contextlib
import gc
import io
import time

from failure import describe
from gpu_fence import gpu_done
from playground import OutputPane, forget_sound
from pyodide.code import CodeRunner

import py_tensor as pt
from py_tensor.display.places import use

FILENAME = "your_program.py"


class _Stream(io.TextIOBase):
    """Text stream that sends writes to the page."""

    def __init__(self, page, is_error: bool) -> None:
        self._page, self._is_error = page, is_error

    def write(self, text: str) -> int:
        self._page.write(text, self._is_error)
        return len(text)

    def flush(self) -> None:
        self._page.flush()


def _no_input(prompt: object = "") -> str:
    raise RuntimeError(
        "input: this page has no console to type into; got a call of input; assign the value in "
        "the program instead"
    )


async def run_program(source: str, page) -> dict:
    """Run the source in a new namespace and display the value of its last expression."""
    stopped, failure = False, None
    pane = OutputPane()
    forget_sound()
    page.begin()
    draws = pt.cache_info().draws
    start = time.perf_counter()
    with (
        use(pane),
        contextlib.redirect_stdout(_Stream(page, False)),
        contextlib.redirect_stderr(_Stream(page, True)),
    ):
        try:
            names = {"__name__": "__main__", "input": _no_input}
            program = CodeRunner(source, filename=FILENAME, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            pane.display(await program.compile().run_async(names))
            if pt.cache_info().draws > draws:
                page.waiting()
                await gpu_done()
        except asyncio.CancelledError:
            stopped = True
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            failure = describe(error, source, FILENAME)
    milliseconds = (time.perf_counter() - start) * 1000
    page.flush()
    # A function refers to the program's namespace, which refers to the function.
    gc.collect()
    return {
        "milliseconds": milliseconds,
        "stopped": stopped,
        "failure": failure,
    }
