"""Module for the playground's programs: output in the page, frames, sound and downloads."""

import asyncio
from collections.abc import AsyncIterator
from time import perf_counter

import demo_host
from pyodide.ffi import to_js

import py_tensor as pt
from py_tensor.display.pictures import Picture
from py_tensor.display.places import Place, html_of
from py_tensor.errors import BackendError

AHEAD = 0.1
"""Seconds of sound that are left when `play` returns, so that the next sound arrives in time."""

_silence_at = 0.0


class OutputPane(Place):
    """The page's pane for output. Pictures are drawn without reading them back."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._canvases: dict[str, object] = {}
        self._untitled = 0

    def show(self, item: object, key: str | None = None) -> None:
        if isinstance(item, str):
            print(item)
        elif not (isinstance(item, Picture) and self._drawn(item, key)):
            demo_host.html(html_of(item), key or "")

    def _drawn(self, picture: Picture, key: str | None) -> bool:
        if key is None:
            self._untitled += 1
        height, width, _ = picture.rgba.shape
        canvas = self._canvases.get(key)
        if canvas is None or (canvas.width, canvas.height) != (width, height):
            canvas = demo_host.canvas(width, height)
        try:
            pt.draw(picture.rgba, canvas)
        except BackendError:
            return False  # the pane shows it as a PNG file
        if key is not None:
            self._canvases[key] = canvas
        shape = f"shape {picture.tensor.shape}, {picture.tensor.dtype}"
        demo_host.picture(key or f"picture {self._untitled}", shape, canvas)
        return True

    def display(self, value: object) -> None:
        """Show the value of a program's last expression; show nothing for None."""
        is_tensor = isinstance(value, pt.Tensor)
        if (value.ndim and value.size) if is_tensor else hasattr(value, "_repr_html_"):
            self.show(value)
        elif value is not None:
            print(repr(value))


def show(x: object, title: str = "picture", **options: object) -> None:
    """Show as `pt.show` does; output with the same title is replaced."""
    pt.show(x, title, **options)


def frames() -> AsyncIterator[pt.Frame]:
    """Return `pt.frames` with the position of the pointer on the program's pictures."""
    return pt.frames(demo_host.pointer)


async def play(samples: pt.Tensor, rate: int = 44_100) -> None:
    """Play a tensor of samples from -1 to 1 after the sounds that were given before.

    Wait until they have almost ended.
    """
    global _silence_at
    if not isinstance(samples, pt.Tensor) or samples.ndim != 1 or samples.dtype.kind != "f":
        got = getattr(samples, "shape", None) or type(samples).__name__
        raise ValueError(f"play: not a sound; got {got}; pass a tensor of floats with one axis")
    data = await samples.astype("float32").data()
    demo_host.sound(to_js(memoryview(data).cast("B")), rate)
    _silence_at = max(_silence_at, perf_counter()) + samples.size / rate
    await asyncio.sleep(max(_silence_at - perf_counter() - AHEAD, 0.0))


async def next_frame() -> None:
    """Wait for the next animation frame; other tasks of the worker run meanwhile."""
    await demo_host.nextFrame()


async def download(tree: object, filename: str = "model.safetensors") -> None:
    """Let the browser save a tree of tensors as a safetensors file."""
    data = await pt.io.to_bytes_async(tree)
    demo_host.download(filename, to_js(memoryview(data)))


def forget_sound() -> None:
    """Forget the sound of the previous program, which ended with it."""
    global _silence_at
    _silence_at = 0.0
