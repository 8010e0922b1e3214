"""Grow patterns with the Gray-Scott model of two chemicals that react and diffuse.

A square of the second chemical is put into a periodic dish of the first one.
"""

import numpy as np
import py_tensor as pt


def laplacian(z):
    return (
        0.2 * (np.roll(z, 1, 0) + np.roll(z, -1, 0) + np.roll(z, 1, 1) + np.roll(z, -1, 1))
        + 0.05 * np.roll(np.roll(z, 1, 0), 1, 1)
        + 0.05 * np.roll(z, (1, -1), axis=(0, 1))
        + 0.05 * np.roll(z, (-1, 1), axis=(0, 1))
        + 0.05 * np.roll(z, (-1, -1), axis=(0, 1))
        - z
    )


def main():
    n, feed, kill = 48, 0.055, 0.062
    u = np.ones((n, n), dtype=np.float32)
    v = np.zeros((n, n), dtype=np.float32)
    middle = slice(n // 2 - 5, n // 2 + 5)
    u[middle, middle] = 0.5
    v[middle, middle] = 0.25
    for _ in range(150):
        reaction = u * v**2
        u += 1.0 * laplacian(u) - reaction + feed * (1 - u)
        v += 0.5 * laplacian(v) + reaction - (feed + kill) * v
    print(f"second chemical: mean {v.mean():.4f}, largest {v.max():.4f}")
    pt.show(pt.plot.image(v, title="Second chemical"))
    return v[::4, ::4]


if __name__ == "__main__":
    main()
