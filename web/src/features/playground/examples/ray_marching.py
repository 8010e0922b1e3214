import py_tensor as pt
from playground import frames
from py_tensor.kernels import dot, length, normalize, vec

SIZE, SUN = 512, normalize(vec(0.6, 0.8, 0.4))


def distance(p, t):
    """Return the distance to a ball that melts into a ring, above a floor."""
    ball = length(p - vec(0.9 * pt.sin(t), 0.2 + 0.3 * pt.sin(1.7 * t), 0.0)) - 0.45
    ring = length(vec(length(vec(p.x, p.z)) - 1.0, p.y)) - 0.22
    near = max(0.4 - abs(ball - ring), 0.0)
    return min(min(ball, ring) - 0.6 * near * near, p.y + 0.4)


@pt.kernel(shape=(SIZE, SIZE))
def scene(i, j, t, yaw, height):
    away = vec(pt.sin(yaw), height, pt.cos(yaw))
    x, y = 0.5 * (j / SIZE - 0.5), 0.5 - i / SIZE
    ray = normalize(vec(2.0 * away.z * x, y, -2.0 * away.x * x) - away)
    p, depth = away * 4.0, 0.0
    for _ in range(70):
        depth = min(depth + distance(p + ray * depth, t), 20.0)
    p, here, e = p + ray * depth, distance(p + ray * depth, t), 0.01
    dx, dy = distance(p + vec(e, 0.0, 0.0), t) - here, distance(p + vec(0.0, e, 0.0), t) - here
    light = dot(normalize(vec(dx, dy, distance(p + vec(0.0, 0.0, e), t) - here)), SUN)
    for k in range(30):
        light = min(light, 8.0 * distance(p + SUN * (0.05 + 0.06 * k), t) / (0.05 + 0.06 * k))
    shade, fog = 0.25 + 0.75 * max(light, 0.0), pt.exp(-0.02 * depth * depth)
    color = vec(0.7, 0.55, 0.6) if p.y < -0.38 else vec(1.0, 0.55, 0.25)
    color = color * shade * fog + vec(0.0, 0.2, 0.4) * (1.0 - fog)
    return color.x, color.y, color.z


# The mouse turns the camera.
async for frame in frames():
    picture = scene(frame.time, 0.3 * frame.time + 4.0 * frame.x, 0.1 + 0.8 * frame.y)
    pt.show(pt.stack(picture, axis=2), "Ray marching")
