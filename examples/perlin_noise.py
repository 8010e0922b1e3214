"""Make clouds: gradient noise in the manner of Perlin, summed over octaves.

Gradients come from a hash of lattice positions, so that no random numbers are needed.
"""

import numpy as np
import py_tensor as pt


def fade(t):
    return t * t * t * (t * (t * 6 - 15) + 10)


def gradient(ix, iy):
    h = (ix * 374761 + iy * 668265) % 4093
    h = (h * h + 7 * h) % 4093
    angle = 2 * np.pi * h / 4093
    return np.cos(angle), np.sin(angle)


def perlin(x, y):
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = x - x0, y - y0
    corners = []
    for dy in (0, 1):
        for dx in (0, 1):
            gx, gy = gradient(x0 + dx, y0 + dy)
            corners.append(gx * (fx - dx) + gy * (fy - dy))
    u, v = fade(fx), fade(fy)
    top = corners[0] + u * (corners[1] - corners[0])
    bottom = corners[2] + u * (corners[3] - corners[2])
    return top + v * (bottom - top)


def main():
    height, width = 24, 60
    y, x = np.meshgrid(np.arange(height) / 8.0, np.arange(width) / 16.0, indexing="ij")
    clouds = np.zeros((height, width))
    amplitude, frequency = 1.0, 1.0
    for _ in range(4):
        clouds += amplitude * perlin(x * frequency, y * frequency)
        amplitude *= 0.5
        frequency *= 2
    clouds = (clouds - clouds.min()) / (clouds.max() - clouds.min())
    print(f"mean {clouds.mean():.4f}, standard deviation {clouds.std():.4f}")
    pt.show(pt.plot.image(clouds, title="Clouds"))
    return clouds


if __name__ == "__main__":
    main()
