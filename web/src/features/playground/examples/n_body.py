import math

import py_tensor as pt
from playground import frames
from py_tensor.kernels import uniform

BODIES, SIZE = 16_384, 256


@pt.kernel(shape=(BODIES,))
def start(i):
    angle, radius = 2.0 * math.pi * uniform(0, i), 0.8 * math.sqrt(uniform(1, i))
    x, y = radius * math.cos(angle), radius * math.sin(angle)
    return x, y, -0.9 * y, 0.9 * x


@pt.kernel(shape=(BODIES,))
def move(i, x, y, u, v, mouse_x, mouse_y, mass):
    """Return place and speed after a step: all bodies pull this one, and so does the mouse."""
    dx, dy = mouse_x - x[i], mouse_y - y[i]
    ax = mass * dx / (dx * dx + dy * dy + 0.02)
    ay = mass * dy / (dx * dx + dy * dy + 0.02)
    for k in range(BODIES):
        dx, dy = x[k] - x[i], y[k] - y[i]
        pull = 1.0 / (BODIES * (dx * dx + dy * dy + 0.001))
        ax, ay = ax + pull * dx, ay + pull * dy
    new_u, new_v = u[i] + 0.01 * ax, v[i] + 0.01 * ay
    return x[i] + 0.01 * new_u, y[i] + 0.01 * new_v, new_u, new_v


pixels, tint = (2 * pt.arange(SIZE) + 1) / SIZE - 1, pt.asarray([1.4, 1.0, 0.7])
x, y, u, v = start()
async for frame in frames():
    x, y, u, v = move(x, y, u, v, 2 * frame.x - 1, 2 * frame.y - 1, 2.0 * frame.pressed)
    # The picture is a product: a body is a spot, which has a row and a column.
    rows = pt.exp(-(((pixels[:, None] - y) * SIZE / 2) ** 2))
    columns = pt.exp(-(((x[:, None] - pixels) * SIZE / 2) ** 2))
    pt.show(pt.tanh(0.3 * (rows @ columns))[:, :, None] ** tint, "N-body")
