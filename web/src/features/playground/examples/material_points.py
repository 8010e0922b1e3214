import py_tensor as pt
from playground import frames
from py_tensor.kernels import uniform

BODIES, GRID, SIZE, DT = 8192, 128, 256, 2e-4


@pt.kernel(shape=(BODIES,))
def start(n):
    return GRID * (0.2 + 0.4 * uniform(0, n)), GRID * (0.2 + 0.4 * uniform(1, n))


def weight(d):
    return 0.75 - d * d if abs(d) < 0.5 else 0.5 * (1.5 - abs(d)) ** 2


# Water: Hu et al., "A Moving Least Squares Material Point Method", 2018, and its program mpm88.
@pt.kernel(shape=(BODIES,))
def to_grid(n, y, x, v, u, a, b, c, d, volume, mass, down, right):
    push = 1600.0 * DT * GRID**2 * (1.0 - volume[n])
    for i in range(3):
        for j in range(3):
            row, column = int(y[n] - 0.5) + i, int(x[n] - 0.5) + j
            p, q = row - y[n], column - x[n]
            w = weight(p) * weight(q)
            mass[row, column] += w
            down[row, column] += w * (v[n] + (push + a[n]) * p + b[n] * q)
            right[row, column] += w * (u[n] + c[n] * p + (push + d[n]) * q)


@pt.kernel(shape=(GRID, GRID))
def on_grid(i, j, mass, down, right, y, x, pull):
    v = down[i, j] / max(mass[i, j], 1e-9) + DT * (40.0 * GRID + pull * (y - i))
    u = right[i, j] / max(mass[i, j], 1e-9) + DT * pull * (x - j)
    v = max(v, 0.0) if i < 3 else min(v, 0.0) if i > GRID - 3 else v
    return v, max(u, 0.0) if j < 3 else min(u, 0.0) if j > GRID - 3 else u


@pt.kernel(shape=(BODIES,))
def to_points(n, y, x, volume, down, right):
    v = u = a = b = c = d = 0.0
    for i in range(3):
        for j in range(3):
            row, column = int(y[n] - 0.5) + i, int(x[n] - 0.5) + j
            p, q = row - y[n], column - x[n]
            w = weight(p) * weight(q)
            dv, du = w * down[row, column], w * right[row, column]
            v, u, a, b = v + dv, u + du, a + 4.0 * dv * p, b + 4.0 * dv * q
            c, d = c + 4.0 * du * p, d + 4.0 * du * q
    return y[n] + DT * v, x[n] + DT * u, v, u, a, b, c, d, volume[n] * (1.0 + DT * (a + d))


@pt.jit
def step(points, y, x, pull):
    grid = to_grid(*points, *[pt.zeros((GRID, GRID))] * 3)
    return to_points(*points[:2], points[-1], *on_grid(*grid, y, x, pull))


@pt.kernel(shape=(BODIES,))
def dots(n, y, x, ink):
    ink[int(y[n] * SIZE / GRID), int(x[n] * SIZE / GRID)] += 1.0


points = (*start(), *[pt.zeros(BODIES)] * 6, pt.ones(BODIES))
async for frame in frames():
    for _ in range(10):
        points = step(points, GRID * frame.y, GRID * frame.x, 3000.0 * frame.pressed)
    ink = dots(*points[:2], pt.zeros((SIZE, SIZE)))
    pt.show(pt.tanh(ink)[:, :, None] * pt.asarray([0.2, 0.6, 1.0]), "Material points")
