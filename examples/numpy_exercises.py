"""Solve thirty small exercises of the kind that courses on NumPy begin with.

Each result is one number, and all are returned in one array.
"""

import numpy as np


def arrays():
    """Solve the exercises about making and indexing arrays."""
    out = []
    z = np.zeros(10)
    z[4] = 1
    out.append(z.argmax())
    out.append(np.arange(10, 50)[::-1][3])
    out.append(np.arange(9).reshape(3, 3).trace())
    out.append(len(np.nonzero([1, 2, 0, 0, 4, 0])[0]))
    border = np.ones((10, 10))
    border[1:-1, 1:-1] = 0
    out.append(border.sum())
    checker = np.zeros((8, 8), dtype=int)
    checker[1::2, ::2] = 1
    checker[::2, 1::2] = 1
    out.append(checker[3].sum() + checker[0, 1])
    out.append(np.tile(np.array([[0, 1], [1, 0]]), (4, 4)).sum())
    out.append(np.dot(np.ones((5, 3)), np.ones((3, 2)))[0, 0])
    a = np.arange(11)
    a[(a > 3) & (a <= 8)] *= -1
    out.append(a.sum())
    out.append(np.intersect1d([1, 3, 5, 7, 9], [2, 3, 5, 8]).sum())
    x = np.linspace(0, 1, 12)[1:-1]
    out.append(x[np.abs(x - 0.42).argmin()])
    d = 1.0 / (np.arange(1, 5)[:, None] - np.arange(0.5, 4.5))
    out.append(np.linalg.det(d))
    return out


def functions():
    """Solve the exercises about functions of arrays."""
    out = []
    v = np.array([3, 1, 2, 3, 1, 1, 0])
    out.append(np.bincount(v).argmax())
    out.append(np.add.outer([1, 2], [10, 20]).sum())
    out.append(np.add.reduce([1, 2, 3]))
    m = np.arange(25).reshape(5, 5)
    m[[0, 1]] = m[[1, 0]]
    out.append(m[0, 0])
    out.append((m - m.mean(axis=1, keepdims=True)).max())
    y = np.array([1, 2, 3, 4, 5])
    w = np.zeros(len(y) + (len(y) - 1) * 3)
    w[::4] = y
    out.append(w[8])
    out.append(np.diag(np.arange(1, 5), k=-1)[4, 3])
    counts = np.zeros(10)
    np.add.at(counts, [1, 1, 2, 8, 8, 8], 1)
    out.append(counts[8])
    r = np.array([[1, 2], [3, 4], [1, 2]])
    out.append(np.unique(r, axis=0).shape[0])
    s = np.cumsum(np.arange(10.0))
    out.append((s[3:] - s[:-3])[2] / 3)
    out.append(np.allclose(np.arange(3) / 3, [0, 1 / 3, 2 / 3]))
    out.append(np.array([1, 2, 3, 4, 3, 2]).argsort()[::-1][:3].sum())
    p = np.pad(np.ones((2, 2)), 1, constant_values=7)
    out.append(p.mean())
    t = np.arange(12).reshape(3, 4)
    t[:, [0, 2]] = 0
    out.append(t.sum(axis=0)[3])
    out.append(np.einsum("ij,ji->", np.eye(3) * 2, np.ones((3, 3))))
    e = np.arange(6).reshape(2, 3)
    out.append(e.flat[4] + e.size + e.ndim + e.T.shape[0])
    out.append(np.isnan(np.array([1, np.nan, 3])).sum())
    out.append(np.where(np.array([1, -2, 3]) < 0, 0, 1).prod())
    return out


def main():
    result = np.array([float(value) for value in arrays() + functions()])
    for k, value in enumerate(result, 1):
        print(f"{k:2d}: {value:g}")
    return result


if __name__ == "__main__":
    main()
