import math

import py_tensor as pt
from playground import frames

SIZE, LEVELS = 512, 64


# A picture of three colors, whose center follows the mouse.
@pt.kernel(shape=(SIZE, SIZE, 3))
def waves(i, j, color, time, y, x):
    away = math.hypot(i / SIZE - y, j / SIZE - x)
    return 0.5 + 0.5 * math.sin(30.0 * away - time + color) * math.exp(-2.0 * away)


# Each element adds 1 to the count of its level.
@pt.kernel(shape=(SIZE, SIZE, 3))
def histogram(i, j, color, picture, counts):
    counts[color, int(LEVELS * picture[i, j, color])] += 1


@pt.kernel(shape=(SIZE, SIZE, 3))
def drawn(i, j, color, picture, counts, most):
    height = SIZE / 2 * counts[color, j * LEVELS // SIZE] / most
    return 1.0 if SIZE - i < height else 0.6 * picture[i, j, color]


async for frame in frames():
    picture = waves(frame.time, frame.y, frame.x)
    counts = histogram(picture, pt.zeros((3, LEVELS), dtype="int32"))
    pt.show(drawn(picture, counts, counts.max().astype("float32")), "Histogram")
