"""Functions that the worker calls, and the sessions of the page's sections."""

import asyncio
import json
from functools import cache
from importlib import invalidate_caches
from pathlib import Path

import demo_host
from awaiting import awaited
from photo_session import PhotoSession
from runner import run_program

import py_tensor as pt

_photo = PhotoSession(demo_host)
_program: asyncio.Task | None = None


async def run(source: str, width: int) -> str:
    """Run one program and return its outcome as JSON (milliseconds, stopped, failure).

    Plots are not wider than `width` pixels.
    """
    global _program
    if _program is not None:
        raise RuntimeError("run: a program is still running; stop it first")
    _program = asyncio.current_task()
    try:
        return json.dumps(await run_program(source, demo_host, width))
    finally:
        _program = None
        demo_host.numbers()


async def stop() -> None:
    """Cancel the running program at its next await.

    Coroutines start in the order of their requests, so that a `run` requested before has started.
    """
    if _program is not None:
        _program.cancel()


def write_file(name: str, data: object) -> None:
    """Write a file of the visitor, an ArrayBuffer, where programs open it by its name."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.to_bytes())


def add_modules(sources: str) -> None:
    """Add Python modules, a JSON object with their texts by file name."""
    for name, source in json.loads(sources).items():
        (Path(__file__).parent / name).write_text(source)
    invalidate_caches()


def code_help(kind: str, source: str, line: int, expression: str) -> str:
    """Answer a question of the editor about a program; the result is JSON."""
    from code_help import answer

    return answer(kind, source, line, expression)


def photo_canvas(canvas: object) -> None:
    """Set the canvas on which photos are drawn."""
    _photo.canvas = canvas


def photo_open(bitmap: object) -> None:
    """Set the photo, an ImageBitmap."""
    _photo.open(bitmap)
    demo_host.numbers()


async def photo_frame(chain: str) -> None:
    """Draw the photo with filters, a JSON list of [name, strength]."""
    _photo.chain = [tuple(link) for link in json.loads(chain)]
    if not _photo.animating:
        await _photo.draw(_photo.chain)
        demo_host.numbers()


async def photo_animate(on: bool) -> None:
    """Start or stop the animation."""
    if not on:
        _photo.animating = False
    elif not _photo.animating:
        await _photo.animate(lambda: demo_host.numbersOfFrame())
        demo_host.numbers()


async def digits(verb: str, arguments: str) -> str:
    """Call a method of the digits session; arguments and result are JSON."""
    return await _call(_digits(), verb, arguments)


def digits_open(data: object) -> str:
    """Load the file of digits, an ArrayBuffer; the result is JSON."""
    return json.dumps(_digits().open(data.to_bytes()))


async def surface(verb: str, arguments: str) -> str:
    """Call a method of the surface session; arguments and result are JSON."""
    return await _call(_surface(), verb, arguments)


def surface_canvas(canvas: object) -> None:
    """Set the canvas on which the surface is painted."""
    _surface().canvas = canvas


# Sessions that train are imported on first use, so that the page starts faster.
@cache
def _digits():
    from digits_session import DigitsSession

    return DigitsSession(demo_host, lambda: demo_host.numbers())


@cache
def _surface():
    from surface_session import SurfaceSession

    return SurfaceSession(demo_host, lambda: demo_host.numbers())


async def _call(session: object, verb: str, arguments: str) -> str:
    try:
        return json.dumps(await awaited(getattr(session, verb)(*json.loads(arguments))))
    finally:
        demo_host.numbers()


def numbers() -> str:
    """Return the library's memory and cache counters as JSON."""
    memory, cache = pt.memory(), pt.cache_info()
    return json.dumps(
        {
            "tensors": memory.num_tensors,
            "bytes": memory.num_bytes,
            "gpuBytes": memory.num_bytes_in_gpu,
            "pooledBytes": memory.num_bytes_in_gpu_free,
            "programs": memory.num_programs,
            "plans": memory.num_plans,
            "planHits": cache.plan_hits,
            "draws": cache.draws,
        }
    )
