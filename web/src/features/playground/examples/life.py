import py_tensor as pt


def roll(x, shift, axis):
    """Shift cyclically: the board is a torus."""
    if axis == 0:
        return pt.concat([x[-shift:], x[:-shift]], axis=0)
    return pt.concat([x[:, -shift:], x[:, :-shift]], axis=1)


def step(board):
    three = roll(board, 1, 0) + board + roll(board, -1, 0)
    nine = roll(three, 1, 1) + three + roll(three, -1, 1)
    alive = (nine == 3) | ((nine == 4) & (board == 1))
    return alive.astype("uint8")


pt.random.seed(4)
board = (pt.random.uniform((120, 180)) < 0.25).astype("uint8")
glow = board.astype("float32")
tint = pt.asarray([1.0, 0.62, 0.28])

generations = 300
for _ in range(generations):
    board = step(board)
    # Dead cells fade out slowly.
    glow = pt.maximum(glow * 0.93, board.astype("float32"))
    pt.show(pt.expand_dims(glow, axis=2) ** tint, "Game of Life")
    await pt.next_frame()

print("alive after", generations, "generations:", pt.sum(board).item())
