import py_tensor as pt
from playground import frames

SIZE = 512


@pt.kernel(shape=(SIZE, SIZE), border="wrap")
def life(i, j, cells, glow, x, y, pressed):
    count = 0
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            count += cells[i + di, j + dj]
    alive = count == 3 or count - cells[i, j] == 3
    if pressed and abs(j - x) < 3.0 and abs(i - y) < 3.0:
        alive = True
    # Dead cells fade out slowly.
    return int(alive), max(0.93 * glow[i, j], float(alive))


pt.random.seed(4)
cells = (pt.random.uniform((SIZE, SIZE)) < 0.25).astype("int32")
glow = cells.astype("float32")
tint = pt.asarray([1.0, 0.62, 0.28])

# Draw living cells with the mouse.
async for frame in frames():
    cells, glow = life(cells, glow, frame.x * SIZE, frame.y * SIZE, frame.pressed)
    pt.show(glow[:, :, None] ** tint, "Game of Life")
