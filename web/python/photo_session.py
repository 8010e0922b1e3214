"""The photo lab's state: the photo on the GPU, the canvas it is drawn to, the filters in use."""

import math
from collections.abc import Callable

import photo_lab

import py_tensor as pt

SWING_SECONDS = 3.0


class PhotoSession:
    """Holds one photo and draws it through a chain of filters, once or frame after frame."""

    def __init__(self, page) -> None:
        self._page = page
        self._photo: pt.Tensor | None = None
        self.canvas: object | None = None
        self.chain: list[tuple[str, float]] = []
        self.animating = False

    def open(self, source: object) -> None:
        """Put a picture on the GPU; it stays there for all frames to come."""
        self._photo = pt.from_pixels(source, channels=4)

    async def draw(self, chain: list[tuple[str, float]]) -> None:
        """Compute the photo through these filters, draw it, and report how long it took."""
        photo = self._photo
        if photo is None or self.canvas is None:
            return
        start = self._page.now()
        pt.draw(photo_lab.apply(photo, chain), self.canvas)
        # The GPU works in order: once it has given this pixel, it has drawn the picture too.
        await photo[0, 0].data()
        self._page.photoFrame(self._page.now() - start)

    async def animate(self, after_frame: Callable[[], None]) -> None:
        """Draw with the strengths swinging until `animating` is switched off, then once at rest."""
        self.animating = True
        start = self._page.now()
        while self.animating:
            seconds = (self._page.now() - start) / 1000
            await self.draw([(name, strength * swing(seconds)) for name, strength in self.chain])
            after_frame()
            await self._page.nextFrame()
        await self.draw(self.chain)


def swing(seconds: float) -> float:
    """A factor that goes from 1 down to 0.4 and back."""
    return 0.7 + 0.3 * math.cos(2 * math.pi * seconds / SWING_SECONDS)
