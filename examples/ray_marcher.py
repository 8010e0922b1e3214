"""Render spheres above a floor by marching rays through a signed distance field.

Shading uses the field's gradient as the normal and one light.
"""

import numpy as np
import py_tensor as pt

SPHERES = [((0.0, 0.0, 4.0), 1.0), ((1.6, 0.3, 5.0), 0.8), ((-1.5, -0.4, 3.4), 0.5)]


def distance(p):
    d = p[..., 1] + 1.0
    for centre, radius in SPHERES:
        d = np.minimum(d, np.linalg.norm(p - np.array(centre), axis=-1) - radius)
    return d


def normals(p, eps=1e-2):
    n = np.zeros_like(p)
    for axis in range(3):
        offset = np.zeros(3)
        offset[axis] = eps
        n[..., axis] = distance(p + offset) - distance(p - offset)
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


def main():
    height, width = 24, 48
    y, x = np.meshgrid(np.linspace(1, -1, height), np.linspace(-2, 2, width), indexing="ij")
    rays = np.stack((x, y, np.full_like(x, 2.0)), axis=-1)
    rays /= np.linalg.norm(rays, axis=-1)[..., None]
    t = np.zeros((height, width))
    for _ in range(40):
        t += distance(t[..., None] * rays)
        t = np.minimum(t, 20.0)
    hit = t < 20
    points = t[..., np.newaxis] * rays
    light = np.array([0.5, 0.8, -0.4])
    light /= np.linalg.norm(light)
    shade = np.clip(normals(points) @ light, 0.1, 1.0)
    image = np.where(hit, shade, 0)
    print(f"{hit.sum()} of {hit.size} rays hit something")
    pt.show(pt.plot.image(np.repeat(image[..., None], 3, axis=-1), title="Spheres"))
    return image, hit.sum()


if __name__ == "__main__":
    main()
