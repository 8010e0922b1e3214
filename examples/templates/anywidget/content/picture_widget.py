"""A widget that shows a tensor on a canvas of the page, next to a slider."""

import asyncio
import pathlib

import anywidget
import py_tensor as pt
import traitlets


class PictureWidget(anywidget.AnyWidget):
    """Canvas with a picture, and a slider that chooses it.

    Args:
        picture: Function of the slider's value that returns a tensor of shape (height, width),
            with numbers from 0 (black) to 1 (white).
        value: First value of the slider, from 5 to 100.
    """

    _esm = pathlib.Path(__file__).with_suffix(".js")
    value = traitlets.Int().tag(sync=True)
    frame = traitlets.Dict().tag(sync=True)
    """Picture for the canvas of the page, which Python does not reach from its worker."""

    def __init__(self, picture, value=30):
        super().__init__(value=value)
        self.picture = picture
        self.observe(self.update, "value")
        self.update()

    def update(self, change=None):
        """Show the picture soon: an observer cannot wait for the GPU, but a task can."""
        self.task = asyncio.ensure_future(self.show())

    async def show(self):
        tensor = self.picture(self.value)
        height, width = tensor.shape
        pixels = bytes(await (tensor * 255.0).round().astype(pt.uint8).data())
        mean = await tensor.mean().data()
        text = f"{pt.get_backend()}: mean brightness {mean.tolist():.4f}"
        self.frame = {"width": width, "height": height, "pixels": pixels, "text": text}
