import math

import py_tensor as pt

height, width, steps = 360, 480, 96
re = pt.reshape(pt.linspace(-2.2, 0.8, width), (1, width))
im = pt.reshape(pt.linspace(-1.125, 1.125, height), (height, 1))

x = y = count = pt.zeros((height, width))
for step in range(steps):
    xx, yy = x * x, y * y
    inside = xx + yy < 4
    count = count + inside.astype("float32")
    # Points that have escaped no longer move.
    x, y = (
        pt.where(inside, xx - yy + re, x),
        pt.where(inside, 2 * x * y + im, y),
    )
    if step % 8 == 7:
        # Eight steps are fused into one shader, which is compiled once.
        pt.realize(x, y, count)

# The distance beyond the circle gives smooth bands.
speed = count + 1 - pt.log2(pt.log2(pt.maximum(x * x + y * y, 4)) / 2)
hue = pt.asarray([0.0, 0.12, 0.25]) + pt.expand_dims(speed, axis=2) / 28
colour = 0.5 + 0.5 * pt.cos(2 * math.pi * (hue + 0.55))
escaped = (count < steps).astype("float32")
pt.show(colour * pt.expand_dims(escaped, axis=2), "Mandelbrot")

# Steps until escape, for some of the points.
count[20::40, 20::60].astype("int32")
