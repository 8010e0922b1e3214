"""What a program may import: `show` paints a tensor, `next_frame` waits for the screen."""

import demo_page

import py_tensor as pt

_canvases: dict[str, object] = {}


def show(tensor: pt.Tensor, title: str = "picture") -> None:
    """Paint a tensor of shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4), float 0 to 1 or uint8.

    A second picture with the same title takes the place of the first. Nothing is read back: the
    tensor's texture is drawn.
    """
    height, width = tensor.shape[:2]
    canvas = _canvases.get(title)
    if canvas is None or (canvas.width, canvas.height) != (width, height):
        canvas = _canvases[title] = demo_page.canvas(width, height)
    pt.draw(tensor, canvas)
    demo_page.picture(title, f"shape {tuple(tensor.shape)}, {tensor.dtype}", canvas)


async def next_frame() -> None:
    """Wait until the screen is ready for another picture; lets the page do its work meanwhile."""
    await demo_page.nextFrame()


def forget() -> None:
    """Drop the canvases of the program before."""
    _canvases.clear()
