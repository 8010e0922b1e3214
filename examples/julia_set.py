"""Draw Julia sets of z -> z**2 + c for several c with smooth colours.

The mean colour of each picture and a small version of the last one are returned.
"""

import numpy as np
import py_tensor as pt


def julia(c, n=40, limit=30):
    y, x = np.ogrid[-1.2 : 1.2 : n * 1j, -1.5 : 1.5 : n * 1j]
    z = x + 1j * y
    smooth = np.zeros(z.shape)
    for _ in range(limit):
        inside = abs(z) < 4
        z = np.where(inside, z * z + c, z)
        smooth += inside * np.exp(-np.abs(z))
    return smooth / smooth.max()


def main():
    means = {}
    for c in (-0.4 + 0.6j, 0.285 + 0.01j, -0.8j):
        picture = julia(c)
        means[c] = float(picture.mean())
        print(f"c = {c}: mean {means[c]:.4f}")
    pt.show(pt.plot.image(julia(c, n=120), title="Julia set of c = -0.8i"))
    return np.array(list(means.values())), picture[::5, ::5]


if __name__ == "__main__":
    main()
