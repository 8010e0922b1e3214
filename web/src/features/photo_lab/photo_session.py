"""Session of the photo lab: the photo on the GPU, its canvas and the current filters."""

import math
from collections.abc import Callable

import photo_filters
from context_loss import surviving

import py_tensor as pt

PERIOD_SECONDS = 3.0
"""Period of the animation."""


class PhotoSession:
    """Draws one photo through a chain of filters, once or as an animation."""

    def __init__(self, page) -> None:
        self._page = page
        self._photo: pt.Tensor | None = None
        self._source: object | None = None
        self.canvas: object | None = None
        self.chain: list[tuple[str, float]] = []
        self.animating = False

    def open(self, source: object) -> None:
        """Use a picture from now on."""
        self._photo = None
        if self._source is not None and self._source is not source:
            # The memory of an ImageBitmap is freed late otherwise.
            self._source.close()
        self._source = source

    async def draw(self, chain: list[tuple[str, float]]) -> None:
        """Apply filters to the photo, draw it, and report the time."""
        if self._source is not None and self.canvas is not None:
            await surviving(lambda: self._draw(chain), lambda: self.open(self._source))

    async def _draw(self, chain: list[tuple[str, float]]) -> None:
        if self._photo is None:
            # It stays on the GPU for all frames.
            self._photo = pt.from_pixels(self._source, channels=4)
        photo = self._photo
        start = self._page.now()
        pt.draw(photo_filters.apply(photo, chain), self.canvas)
        # The GPU executes commands in order: after this read, it has drawn the picture.
        await photo[0, 0].data()
        self._page.photoFrame(self._page.now() - start)

    async def animate(self, after_frame: Callable[[], None]) -> None:
        """Draw with oscillating strengths until `animating` is False, then once without."""
        self.animating = True
        start = self._page.now()
        while self.animating:
            seconds = (self._page.now() - start) / 1000
            await self.draw(
                [(name, strength * oscillation(seconds)) for name, strength in self.chain]
            )
            after_frame()
            await self._page.nextFrame()
        await self.draw(self.chain)


def oscillation(seconds: float) -> float:
    """Factor that oscillates between 1 and 0.4."""
    return 0.7 + 0.3 * math.cos(2 * math.pi * seconds / PERIOD_SECONDS)
