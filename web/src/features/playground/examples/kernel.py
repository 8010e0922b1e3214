import py_tensor as pt


# The function of one element is compiled into a shader, which reads the element's neighbours.
@pt.kernel(shape=lambda u, v: u.shape, border="wrap")
def react(i, j, u, v):
    lap_u = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
    lap_v = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
    r = u[i, j] * v[i, j] * v[i, j]
    fed = 0.16 * lap_u - r + 0.035 * (1.0 - u[i, j])
    grown = 0.08 * lap_v + r - 0.1 * v[i, j]
    return u[i, j] + fed, v[i, j] + grown


pt.random.seed(3)
spots = (pt.random.uniform((12, 18)) < 0.25).astype("float32")
v = pt.repeat(pt.repeat(spots, 10, axis=0), 10, axis=1) / 2
u = 1 - v
tint = pt.asarray([1.0, 0.62, 0.28])

for _ in range(120):
    for _ in range(8):
        u, v = react(u, v)
    pt.show(pt.expand_dims(pt.clip(1.0 - u, 0.0, 1.0), axis=2) ** tint, "Reaction and diffusion")
    await pt.next_frame()

print("mean of u and v:", pt.mean(u).item(), pt.mean(v).item())
