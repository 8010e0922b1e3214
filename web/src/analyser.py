"""Functions that the worker of the analyser calls, and the parts of its page."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import analyser_host
from analyser_session import AnalyserSession
from awaiting import awaited
from context_loss import surviving
from pyodide.ffi import JsProxy

_session = AnalyserSession(analyser_host)


def _layers() -> Any:
    from layers_session import LayersSession

    return LayersSession(_session)


def _input() -> Any:
    from input_session import InputSession

    return InputSession(_session)


def _output() -> Any:
    from output_session import OutputSession

    return OutputSession(_session, _part("input"))


def _speed() -> Any:
    from speed_session import SpeedSession

    return SpeedSession(_session, _part("input"), _part("output"))


# Imported on first use, so that the page starts faster.
_PARTS: dict[str, Callable[[], Any]] = {
    "session": lambda: _session,
    "layers": _layers,
    "speed": _speed,
    "input": _input,
    "output": _output,
}


@cache
def _part(name: str) -> Any:
    return _PARTS[name]()


async def call(part: str, method: str, *args: Any) -> Any:
    """Call a method of a part, one call at a time except for `cancel`.

    If the GPU is lost meanwhile, or was lost before, the call is repeated with the model and its
    input loaded again. Objects and arrays of JavaScript become dicts and lists; files,
    canvases and bitmaps stay as they are. The result is JSON, or an object of JavaScript.
    """
    arguments = [arg.to_py() if isinstance(arg, JsProxy) else arg for arg in args]
    if method == "cancel":
        _session.cancel()
        return "null"

    async def work() -> Any:
        return await awaited(getattr(_part(part), method)(*arguments))

    async with _session.lock:
        result = await surviving(work, _session.recover)
    return result if isinstance(result, JsProxy) else json.dumps(result)
