"""Count for points of the complex plane how long z -> z**2 + c stays bounded (Mandelbrot set).

The set's area is estimated from a coarse grid, and a finer one is shown.
"""

import numpy as np
import py_tensor as pt


def escape_times(c, limit):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    for _ in range(limit):
        z = np.where(np.abs(z) <= 2, z**2 + c, z)
        count += np.abs(z) <= 2
    return count


def grid(width, height):
    re = np.linspace(-2.05, 0.65, width)
    im = np.linspace(-1.15, 1.15, height)
    return re[np.newaxis, :] + 1j * im[:, np.newaxis]


def main():
    limit = 12
    count = escape_times(grid(61, 24), limit)
    inside = count == limit
    area = inside.mean() * 2.7 * 2.3
    print(f"area about {area:.2f}")
    pt.show(pt.plot.image(escape_times(grid(162, 138), 25), title="Steps before the escape"))
    return count


if __name__ == "__main__":
    main()
