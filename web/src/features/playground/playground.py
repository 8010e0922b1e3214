"""Module for the playground's programs: `show` paints a tensor, `next_frame` waits for a frame."""

import json
from types import ModuleType

import demo_host
from pyodide.ffi import to_js

import py_tensor as pt

_canvases: dict[str, object] = {}


def show(tensor: pt.Tensor, title: str = "picture") -> None:
    """Paint a tensor of shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4), float 0 to 1 or uint8.

    A picture with the same title is replaced. The tensor's texture is drawn without reading it
    back.
    """
    if not isinstance(tensor, pt.Tensor):
        raise TypeError(
            f"show: not a tensor; got {type(tensor).__name__}; pass pt.asarray of the values"
        )
    if tensor.ndim not in (2, 3) or (tensor.ndim == 3 and tensor.shape[2] not in (1, 3, 4)):
        raise ValueError(
            f"show: not a picture; got shape {tuple(tensor.shape)}; use shape (height, width), or "
            "(height, width, channels) with 1, 3 or 4 channels, for example pt.reshape(x, (1, -1))"
        )
    height, width = tensor.shape[:2]
    canvas = _canvases.get(title)
    if canvas is None or (canvas.width, canvas.height) != (width, height):
        canvas = _canvases[title] = demo_host.canvas(width, height)
    pt.draw(tensor, canvas)
    demo_host.picture(title, f"shape {tuple(tensor.shape)}, {tensor.dtype}", canvas)


async def next_frame() -> None:
    """Wait for the next animation frame; other tasks of the worker run meanwhile."""
    await demo_host.nextFrame()


async def download(tree: object, filename: str = "model.safetensors") -> None:
    """Let the browser save a tree of tensors as a safetensors file."""
    data = await pt.io.to_bytes_async(tree)
    demo_host.download(filename, to_js(memoryview(data)))


def library_names(module: str) -> str:
    """Return the public names of the library's module, as JSON; "" is the library itself."""
    # Modules are imported when they are first needed, so not all of them at once.
    found = getattr(pt, module, None) if module else pt
    names = dir(found) if isinstance(found, ModuleType) else []
    return json.dumps([name for name in names if not name.startswith("_")])


def forget() -> None:
    """Drop the canvases of the previous program."""
    _canvases.clear()
