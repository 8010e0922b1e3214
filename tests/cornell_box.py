"""A path tracer of a box with a lamp, spheres and boxes, whose functions have many calls."""

from __future__ import annotations

import math

import py_tensor as pt
from py_tensor.kernels import dot, length, normalize, uniform, vec

FAR, NEAR, GLOW = 1e9, 1e-3, 12.0
LAMP = (0.35, 0.65, 0.35, 0.65)
DIFFUSE, MIRROR, GLASS, LIGHT = range(4)
WHITE, BRIGHT = vec(0.73, 0.73, 0.73), vec(1.0, 1.0, 1.0)
SPHERES = [
    (vec(0.3, 0.2, 0.35), 0.2, BRIGHT, GLASS),
    (vec(0.72, 0.62, 0.6), 0.13, vec(0.9, 0.9, 0.9), MIRROR),
]
BOXES = [
    (vec(0.68, 0.25, 0.6), vec(0.15, 0.25, 0.15), 0.3),
    (vec(0.3, 0.15, 0.75), vec(0.1, 0.15, 0.1), -0.3),
]
WALLS = [
    {"normal": vec(1.0, 0.0, 0.0), "distance": 0.0, "color": vec(0.65, 0.05, 0.05)},
    {"normal": vec(-1.0, 0.0, 0.0), "distance": -1.0, "color": vec(0.12, 0.45, 0.15)},
    {"normal": vec(0.0, 1.0, 0.0), "distance": 0.0, "color": WHITE},
    {"normal": vec(0.0, -1.0, 0.0), "distance": -1.0, "color": WHITE},
    {"normal": vec(0.0, 0.0, -1.0), "distance": -1.0, "color": WHITE},
]


def sphere_at(p, ray, center, radius):
    """Return the distance at which a ray meets a sphere."""
    q = p - center
    b = dot(q, ray)
    square = b * b - dot(q, q) + radius * radius
    if square > 0.0:
        root = math.sqrt(square)
        if -b - root > NEAR:
            return -b - root
        if root - b > NEAR:
            return root - b
    return FAR


def turned(p, cosine, sine):
    return vec(cosine * p.x - sine * p.z, p.y, sine * p.x + cosine * p.z)


def box_at(p, ray, center, half, angle):
    """Return the distance at which a ray meets a box, and the normal there."""
    cosine, sine = math.cos(angle), math.sin(angle)
    o, d = turned(p - center, cosine, sine), turned(ray, cosine, sine)
    slopes = [part if abs(part) > 1e-7 else 1e-7 for part in d]
    a = [(-h - x) / slope for h, x, slope in zip(half, o, slopes)]  # noqa: B905
    b = [(h - x) / slope for h, x, slope in zip(half, o, slopes)]  # noqa: B905
    starts = [min(pair) for pair in zip(a, b)]  # noqa: B905
    near, far = max(starts), min([max(pair) for pair in zip(a, b)])  # noqa: B905
    normal = vec(0.0, 0.0, 0.0)
    if near < far and near > NEAR:
        if near == starts[0]:
            normal.x = -1.0 if d.x > 0.0 else 1.0
        elif near == starts[1]:
            normal.y = -1.0 if d.y > 0.0 else 1.0
        else:
            normal.z = -1.0 if d.z > 0.0 else 1.0
        return near, turned(normal, cosine, -sine)
    return FAR, normal


def plane_at(p, ray, normal, distance):
    """Return the distance at which a ray meets a plane."""
    slope = dot(ray, normal)
    t = (distance - dot(p, normal)) / (slope if abs(slope) > 1e-6 else 1e-6)
    return t if t > NEAR else FAR


def lamp_at(p, ray):
    t = plane_at(p, ray, vec(0.0, -1.0, 0.0), -0.999)
    q = p + ray * t
    left, right, front, back = LAMP
    return t if left < q.x < right and front < q.z < back else FAR


def scene_at(p, ray):
    """Return distance, normal, color and material of the first surface that a ray meets."""
    t, normal, color, material = FAR, vec(0.0, 1.0, 0.0), WHITE, DIFFUSE
    for center, radius, paint, kind in SPHERES:
        hit = sphere_at(p, ray, center, radius)
        if hit < t:
            t, color, material = hit, paint, kind
            normal = (p + ray * hit - center) / radius
    for center, half, angle in BOXES:
        hit, side = box_at(p, ray, center, half, angle)
        if hit < t:
            t, normal, color, material = hit, side, WHITE, DIFFUSE
    for wall in WALLS:
        hit = plane_at(p, ray, wall["normal"], wall["distance"])
        if hit < t:
            t, normal, color, material = hit, wall["normal"], wall["color"], DIFFUSE
    hit = lamp_at(p, ray)
    if hit < t:
        t, normal, color, material = hit, vec(0.0, -1.0, 0.0), BRIGHT, LIGHT
    return t, normal, color, material


def scattered(normal, u, v):
    """Return a direction around a normal, whose density is the cosine."""
    z, turn = 2.0 * u - 1.0, 2.0 * math.pi * v
    flat = math.sqrt(max(1.0 - z * z, 0.0))
    return normalize(normal + vec(flat * math.cos(turn), flat * math.sin(turn), z) * 0.999)


def through_glass(ray, normal, u):
    """Return the direction in which light passes glass, or is reflected by it."""
    outward, ratio = (normal, 1.0 / 1.5) if dot(ray, normal) < 0.0 else (-normal, 1.5)
    cosine = min(-dot(ray, outward), 1.0)
    square = 1.0 - ratio**2 * (1.0 - cosine**2)
    if square > 0.0:
        least = ((1.0 - ratio) / (1.0 + ratio)) ** 2
        if least + (1.0 - least) * (1.0 - cosine) ** 5.0 < u:
            return normalize(ray * ratio + outward * (ratio * cosine - math.sqrt(square)))
    return ray - outward * (2.0 * dot(ray, outward))


def light_at(p, normal, u, v):
    """Return the light of the lamp at a point, of one sample."""
    left, right, front, back = LAMP
    way = vec(left + u * (right - left), 0.998, front + v * (back - front)) - p
    apart = length(way)
    ray = way / apart
    here = dot(ray, normal)
    if here > 0.0 and ray.y > 0.0:
        _, _, _, material = scene_at(p, ray)
        if material == LIGHT:
            size = (right - left) * (back - front)
            return GLOW * here * ray.y * size / (math.pi * apart * apart)
    return 0.0


@pt.kernel(shape=lambda frame, samples, size: (3, size, size))
def cornell_box(channel, i, j, frame, samples, size):
    """Return the sum of the samples of each pixel."""
    n, total = i * size + j, vec(0.0, 0.0, 0.0)
    for s in range(samples):
        x = (j + uniform(frame, n, s, 0)) / size - 0.5
        y = 0.5 - (i + uniform(frame, n, s, 1)) / size
        p, ray = vec(0.5, 0.5, -1.3), normalize(vec(x, y, 1.25))
        passed, direct = BRIGHT, True
        for k in range(6):
            t, normal, color, material = scene_at(p, ray)
            if t > 1e8:
                break
            if material == LIGHT:
                total += passed * (GLOW if direct else 0.0)
                break
            p += ray * t
            passed *= color
            u, v = uniform(frame, n, s, 4 * k + 2), uniform(frame, n, s, 4 * k + 3)
            direct = material != DIFFUSE
            if material == DIFFUSE:
                a, b = uniform(frame, n, s, 4 * k + 4), uniform(frame, n, s, 4 * k + 5)
                total += passed * light_at(p, normal, a, b)
                ray = scattered(normal, u, v)
            elif material == MIRROR:
                ray -= normal * (2.0 * dot(ray, normal))
            else:
                ray = through_glass(ray, normal, u)
    return total[channel]
