"""What the worker calls: run and stop a program, the sections' verbs, the live numbers."""

import asyncio
import inspect
import json
from functools import cache

import demo_page
from photo_session import PhotoSession
from runner import run_program

import py_tensor as pt

_photo = PhotoSession(demo_page)
_program: asyncio.Task[dict] | None = None


async def run(source: str) -> str:
    """Run one program; its outcome as JSON (milliseconds, stopped, failure)."""
    global _program
    if _program is not None:
        raise RuntimeError("run: a program is still running; stop it first")
    _program = asyncio.ensure_future(run_program(source, demo_page))
    try:
        return json.dumps(await _program)
    finally:
        _program = None
        demo_page.numbers(numbers())


def stop() -> None:
    """Ask the running program to stop at its next await."""
    if _program is not None:
        _program.cancel()


def photo_canvas(canvas: object) -> None:
    """Draw photos to this canvas from now on."""
    _photo.canvas = canvas


def photo_open(bitmap: object) -> None:
    """Take a picture (an ImageBitmap) as the photo."""
    _photo.open(bitmap)
    demo_page.numbers(numbers())


async def photo_frame(chain: str) -> None:
    """Apply the filters, a JSON list of [name, strength], and draw."""
    _photo.chain = [tuple(link) for link in json.loads(chain)]
    if not _photo.animating:
        await _photo.draw(_photo.chain)
        demo_page.numbers(numbers())


async def photo_animate(on: bool) -> None:
    """Start drawing frame after frame, or stop."""
    if not on:
        _photo.animating = False
    elif not _photo.animating:
        await _photo.animate(lambda: demo_page.numbers(numbers()))


async def digits(verb: str, arguments: str) -> str:
    """Ask the digits' session; arguments and answer are JSON."""
    return await _ask(_digits(), verb, arguments)


def digits_open(data: object) -> str:
    """Take the file of digits, an ArrayBuffer; the answer is JSON."""
    return json.dumps(_digits().open(data.to_bytes()))


async def surface(verb: str, arguments: str) -> str:
    """Ask the surface's session; arguments and answer are JSON."""
    return await _ask(_surface(), verb, arguments)


def surface_canvas(canvas: object) -> None:
    """Paint the surface on this canvas from now on."""
    _surface().canvas = canvas


# What trains is imported when it is first used, so that the page starts without it.
@cache
def _digits():
    from digits_session import DigitsSession

    return DigitsSession(demo_page, lambda: demo_page.numbers(numbers()))


@cache
def _surface():
    from surface_session import SurfaceSession

    return SurfaceSession(demo_page, lambda: demo_page.numbers(numbers()))


async def _ask(session: object, verb: str, arguments: str) -> str:
    answer = getattr(session, verb)(*json.loads(arguments))
    return json.dumps(await answer if inspect.isawaitable(answer) else answer)


def numbers() -> str:
    """The library's counters as JSON."""
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
