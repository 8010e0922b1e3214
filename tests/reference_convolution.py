"""Convolution by NumPy, one output pixel and channel after the other."""

from __future__ import annotations

import numpy as np


def _amounts(padding, n, kernel, stride, dilation, side):
    if padding == "valid":
        return 0, 0
    if padding == "same":
        total = max(0, (-(-n // stride) - 1) * stride + dilation * (kernel - 1) + 1 - n)
        return total // 2, total - total // 2
    return (padding, padding) if isinstance(padding, int) else padding[side]


def convolve(x, w, stride=(1, 1), padding="valid", dilation=(1, 1), groups=1):
    """Convolve one output pixel and channel after the other."""
    batch, height, width, _ = x.shape
    kh, kw, each, outs = w.shape
    pads = [
        _amounts(padding, (height, width)[side], (kh, kw)[side], stride[side], dilation[side], side)
        for side in (0, 1)
    ]
    x = np.pad(x, ((0, 0), *pads, (0, 0)))
    oh = (x.shape[1] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (x.shape[2] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    result = np.zeros((batch, oh, ow, outs), x.dtype)
    for i in range(oh):
        for j in range(ow):
            rows = slice(i * stride[0], i * stride[0] + dilation[0] * (kh - 1) + 1, dilation[0])
            columns = slice(j * stride[1], j * stride[1] + dilation[1] * (kw - 1) + 1, dilation[1])
            for out in range(outs):
                group = out // (outs // groups) * each
                patch = x[:, rows, columns, group : group + each]
                result[:, i, j, out] = (patch * w[..., out]).sum(axis=(1, 2, 3))
    return result
