"""Recognise noisy digits of five by three pixels with softmax regression.

Labels are encoded one-hot; mini-batches are taken in a fixed order.
"""

import numpy as np
import py_tensor as pt

DIGITS = """
111 010 111 111 101
101 110 001 001 101
101 010 111 111 111
101 010 100 001 001
111 111 111 111 001
"""


def templates():
    rows = [line.split() for line in DIGITS.strip().splitlines()]
    return np.array([[[int(c) for c in row[d]] for row in rows] for d in range(5)], dtype=float)


def softmax(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def main():
    digits = templates().reshape(5, 15)
    i = np.arange(100)
    y = i % 5
    X = digits[y] + 0.4 * np.sin(np.outer(i + 1, np.arange(1, 16) * 1.37))
    one_hot = np.eye(5)[y]
    W = np.zeros((15, 5))
    b = np.zeros(5)
    batch = 25
    for epoch in range(40):
        for start in range(0, len(X), batch):
            xb, tb = X[start : start + batch], one_hot[start : start + batch]
            error = softmax(xb @ W + b) - tb
            W -= 0.5 * xb.T @ error / batch
            b -= 0.5 * error.mean(axis=0)
    p = softmax(X @ W + b)
    loss = -np.log(p[np.arange(len(y)), y]).mean()
    accuracy = np.mean(p.argmax(axis=1) == y)
    print(f"loss {loss:.4f}, accuracy {accuracy:.2f}")
    # Rows of pictures, each with a dark line below and to the right.
    pictures = np.full((3, 6, 5, 4), -1.0)
    rows = np.stack([digits, X[5:10], W.T / np.abs(W).max()]).reshape(3, 5, 5, 3)
    pictures[:, :5, :, :3] = rows.transpose(0, 2, 1, 3)
    title = "Digits, noisy digits, weights of each digit"
    pt.show(pt.plot.image(pictures.reshape(18, 20), range=(-1, 1), title=title))
    return W, loss, accuracy


if __name__ == "__main__":
    main()
