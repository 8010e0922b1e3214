import math

import py_tensor as pt
from playground import frames

SIZE, HUES = 512, pt.asarray([0.0, 1.0, 2.0])


def between(q, y, x):
    i, j = math.floor(y), math.floor(x)
    above = q[i, j] * (1.0 - x + j) + q[i, j + 1] * (x - j)
    below = q[i + 1, j] * (1.0 - x + j) + q[i + 1, j + 1] * (x - j)
    return above * (1.0 - y + i) + below * (y - i)


# One draw for each step: Guay, Colin and Egli, "Simple and Fast Fluids", GPU Pro 2, 2011.
@pt.kernel(shape=(SIZE, SIZE), border="wrap")
def flow(i, j, u, v, mass, ink, x, y, push_x, push_y):
    right, left, below, above = mass[i, j + 1], mass[i, j - 1], mass[i + 1, j], mass[i - 1, j]
    dx, dy, around = right - left, below - above, (right + left + below + above) / 4.0
    spread = u[i, j + 1] - u[i, j - 1] + v[i + 1, j] - v[i - 1, j]
    change = (dx * u[i, j] + dy * v[i, j] + mass[i, j] * spread) / 2.0
    near = math.exp(-((j - x) ** 2 + (i - y) ** 2) / 300.0)
    new_u = 0.999 * between(u, i - v[i, j], j - u[i, j]) - 0.1 * dx + push_x * near
    new_v = 0.999 * between(v, i - v[i, j], j - u[i, j]) - 0.1 * dy + push_y * near
    new_ink = 0.998 * between(ink, i - v[i, j], j - u[i, j]) + 0.1 * near
    return new_u, new_v, min(max(around - change, 0.5), 3.0), min(new_ink, 1.5)


u = v = ink = pt.zeros((SIZE, SIZE))
mass, x, y = pt.ones((SIZE, SIZE)), SIZE / 2, SIZE / 2
async for frame in frames():
    # Stir with the mouse; a current runs on its own path while it is not pressed.
    a, b = x, y
    x = SIZE * (frame.x if frame.pressed else 0.5 + 0.3 * math.sin(0.7 * frame.time))
    y = SIZE * (frame.y if frame.pressed else 0.5 + 0.3 * math.sin(1.1 * frame.time))
    for _ in range(2):
        u, v, mass, ink = flow(u, v, mass, ink, x, y, 0.015 * (x - a), 0.015 * (y - b))
    pt.show(ink[:, :, None] * (0.6 + 0.4 * pt.cos(pt.atan2(v, u)[:, :, None] + HUES)), "Fluid")
