"""Handwritten digits: two small networks, and how they learn."""

import py_tensor as pt
from py_tensor import nn, optim


def multilayer_perceptron() -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Dense(64, 128), pt.relu, nn.Dense(128, 10))


def convolutional() -> nn.Module:
    return nn.Sequential(
        nn.Conv2D(1, 8, 3, padding="same"),
        pt.relu,
        nn.MaxPool2D(2),
        nn.Conv2D(8, 16, 3, padding="same"),
        pt.relu,
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dense(64, 10),
    )


MODELS = {"mlp": multilayer_perceptron, "cnn": convolutional}
OPTIMIZERS = {
    "adam": optim.adam,
    "rmsprop": optim.rmsprop,
    "momentum": optim.momentum,
    "sgd": optim.sgd,
}


def images(pixels: pt.Tensor) -> pt.Tensor:
    """Pixels of 0 to 16 as the networks take them: (count, 8, 8, 1), 0 to 1."""
    return pt.reshape(pixels.astype("float32") / 16, (-1, 8, 8, 1))


async def learn(model, pixels, labels, *, optimizer, batch_size, epochs, seed, watcher, control):
    """Train the model; `watcher` sees how it goes, `control` pauses and stops it."""
    dataset = pt.data.from_arrays(images(pixels), labels).shuffle(seed=seed)
    return await pt.train.fit(
        model,
        dataset.batch(batch_size, drop_remainder=True),
        loss="sparse_categorical_crossentropy",
        optimizer=optimizer,
        epochs=epochs,
        callbacks=[watcher, pt.train.TerminateOnNaN()],
        control=control,
        # Seconds: in a worker, longer turns than usual leave the page alive.
        turn=0.08,
    )


@pt.jit
def probabilities(model: nn.Module, pixels: pt.Tensor) -> pt.Tensor:
    """How likely each image shows each digit: (count, 10)."""
    return pt.softmax(model(images(pixels)))
