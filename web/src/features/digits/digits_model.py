"""Two small networks for handwritten digits, and their training."""

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
    """Scale pixels from 0..16 to 0..1 and add a channel axis: (count, 8, 8, 1)."""
    return pt.reshape(pixels.astype("float32") / 16, (-1, 8, 8, 1))


async def learn(model, pixels, labels, *, optimizer, batch_size, epochs, seed, watcher, control):
    """Train the model; `watcher` is a callback, `control` pauses and stops the training."""
    dataset = pt.data.from_arrays(images(pixels), labels).shuffle(seed=seed)
    return await pt.train.fit(
        model,
        dataset.batch(batch_size, drop_remainder=True),
        loss="sparse_categorical_crossentropy",
        optimizer=optimizer,
        epochs=epochs,
        callbacks=[watcher, pt.train.TerminateOnNaN()],
        control=control,
        # Seconds between yields. In a worker this can be longer: the page stays responsive.
        yield_every=0.08,
    )


@pt.jit
def probabilities(model: nn.Module, pixels: pt.Tensor) -> pt.Tensor:
    """Probability of each digit for each image: (count, 10)."""
    return pt.softmax(model(images(pixels)))
