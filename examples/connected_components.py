"""Label connected regions of a maze and find shortest paths by flooding.

Labels spread to neighbours until nothing changes.
"""

import numpy as np
import py_tensor as pt

MAZE = """
#############
#...#...#...#
#.#.#.#.#.#.#
#.#...#...#.#
#.#########.#
#...........#
#############
#..#....##..#
#############
"""


def spread(a, reduce):
    out = a.copy()
    out[1:] = reduce(out[1:], a[:-1])
    out[:-1] = reduce(out[:-1], a[1:])
    out[:, 1:] = reduce(out[:, 1:], a[:, :-1])
    out[:, :-1] = reduce(out[:, :-1], a[:, 1:])
    return out


def main():
    grid = np.array([[c == "." for c in line] for line in MAZE.split()])
    labels = np.where(grid, np.arange(1, grid.size + 1).reshape(grid.shape), 0)
    while True:
        new = np.where(grid, spread(labels, np.maximum), 0)
        if np.array_equal(new, labels):
            break
        labels = new
    names, sizes = np.unique(labels[labels > 0], return_counts=True)
    print(f"{len(names)} regions of sizes {sorted(sizes.tolist(), reverse=True)}")

    distance = np.full(grid.shape, 999)
    distance[1, 1] = 0
    for _ in range(20):
        distance = np.where(grid, np.minimum(distance, spread(distance, np.minimum) + 1), 999)
    reached = distance < 999
    farthest = tuple(
        int(i) for i in np.unravel_index(np.where(reached, distance, -1).argmax(), grid.shape)
    )
    print(f"farthest cell {farthest} is {distance[farthest]} steps away")
    for row in np.where(reached, distance % 10, -1):
        print("".join("#" if d < 0 else str(d) for d in row))
    pt.show(pt.plot.image(labels, title="Labels of the regions"))
    return sizes, distance


if __name__ == "__main__":
    main()
