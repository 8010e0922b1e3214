"""Improve the contrast of a grey picture by equalizing its histogram; find Otsu's threshold.

Pixels are unsigned bytes, as in picture files.
"""

import numpy as np
import py_tensor as pt


def picture():
    y, x = np.mgrid[:40, :40]
    img = 90 + 25 * np.sin(x / 5.0) + 20 * np.cos(y / 7.0)
    img[(x - 25) ** 2 + (y - 15) ** 2 < 80] += 60
    return np.clip(img, 0, 255).astype(np.uint8)


def otsu(hist):
    p = hist / hist.sum()
    levels = np.arange(256)
    w0 = np.cumsum(p)
    mean = np.cumsum(p * levels)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (mean[-1] * w0 - mean) ** 2 / (w0 * (1 - w0))
    return int(np.nanargmax(np.where(np.isfinite(between), between, np.nan)))


def main():
    img = picture()
    hist, edges = np.histogram(img, bins=256, range=(0, 256))
    cdf = hist.cumsum()
    lowest = cdf[cdf > 0].min()
    table = np.round((cdf - lowest) / (img.size - lowest) * 255)
    table = np.clip(table, 0, 255).astype(np.uint8)
    equalized = table[img]
    threshold = otsu(hist)
    mask = img > threshold
    print(f"range {img.min()}..{img.max()} becomes {equalized.min()}..{equalized.max()}")
    print(f"standard deviation {img.std():.1f} becomes {equalized.std():.1f}")
    print(f"threshold {threshold}: {mask.mean():.1%} of the pixels are bright")
    both = np.hstack([img, equalized])
    pt.show(pt.plot.image(np.repeat(both[..., None], 3, axis=-1), title="Before and after"))
    return hist, equalized, threshold


if __name__ == "__main__":
    main()
