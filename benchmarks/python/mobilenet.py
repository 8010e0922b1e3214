"""MobileNetV2 in py_tensor."""

import py_tensor as pt


def relu6(x):
    return pt.clip(x, 0.0, 6.0)


def logits(image, weights, blocks):
    layers = iter(zip(weights[::2], weights[1::2], strict=True))

    def layer(x, stride=1, groups=1):
        w, bias = next(layers)
        return pt.conv2d(x, w, stride=stride, padding="same", groups=groups) + bias

    x = relu6(layer(image, stride=2))
    for block in blocks:
        y = relu6(layer(x)) if block["expand"] else x
        y = relu6(layer(y, stride=block["stride"], groups=y.shape[-1]))
        y = layer(y)
        x = x + y if block["residual"] else y
    x = relu6(layer(x))
    w, bias = next(layers)
    return pt.mean(x, axis=(1, 2)) @ w + bias
