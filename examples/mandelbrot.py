"""Count for points of the complex plane how long z -> z**2 + c stays bounded (Mandelbrot set).

The picture is printed as text, and the set's area is estimated.
"""

import numpy as np


def escape_times(c, limit):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    active = np.ones(c.shape, dtype=bool)
    for _ in range(limit):
        z[active] = z[active] ** 2 + c[active]
        active &= np.abs(z) <= 2
        count[active] += 1
    return count


def main():
    re = np.linspace(-2.05, 0.65, 61)
    im = np.linspace(-1.15, 1.15, 24)
    c = re[np.newaxis, :] + 1j * im[:, np.newaxis]
    limit = 12
    count = escape_times(c, limit)
    for row in count:
        print("".join(" .,:;+*%#@"[min(int(n), limit) * 9 // limit] for n in row))
    inside = count == limit
    area = inside.mean() * (re[-1] - re[0]) * (im[-1] - im[0])
    print(f"area about {area:.2f}")
    return count


if __name__ == "__main__":
    main()
