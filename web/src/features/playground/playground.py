"""Module for the playground's programs: `show` paints a tensor, `next_frame` waits for a frame."""

import demo_host

import py_tensor as pt

_canvases: dict[str, object] = {}


def show(tensor: pt.Tensor, title: str = "picture") -> None:
    """Paint a tensor of shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4), float 0 to 1 or uint8.

    A picture with the same title is replaced. The tensor's texture is drawn without reading it
    back.
    """
    height, width = tensor.shape[:2]
    canvas = _canvases.get(title)
    if canvas is None or (canvas.width, canvas.height) != (width, height):
        canvas = _canvases[title] = demo_host.canvas(width, height)
    pt.draw(tensor, canvas)
    demo_host.picture(title, f"shape {tuple(tensor.shape)}, {tensor.dtype}", canvas)


async def next_frame() -> None:
    """Wait for the next animation frame; other tasks of the worker run meanwhile."""
    await demo_host.nextFrame()


def forget() -> None:
    """Drop the canvases of the previous program."""
    _canvases.clear()
