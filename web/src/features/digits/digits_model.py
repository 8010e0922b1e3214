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


async def learn(
    model,
    pixels,
    labels,
    *,
    optimizer,
    batch_size,
    epochs,
    seed,
    callbacks,
    first_epoch=0,
    processes=1,
    process=0,
    **options,
):
    """Train the model, in a job of several processes on a part of each batch.

    Batches of an epoch do not depend on whether the training began with it or was continued.
    `options` are options of `pt.train.fit`.
    """
    dataset = pt.data.from_arrays(images(pixels), labels)
    dataset = dataset.shuffle(seed=seed, iteration=first_epoch).shard(processes, process)
    return await pt.train.fit(
        model,
        dataset.batch(batch_size // processes, drop_remainder=True),
        loss="sparse_categorical_crossentropy_of_logits",
        optimizer=optimizer,
        epochs=epochs - first_epoch,
        callbacks=[*callbacks, pt.train.TerminateOnNaN()],
        # Seconds between yields. In a worker this can be longer: the page stays responsive.
        yield_every=0.08,
        **options,
    )


@pt.jit
def probabilities(model: nn.Module, pixels: pt.Tensor) -> pt.Tensor:
    """Probability of each digit for each image: (count, 10)."""
    return pt.softmax(model(images(pixels)))
