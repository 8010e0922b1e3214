"""The workloads in py_tensor, on the backend in use."""

import mobilenet as network
import training

import py_tensor as pt


def compiled(function):
    jitted = pt.jit(function)
    return lambda *inputs: lambda: jitted(*inputs)


matmul = compiled(lambda a, b: a @ b)
chain = compiled(lambda x: pt.relu(((x * 1.5 + 0.25) * x - 0.25) / 3.0) * 0.5 + x)
softmax = compiled(pt.softmax)


def eager_add(a, b):
    def run():
        c = a + b
        pt.realize(c)
        return c

    return run


def mlp_step(images, labels, weights):
    return training.mlp((images, labels, *map(pt.copy, weights)), 1e-3)


def cnn_step(images, labels, weights):
    return training.cnn((images, labels, *map(pt.copy, weights)), 1e-3)


def mobilenet(blocks):
    return compiled(lambda image, weights: network.logits(image, weights, blocks))
