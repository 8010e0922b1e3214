import py_tensor as pt
from playground import frames

SIZE = 512


# The function of one element is compiled into a shader, which reads the element's neighbours.
@pt.kernel(shape=(SIZE, SIZE), border="wrap")
def react(i, j, u, v, x, y, pressed):
    lap_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
    lap_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
    r = u[i, j] * v[i, j] * v[i, j]
    fed = 0.16 * lap_u - r + 0.035 * (1.0 - u[i, j])
    grown = 0.08 * lap_v + r - 0.1 * v[i, j]
    near = pressed and (j - x) ** 2 + (i - y) ** 2 < 64.0
    return u[i, j] + fed, 0.5 if near else v[i, j] + grown


pt.random.seed(3)
spots = (pt.random.uniform((SIZE // 16, SIZE // 16)) < 0.1).astype("float32")
v = pt.repeat(pt.repeat(spots, 16, axis=0), 16, axis=1) / 2
u = 1 - v
tint = pt.asarray([1.0, 0.62, 0.28])

# Draw with the mouse.
async for frame in frames():
    for _ in range(8):
        u, v = react(u, v, frame.x * SIZE, frame.y * SIZE, frame.pressed)
    pt.show(pt.clip(1.0 - u, 0.0, 1.0)[:, :, None] ** tint, "Reaction and diffusion")
