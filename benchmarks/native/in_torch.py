"""The workloads in PyTorch, eager as PyTorch runs them; used if PyTorch is installed."""

import torch
from torch.nn import functional


def matmul(a, b):
    return lambda: a @ b


def chain(x):
    return lambda: torch.relu(((x * 1.5 + 0.25) * x - 0.25) / 3.0) * 0.5 + x


def softmax(x):
    return lambda: torch.softmax(x, dim=-1)


def eager_add(a, b):
    return lambda: a + b


def training(logits):
    def made(images, labels, weights):
        weights = [w.clone().requires_grad_() for w in weights]
        optimizer = torch.optim.Adam(weights, lr=1e-3, eps=1e-7)
        labels = labels.long()

        def run():
            optimizer.zero_grad()
            loss = functional.cross_entropy(logits(images, weights), labels)
            loss.backward()
            optimizer.step()
            return loss

        return run

    return made


def mlp_logits(x, weights):
    *hidden, (w, b) = zip(weights[::2], weights[1::2], strict=True)
    for v, c in hidden:
        x = torch.relu(x @ v + c)
    return x @ w + b


def cnn_logits(x, weights):
    *hidden, (w, b) = zip(weights[::2], weights[1::2], strict=True)
    x = x.permute(0, 3, 1, 2)
    for v, c in hidden:
        x = functional.conv2d(x, v.permute(3, 2, 0, 1), padding="same")
        x = functional.max_pool2d(torch.relu(x + c[:, None, None]), 2)
    return x.permute(0, 2, 3, 1).flatten(1) @ w + b


mlp_step, cnn_step = training(mlp_logits), training(cnn_logits)


def mobilenet(blocks):
    def made(image, weights):
        def layer(layers, x, stride=1, groups=1):
            w, bias = next(layers)
            size = w.shape[0]
            # "same" padding of an even image puts the odd row and column at the end.
            more = max((-(-x.shape[2] // stride) - 1) * stride + size - x.shape[2], 0)
            x = functional.pad(x, (more // 2, more - more // 2) * 2)
            return functional.conv2d(x, w.permute(3, 2, 0, 1), bias, stride, groups=groups)

        @torch.no_grad()
        def run():
            layers = iter(zip(weights[::2], weights[1::2], strict=True))
            x = functional.relu6(layer(layers, image.permute(0, 3, 1, 2), stride=2))
            for block in blocks:
                y = functional.relu6(layer(layers, x)) if block["expand"] else x
                groups = y.shape[1]
                y = functional.relu6(layer(layers, y, block["stride"], groups))
                y = layer(layers, y)
                x = x + y if block["residual"] else y
            x = functional.relu6(layer(layers, x))
            w, bias = next(layers)
            return x.mean((2, 3)) @ w + bias

        return run

    return made
