"""Train the demo's digits network outside of the page: on one device, on many, or on many hosts.

Usage: see `python examples/train_digits.py --help` and docs/outgrowing.md.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from time import perf_counter

import py_tensor as pt
from sklearn.datasets import load_digits

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "web" / "src" / "features" / "digits"))

import digits_data  # noqa: E402
import digits_model  # noqa: E402

BATCH_SIZE = 64
SECONDS = 10
"""Time without a sign of life after which the other hosts end, too."""
SPLIT = {"layers.1.weight": (None, "model"), "layers.1.bias": "model", "layers.3.weight": "model"}
"""Weights of the multilayer perceptron that `--split` divides: by neuron of the hidden layer."""


def images():
    """Return the images to train on, and those to test on, as the page has them."""
    digits = load_digits()
    rows = zip(digits.target.astype("uint8"), digits.data.astype("uint8"), strict=True)
    return digits_data.load(b"".join(bytes([label, *pixels]) for label, pixels in rows))


class EachEpoch(pt.train.Callback):
    """Print the losses of each epoch, and write the state of the training to a file."""

    def __init__(self, path, first_epoch, speaks):
        self.path = path
        self.epochs = first_epoch
        self.speaks = speaks

    def on_epoch_begin(self, epoch):
        self.started = perf_counter()

    def on_epoch_end(self, epoch, logs):
        self.epochs += 1
        speed = self.trainer.batches * BATCH_SIZE / (perf_counter() - self.started)
        if self.speaks:
            loss = f"loss {logs['loss']:.6f}, accuracy {logs['val_accuracy']:.4f}"
            print(f"epoch {self.epochs}: {loss}, {speed:,.0f} images a second", flush=True)
        if self.path is not None:
            state = {"epochs": self.epochs, **self.trainer.state.to_tree()}
            pt.io.save(state, self.path)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Train the network of the demo.")
    parser.add_argument("--backend", default="numpy", help="numpy (default) or jax")
    parser.add_argument("--model", default="mlp", choices=digits_model.MODELS)
    parser.add_argument("--epochs", type=int, default=5, help="5 by default")
    parser.add_argument("--checkpoint", type=Path, help="file to write, and to continue from")
    parser.add_argument("--hosts", type=int, default=1, help="number of processes of the job")
    parser.add_argument("--host", type=int, default=0, help="number of this process, from 0")
    parser.add_argument("--coordinator", help="address:port of process 0")
    parser.add_argument("--split", type=int, default=1, help="devices that share the weights")
    options = parser.parse_args(arguments)
    if options.hosts > 1:
        import jax

        jax.distributed.initialize(
            options.coordinator, options.hosts, options.host, heartbeat_timeout_seconds=SECONDS
        )
    pt.set_backend(options.backend)
    mesh = shardings = None
    if options.backend == "jax":
        import jax

        shape = (jax.device_count() // options.split, options.split)
        mesh = pt.sharding.mesh(shape, ("data", "model"))
        if options.split > 1:
            shardings = SPLIT
    return asyncio.run(train(options, mesh, shardings))


async def train(options, mesh, shardings):
    """Train from the start or from the checkpoint; return the history."""
    pt.random.seed(0)
    model = digits_model.MODELS[options.model]()
    optimizer = pt.optim.adam(1e-3)
    state = optimizer.init(model)
    done = 0
    if options.checkpoint is not None and options.checkpoint.exists():
        saved = pt.io.load(options.checkpoint, like={"epochs": 0, **state.to_tree()})
        state = state.with_tree(saved)
        model, done = state.params, saved["epochs"]
    training, testing = images()
    return await digits_model.learn(
        model,
        training.pixels,
        training.labels,
        optimizer=optimizer,
        batch_size=BATCH_SIZE,
        epochs=options.epochs,
        seed=0,
        callbacks=[EachEpoch(options.checkpoint, done, options.host == 0)],
        first_epoch=done,
        processes=options.hosts,
        process=options.host,
        state=state,
        metrics=["accuracy"],
        validation=(digits_model.images(testing.pixels), testing.labels),
        mesh=mesh,
        shardings=shardings,
    )


if __name__ == "__main__":
    main()
