"""A widget that shows a tensor on a canvas of the page, next to a slider."""

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
        self.observe(self.show, "value")
        self.show()

    def show(self, change=None):
        tensor = self.picture(self.value)
        height, width = tensor.shape
        pixels = bytes((tensor * 255.0).round().astype(pt.uint8))
        text = f"{pt.get_backend()}: mean brightness {float(tensor.mean()):.4f}"
        self.frame = {"width": width, "height": height, "pixels": pixels, "text": text}
