"""Classify points: the network, a training step and a picture of the predictions."""

from itertools import pairwise

import py_tensor as pt
from py_tensor import nn

ACTIVATIONS = {"tanh": pt.tanh, "relu": pt.relu, "sigmoid": pt.sigmoid, "silu": nn.silu}


def network(hidden: list[int], activation: str) -> nn.Module:
    """Return a network that maps x and y to a score, positive for class 1."""
    layers = []
    for inputs, outputs in pairwise([2, *hidden]):
        layers += [nn.Dense(inputs, outputs), ACTIVATIONS[activation]]
    return nn.Sequential(*layers, nn.Dense(hidden[-1], 1))


def training_step(optimizer: pt.optim.Optimizer):
    """Return a function of state and points that computes the next state, and loss and accuracy."""

    @pt.jit(donate_argnums=0)
    def step(state, places, labels, weights):
        def loss_of(model):
            scores = model(places)[:, 0]
            loss = nn.sigmoid_cross_entropy(scores, labels, weights=weights)
            right = (scores > 0) == (labels > 0)
            return loss, pt.sum(right * weights) / pt.sum(weights)

        value_and_grad = pt.value_and_grad(loss_of, has_aux=True)
        (loss, accuracy), gradients = value_and_grad(state.params)
        return optimizer.update(state, gradients), pt.stack([loss, accuracy])

    return step


def grid(side: int) -> pt.Tensor:
    """Return the pixel centres of a picture of the square from -1 to 1: (side * side, 2)."""
    across = (pt.arange(side) + 0.5) * (2 / side) - 1
    x = pt.broadcast_to(across, (side, side))
    y = pt.broadcast_to(pt.reshape(-across, (side, 1)), (side, side))
    return pt.reshape(pt.stack([x, y], axis=2), (side * side, 2))


@pt.jit
def picture(state: pt.optim.State, places: pt.Tensor, colours: pt.Tensor) -> pt.Tensor:
    """Paint the predicted class at each place, more opaque if more certain: (side, side, 4).

    `colours` has shape (2, 3): red, green and blue of each class, from 0 to 1.
    """
    side = round(places.shape[0] ** 0.5)
    probability = pt.sigmoid(state.params(places))
    colour = pt.where(probability > 0.5, colours[1], colours[0])
    opacity = pt.abs(probability * 2 - 1) * 0.8
    return pt.reshape(pt.concat([colour, opacity], axis=1), (side, side, 4))
