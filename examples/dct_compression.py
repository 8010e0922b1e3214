"""Compress a picture like JPEG: cosine transform of 8 x 8 blocks, and small values dropped.

The error is given as the peak signal-to-noise ratio.
"""

import numpy as np
import py_tensor as pt


def dct_matrix(n=8):
    k, i = np.mgrid[0:n, 0:n]
    C = np.sqrt(2 / n) * np.cos(np.pi * (2 * i + 1) * k / (2 * n))
    C[0] /= np.sqrt(2)
    return C


def blocks(img):
    h, w = img.shape
    return img.reshape(h // 8, 8, w // 8, 8).swapaxes(1, 2)


def main():
    y, x = np.mgrid[0:32, 0:32]
    img = 128 + 60 * np.sin(x / 4) * np.cos(y / 6) + 30 * (x > y)
    C = dct_matrix()
    assert np.allclose(C @ C.T, np.eye(8), atol=1e-5)
    coefficients = C @ (blocks(img) - 128) @ C.T
    results, pictures = [], [img]
    for keep in (4, 10, 20):
        size = np.abs(coefficients).reshape(4, 4, 64)
        limit = np.sort(size, axis=-1)[..., -keep][..., None, None]
        kept = np.where(np.abs(coefficients) >= limit, coefficients, 0)
        restored = (C.T @ kept @ C + 128).swapaxes(1, 2).reshape(32, 32)
        psnr = 10 * np.log10(255**2 / np.mean((restored - img) ** 2))
        results.append(psnr)
        pictures.append(restored)
        print(f"{keep:2d} of 64 coefficients: {psnr:.2f} dB")
    grey = np.repeat(np.hstack(pictures)[..., None] / 255, 3, axis=-1)
    pt.show(pt.plot.image(grey, title="Picture, and from 4, 10 and 20 coefficients"))
    return np.array(results)


if __name__ == "__main__":
    main()
