import math

import py_tensor as pt
from playground import frames

SIZE, STEPS = 512, 300


@pt.kernel(shape=(SIZE, SIZE))
def mandelbrot(i, j, re, im, width, time):
    """Return the color of c, for how soon z = z * z + c leaves a circle."""
    a = re + (j / SIZE - 0.5) * width
    b = im + (i / SIZE - 0.5) * width
    x = y = 0.0
    steps = 0
    while steps < STEPS and x * x + y * y < 64.0:
        x, y, steps = x * x - y * y + a, 2.0 * x * y + b, steps + 1
    # The distance beyond the circle gives smooth bands.
    beyond = math.log2(math.log2(max(x * x + y * y, 4.0)))
    hue, light = 0.3 * math.sqrt(steps + 4.0 - beyond) - 0.2 * time, 0.5 if steps < STEPS else 0.0
    red, green, blue = math.cos(hue), math.cos(hue + 0.6), math.cos(hue + 1.2)
    return light - light * red, light - light * green, light - light * blue


# Hold the mouse to zoom in on the point below it; let go to zoom out.
re, im, width = -0.6, 0.0, 2.6
async for frame in frames():
    wider = max(2e-5, width * 0.98) if frame.pressed else min(2.6, width * 1.01)
    re += (frame.x - 0.5) * (width - wider)
    im += (frame.y - 0.5) * (width - wider)
    width = wider
    pt.show(pt.stack(mandelbrot(re, im, width, frame.time), axis=2), "Mandelbrot")
