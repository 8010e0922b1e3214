"""Train a perceptron on single examples until it makes no mistake.

Pictures of three by three pixels show a horizontal or a vertical bar.
"""

import numpy as np


def bars():
    pictures, labels = [], []
    for k in range(3):
        horizontal = np.zeros((3, 3))
        horizontal[k] = 1
        pictures += [horizontal, horizontal.T]
        labels += [1, -1]
    return np.array(pictures), np.array(labels)


def main():
    pictures, labels = bars()
    # Products of neighbours make the problem linear.
    right = pictures[:, :, :-1] * pictures[:, :, 1:]
    down = pictures[:, :-1, :] * pictures[:, 1:, :]
    X = np.concatenate([f.reshape(len(f), -1) for f in (right, down)], axis=1)
    w = np.zeros(X.shape[1])
    b = 0
    for epoch in range(10):
        mistakes = 0
        for x, y in zip(X, labels):
            if y * (np.dot(w, x) + b) <= 0:
                w += y * x
                b += y
                mistakes += 1
        print(f"epoch {epoch}: {mistakes} mistakes")
        if mistakes == 0:
            break
    print("weights:", w, "bias:", int(b))
    return w, np.sign(X @ w + b)


if __name__ == "__main__":
    main()
