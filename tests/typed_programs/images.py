"""Image processing: filters, pooling and resizing."""

from __future__ import annotations

import py_tensor as pt

image = pt.ones((8, 8, 3), dtype="float32")
kernel = pt.full((3, 3, 3, 4), 1 / 27)
edges = pt.conv2d(image, kernel, stride=(1, 1), padding="same").relu()
small = pt.max_pool2d(edges, 2)
assert small.shape == (4, 4, 4)
pixels = (pt.clip(small[..., :3], 0, 1) * 255).astype(pt.uint8)
assert pixels.dtype == "uint8"
assert pt.flip(pixels, axis=(0, 1)).nbytes == 48
