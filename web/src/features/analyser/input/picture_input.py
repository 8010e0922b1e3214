"""A picture for one input of a model: its filters, and how it is prepared."""

from collections.abc import Callable
from typing import Any

from input_filters import filtered
from preparation import Options, code, compiled, guessed

import py_tensor as pt

type Region = Callable[[pt.Tensor, Any], pt.Tensor] | None


class PictureInput:
    """Holds a picture and the choices of the visitor for it."""

    def __init__(self) -> None:
        self._source: Any = None
        self._photo: pt.Tensor | None = None
        self.chain: list[tuple[str, float]] = []
        self.info: Any = None
        self.options: Options | None = None
        self.view: pt.Tensor | None = None
        """The picture after the filters."""
        self.matrix: pt.Tensor | None = None

    @property
    def has_picture(self) -> bool:
        """True if the visitor has chosen a picture."""
        return self._source is not None

    def begin(self, info: Any, hints: dict[str, Any]) -> None:
        """Prepare the picture for an input of a model, as `hints` of its task say."""
        self.info, self.options = info, guessed(info, hints)

    def forget_model(self) -> None:
        """Keep the picture and the filters alone."""
        self.info = self.options = self.view = self.matrix = None

    def take(self, source: Any) -> None:
        """Use another picture from now on."""
        if self._source is not None and self._source is not source:
            # The memory of an ImageBitmap is freed late otherwise.
            self._source.close()
        self._source, self._photo = source, None

    def forget_photo(self) -> None:
        """Copy the picture to the GPU again when it is needed."""
        self._photo = None

    def close(self) -> None:
        """Free the picture."""
        if self._source is not None:
            self._source.close()
        self._source = self._photo = None

    def prepared(self, region: Region) -> pt.Tensor | None:
        """Return the input of the model; None without a picture."""
        if self._source is None or self.options is None:
            return None
        if self._photo is None:
            self._photo = pt.from_pixels(self._source, channels=4)
        self.view = filtered(self._photo, self.chain)
        pt.realize(self.view)
        x, self.matrix = compiled(code(self.options))(self.view, region)
        return x
