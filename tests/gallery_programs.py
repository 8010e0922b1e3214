"""The programs of the playground's gallery: made small, and run on NumPy."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from event_loop import run

import py_tensor as pt
from py_tensor.display.places import Place, use

PLAYGROUND = Path(__file__).parent.parent / "web" / "src" / "features" / "playground"
EXAMPLES = PLAYGROUND / "examples"
NAMES = [path.stem for path in sorted(EXAMPLES.glob("*.py")) if " frames" in path.read_text()]


def small(name: str, side: int, frames: int, bodies: int = 1024) -> str:
    """Return a program with small pictures and few bodies, which ends after some frames.

    Its clock shows the times of a machine that draws 60 frames per second.
    """
    source = (EXAMPLES / f"{name}.py").read_text()
    source = re.sub(r"\b(512|256)\b", str(side), source)
    source = re.sub(r"\b(16_384|8192)\b", str(bodies), source).replace(
        "frame.time", "(frame.number / 60)"
    )
    return f"{source}    if frame.number == {frames - 1}:\n        break\n"


class Pictures(Place):
    """Tensors that a program shows as pictures."""

    def __init__(self) -> None:
        self.tensors: list[pt.Tensor] = []

    def show(self, item: Any, key: str | None = None) -> None:
        self.tensors.append(item.tensor)


def numpy_picture(source: str) -> np.ndarray:
    """Run a program on NumPy and return the pixels (height, width, 3) of its last picture."""
    pictures = Pictures()

    async def frames() -> AsyncIterator[pt.Frame]:
        async for frame in pt.frames():
            yield frame

    async def play(samples: pt.Tensor, rate: int) -> None:
        assert samples.ndim == 1 and rate > 0

    module = ModuleType("playground")
    module.__dict__.update(frames=frames, play=play)
    linecache.cache["program.py"] = len(source), None, source.splitlines(True), "program.py"
    code = compile(source, "program.py", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    before = pt.get_backend()
    pt.set_backend("numpy")
    sys.modules["playground"] = module
    try:
        running = eval(code, {"__name__": "program"})
        assert inspect.iscoroutine(running)
        with use(pictures):
            run(running)
        picture = pictures.tensors[-1]
        pixels = run(pt.to_pixels(picture))
    finally:
        del sys.modules["playground"]
        pt.set_backend(before)
    return np.frombuffer(pixels, "uint8").reshape(*picture.shape[:2], 4)[..., :3]
