"""Waves of two sources, computed with py_tensor and drawn on a canvas."""

import py_tensor as pt

x = pt.linspace(-1.0, 1.0, 256)
y = x[:, None]
left = pt.hypot(x + 0.4, y)
right = pt.hypot(x - 0.4, y)


def brightness(waves):
    """Return the brightness of 256 x 256 pixels, from 0 (black) to 1 (white)."""
    return 0.5 + 0.25 * (pt.sin(waves * left) + pt.sin(waves * right))


async def show(waves, canvas):
    """Draw the picture and return a line of text about it."""
    picture = brightness(waves)
    pt.draw(picture, canvas)
    mean = await picture.mean().data()
    return f"{pt.get_backend()}: mean brightness {mean.tolist():.4f}"
