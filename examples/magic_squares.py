"""Build magic squares, solve the eight queens problem and fill a spiral, with plain index loops.

Integer arrays are changed element by element.
"""

import numpy as np


def magic(n):
    square = np.zeros((n, n), dtype=int)
    i, j = 0, n // 2
    for k in range(1, n * n + 1):
        square[i, j] = k
        ni, nj = (i - 1) % n, (j + 1) % n
        if square[ni, nj]:
            ni, nj = (i + 1) % n, j
        i, j = ni, nj
    return square


def spiral(n):
    grid = np.zeros((n, n), dtype=int)
    k = 1
    for layer in range((n + 1) // 2):
        end = n - 1 - layer
        for cells in (
            [(layer, c) for c in range(layer, end + 1)],
            [(r, end) for r in range(layer + 1, end + 1)],
            [(end, c) for c in range(end - 1, layer - 1, -1)],
            [(r, layer) for r in range(end - 1, layer, -1)],
        ):
            for r, c in cells:
                grid[r, c] = k
                k += 1
    return grid


def queens(n):
    columns, up, down = np.zeros(n, bool), np.zeros(2 * n, bool), np.zeros(2 * n, bool)
    queens = []

    def put(row):
        if row == n:
            return True
        for c in range(n):
            if columns[c] or up[row + c] or down[row - c + n]:
                continue
            columns[c] = up[row + c] = down[row - c + n] = True
            queens.append(c)
            if put(row + 1):
                return True
            queens.pop()
            columns[c] = up[row + c] = down[row - c + n] = False
        return False

    put(0)
    board = np.zeros((n, n), dtype=int)
    board[np.arange(n), queens] = 1
    return board


def main():
    square = magic(5)
    sums = np.concatenate(
        [square.sum(0), square.sum(1), [np.trace(square), np.fliplr(square).trace()]]
    )
    print(square, "all sums equal:", len(set(sums.tolist())) == 1, sep="\n")
    s = spiral(4)
    board = queens(5)
    print(s)
    print(board)
    return square, s, board


if __name__ == "__main__":
    main()
