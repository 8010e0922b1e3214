import py_tensor as pt
from playground import frames
from py_tensor.kernels import dot, normalize, uniform, vec

SIZE, WHITE = 512, vec(1.0, 1.0, 1.0)
FLOOR, MIRROR = (vec(0.0, -60.5, 0.0), 60.0, WHITE * 0.6), (vec(0.0, 0.2, -0.5), 0.7, WHITE)
RED = vec(-1.1, 0.0, 0.3), 0.5, vec(0.9, 0.2, 0.1)
BLUE = vec(1.1, -0.1, 0.3), 0.4, vec(0.2, 0.4, 0.9)


@pt.kernel(shape=(SIZE, SIZE))
def traced(i, j, red, green, blue, seed, yaw):
    """Follow a random path from each pixel to the sky, and add the light that arrives on it."""
    n, away = i * SIZE + j, vec(pt.sin(yaw), 0.15, pt.cos(yaw))
    x, y = j - SIZE / 2 + uniform(seed, n, 0), SIZE / 2 - i + uniform(seed, n, 1)
    p, ray = away * 5.0, normalize(vec(away.z * x, y, -away.x * x) - away * SIZE)
    light = color = normal = WHITE
    for k in range(5):
        nearest = 1e9
        for center, radius, paint in (FLOOR, RED, MIRROR, BLUE):
            b, c = dot(ray, center - p), dot(center - p, center - p) - radius * radius
            t = b - pt.sqrt(max(b * b - c, 0.0))
            if 0.002 < t < nearest and t < b:
                nearest, color, normal = t, paint, (p + ray * t - center) / radius
        if nearest > 1e8:
            break
        light, p, z = light * color, p + ray * nearest, 2.0 * uniform(seed, n, 2 * k + 2) - 1.0
        turn, flat = 6.2832 * uniform(seed, n, 2 * k + 3), pt.sqrt(1.0 - z * z)
        random = normal + vec(flat * pt.cos(turn), flat * pt.sin(turn), z) * 0.999
        ray = ray - normal * 2.0 * dot(ray, normal) if color.x == 1.0 else normalize(random)
    light *= 0.4 + 0.3 * ray.y + (6.0 if ray.x + ray.y > 1.35 else 0.0)
    return red[i, j] + light.x, green[i, j] + light.y, blue[i, j] + 1.4 * light.z


async for frame in frames():
    if frame.number == 0 or frame.pressed:  # The mouse turns the camera.
        total, before, yaw = (pt.zeros((SIZE, SIZE)),) * 3, frame.number - 1, 4.0 * frame.x - 2.0
    total = traced(*total, frame.number, yaw)
    pt.show(pt.sqrt(pt.stack(total, axis=2) / (frame.number - before)), "Path tracer")
