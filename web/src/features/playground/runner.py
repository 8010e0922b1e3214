"""Run a program of the playground, sending its output to the page."""

import ast
import asyncio
import contextlib
import gc
import io
import sys
import time
from collections.abc import Awaitable, Iterator

from failure import describe
from gpu_fence import gpu_done
from last_run import remember
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


def _report_errors_once() -> None:
    """Let `asyncio.run` raise a program's error without also writing it.

    Pyodide writes errors of tasks that only it watches, and errors that pass through JavaScript.
    """
    loop = asyncio.get_event_loop()
    run = loop.run_until_complete

    def run_until_complete(future: Awaitable) -> object:
        task = asyncio.ensure_future(future)
        run(asyncio.wait([task]))
        return task.result()

    loop.run_until_complete = run_until_complete


_report_errors_once()


def _no_input(prompt: object = "") -> str:
    raise RuntimeError(
        "input: this page has no console to type into; got a call of input; assign the value in "
        "the program instead"
    )


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    """Restore Python's input and the library's settings at the end of a program.

    `exit` closes the input, which is therefore empty and the program's own.
    """
    stdin, sys.stdin = sys.stdin, io.StringIO()
    before = _settings()
    try:
        yield
    finally:
        sys.stdin = stdin
        # The backend is first, because the values of others are its own.
        for name, value in before.items():
            if getattr(pt.env, name) != value:
                setattr(pt.env, name, value)


def _settings() -> dict[str, object]:
    """Return the values of `pt.env` that a program can change."""
    flags = vars(type(pt.env))
    return {name: getattr(pt.env, name) for name in pt.env if flags[name].set is not None}


async def run_program(source: str, page, width: int) -> dict:
    """Run the source in a new namespace and display the value of its last expression.

    Args:
        source: Text of the program.
        page: Module `demo_host`.
        width: Width of the page's pane in pixels.
    """
    stopped, failure = False, None
    pane = OutputPane(width)
    forget_sound()
    page.begin()
    draws = pt.cache_info().draws
    start = time.perf_counter()
    with (
        use(pane),
        _restored(),
        contextlib.redirect_stdout(_Stream(page, False)),
        contextlib.redirect_stderr(_Stream(page, True)),
    ):
        names = {"__name__": "__main__", "input": _no_input}
        try:
            program = CodeRunner(source, filename=FILENAME, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            pane.display(await program.compile().run_async(names))
            if pt.cache_info().draws > draws:
                page.waiting()
                await gpu_done()
        except asyncio.CancelledError:
            stopped = True
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            if not (isinstance(error, SystemExit) and error.code in (None, 0)):
                failure = describe(error, source, FILENAME)
    milliseconds = (time.perf_counter() - start) * 1000
    page.flush()
    remember(names)
    del names
    # A function refers to the program's namespace, which refers to the function.
    gc.collect()
    return {
        "milliseconds": milliseconds,
        "stopped": stopped,
        "failure": failure,
    }
