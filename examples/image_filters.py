"""Filter a picture made of shapes: blur, sharpen, edges, median and thresholds.

Convolutions are written with slices and with sliding windows.
"""

import numpy as np
import py_tensor as pt


def make_picture(n=32):
    y, x = np.mgrid[0:n, 0:n]
    img = 0.2 + 0.3 * x / n
    img[(x - 10) ** 2 + (y - 12) ** 2 < 36] = 0.9
    img[20:28, 16:30] = 0.0
    img[(3 * x + 5 * y) % 37 == 0] = 1.0
    return img


def convolve2d(img, kernel):
    kh, kw = kernel.shape
    padded = np.pad(img, ((kh // 2, kh // 2), (kw // 2, kw // 2)), mode="edge")
    out = np.zeros_like(img)
    for i in range(kh):
        for j in range(kw):
            out += kernel[i, j] * padded[i : i + img.shape[0], j : j + img.shape[1]]
    return out


def main():
    img = make_picture()
    g = np.array([1, 4, 6, 4, 1])
    gauss = np.outer(g, g) / np.sum(g) ** 2
    blurred = convolve2d(img, gauss)
    sharp = np.clip(img + 0.8 * (img - blurred), 0, 1)
    sobel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    gx, gy = convolve2d(img, sobel), convolve2d(img, sobel.T)
    edges = np.sqrt(gx**2 + gy**2)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(img, 1, mode="reflect"), (3, 3))
    median = np.median(windows, axis=(2, 3))
    binary = (edges > 0.5 * edges.max()).astype(np.uint8)
    for name in ("blurred", "sharp", "edges", "median"):
        picture = locals()[name]
        print(f"{name:>8}: mean {picture.mean():.4f}, std {picture.std():.4f}")
    print(f"{binary.sum()} pixels are at an edge")
    rows = [np.hstack([img, blurred, sharp]), np.hstack([median, edges / edges.max(), binary])]
    grey = np.repeat(np.vstack(rows)[..., None], 3, axis=-1)
    pt.show(pt.plot.image(grey, title="Picture, blurred, sharp; median, edges, binary"))
    return blurred, edges, median, binary.sum()


if __name__ == "__main__":
    main()
