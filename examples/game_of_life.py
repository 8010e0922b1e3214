"""Play Conway's Game of Life: a glider, a blinker and an R-pentomino on a torus.

Live cells are counted per generation, and the last board is shown.
"""

import numpy as np
import py_tensor as pt


def step(board):
    neighbours = sum(
        np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
    )
    new = np.zeros_like(board)
    new[(neighbours == 3) | ((board == 1) & (neighbours == 2))] = 1
    return new


def main():
    board = np.zeros((24, 32), dtype=np.uint8)
    glider = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]])
    pentomino = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 0]])
    board[1:4, 1:4] = glider
    board[10:13, 20:23] = pentomino
    board[18, 4:7] = 1
    alive = [np.count_nonzero(board)]
    for _ in range(40):
        board = step(board)
        alive.append(np.count_nonzero(board))
    for row in board:
        print("".join("#" if cell else "." for cell in row))
    print("live cells:", *alive[::10])
    pt.show(pt.plot.image(board, title="After 40 generations"))
    return board, np.array(alive)


if __name__ == "__main__":
    main()
