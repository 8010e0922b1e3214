"""Training steps in py_tensor; each returns the loss before the step."""

import py_tensor as pt


def training(inputs, rate, logits):
    """Return a function of one training step; `inputs` are images, labels and weights."""
    images, labels, *weights = inputs
    optimizer = pt.optim.adam(rate, epsilon=1e-7)
    state = optimizer.init(weights)

    def loss(weights, images, labels):
        return pt.nn.sparse_softmax_cross_entropy(logits(images, weights), labels)

    @pt.jit(donate_argnums=0)
    def step(state, images, labels):
        value, gradients = pt.value_and_grad(loss)(state.params, images, labels)
        return optimizer.update(state, gradients), value

    def run():
        nonlocal state
        state, value = step(state, images, labels)
        return value

    return run


def mlp(inputs, rate):
    def logits(x, weights):
        *hidden, (w, b) = zip(weights[::2], weights[1::2], strict=True)
        for v, c in hidden:
            x = pt.relu(x @ v + c)
        return x @ w + b

    return training(inputs, rate, logits)


def cnn(inputs, rate):
    def logits(x, weights):
        *hidden, (w, b) = zip(weights[::2], weights[1::2], strict=True)
        for v, c in hidden:
            x = pt.max_pool2d(pt.relu(pt.conv2d(x, v, padding="same") + c), 2)
        return x.reshape((x.shape[0], -1)) @ w + b

    return training(inputs, rate, logits)
