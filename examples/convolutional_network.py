"""Run a small convolutional network forward: convolution by im2col, pooling and a classifier.

The filters detect horizontal and vertical strokes of pictures.
"""

import numpy as np
import py_tensor as pt


def im2col(x, size):
    n, h, w = x.shape
    oh, ow = h - size + 1, w - size + 1
    cols = np.empty((n, oh, ow, size * size))
    for i in range(size):
        for j in range(size):
            cols[:, :, :, i * size + j] = x[:, i : i + oh, j : j + ow]
    return cols


def max_pool(x):
    n, h, w, c = x.shape
    return x[:, : h // 2 * 2, : w // 2 * 2].reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4))


def pictures():
    x = np.zeros((6, 10, 10))
    for k in range(3):
        x[k, 2 + 2 * k, 1:9] = 1
        x[k + 3, 1:9, 2 + 2 * k] = 1
    return x, np.array([0, 0, 0, 1, 1, 1])


def main():
    x, y = pictures()
    filters = np.array([[-1, 2, -1], [-1, 2, -1], [-1, 2, -1]], dtype=np.float32)
    kernels = np.stack([filters.T.ravel(), filters.ravel()], axis=1)
    features = np.maximum(0, im2col(x, 3) @ kernels)
    pooled = max_pool(features)
    scores = pooled.mean(axis=(1, 2))
    predicted = scores.argmax(axis=1)
    print("feature maps", features.shape, "pooled", pooled.shape)
    print("scores:\n", scores.round(2))
    print("predicted", predicted, "correct" if (predicted == y).all() else "wrong")
    maps = [features[k, :, :, c] for k in (1, 4) for c in (0, 1)]
    pt.show(pt.plot.image(np.hstack(maps), title="Features of a horizontal and a vertical stroke"))
    return scores, predicted


if __name__ == "__main__":
    main()
