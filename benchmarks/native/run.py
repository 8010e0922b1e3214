"""Compare py_tensor on NumPy and on JAX with plain NumPy, plain JAX and PyTorch.

usage: python benchmarks/native/run.py [--only NAME] [--rounds N] [--processor-time]

Every round runs each contestant once, in turn, for about a fifth of a second; the table has the
medians of the rounds, and the ratio of py_tensor on JAX to plain JAX as the median of their ratios
within rounds. `--processor-time` counts the time of all cores of the processor, which other
programs on the machine change less.
"""

import argparse
import statistics
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import in_jax
import in_numpy
import in_py_tensor
import jax

import py_tensor as pt

SECONDS = 0.2
CONTESTANTS = ("numpy", "py_tensor on numpy", "jax", "py_tensor on jax", "torch")
# Expansion, channels, repetitions, first stride: table 2 of arXiv:1801.04381.
TABLE = (
    *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
    *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
)


def mobilenet_inputs(rng, side=224):
    """Return the image, the weights and the blocks of MobileNetV2 1.0."""
    weights, blocks, channels = [], [], 32

    def layer(kernel, inputs, outputs):
        scale = (6 / (kernel * kernel * inputs)) ** 0.5
        weights.append(rng.uniform(-scale, scale, (kernel, kernel, inputs, outputs)))
        weights.append(rng.uniform(-0.1, 0.1, outputs))

    layer(3, 3, channels)
    for expansion, outputs, repetitions, first in TABLE:
        for number in range(repetitions):
            stride, wide = first if number == 0 else 1, channels * expansion
            if expansion > 1:
                layer(1, channels, wide)
            layer(3, 1, wide)
            layer(1, wide, outputs)
            residual = stride == 1 and channels == outputs
            blocks.append({"expand": expansion > 1, "stride": stride, "residual": residual})
            channels = outputs
    layer(1, channels, 1280)
    weights += [rng.uniform(-0.05, 0.05, (1280, 1000)), np.zeros(1000)]
    return rng.uniform(size=(1, side, side, 3)), weights, blocks


def workloads(rng):
    """Return (name, title, inputs, options) of each workload."""

    def weights(*shapes):
        return [rng.normal(size=s) * (2 / np.prod(s[:-1])) ** 0.5 for s in shapes]

    labels = rng.integers(0, 10, 128).astype("int32")
    dense = weights((784, 512), (512,), (512, 256), (256,), (256, 10), (10,))
    filters = weights((3, 3, 1, 16), (16,), (3, 3, 16, 32), (32,), (1568, 10), (10,))
    flat, images = rng.normal(size=(128, 784)), rng.normal(size=(128, 28, 28, 1))
    image, network, blocks = mobilenet_inputs(rng)
    large = rng.normal(size=(1024, 1024))
    return [
        ("matmul", "matmul, 1024 x 1024", (large, large.T.copy()), {}),
        ("chain", "8 elementwise operations, 4M", (rng.normal(size=(2048, 2048)),), {}),
        ("softmax", "softmax, 1024 x 1024", (large,), {}),
        ("mlp_step", "MLP step, 784-512-256-10, batch 128", (flat, labels, dense), {}),
        ("cnn_step", "CNN step, 28 x 28, batch 128", (images, labels, filters), {}),
        ("mobilenet", "MobileNetV2, 224 x 224", (image, network), {"blocks": blocks}),
        ("eager_add", "one eager add, 4 x 4", (np.ones((4, 4)), np.ones((4, 4))), {}),
    ]


def converted(inputs, convert):
    """Convert the arrays of nested lists to the arrays of a contestant."""
    if isinstance(inputs, (list, tuple)):
        return [converted(item, convert) for item in inputs]
    return convert(inputs if inputs.dtype.kind == "i" else inputs.astype("float32"))


class Contestant:
    """A workload of one library, ready to run."""

    def __init__(self, library, name, inputs, options):
        self.backend = library.partition(" on ")[2]
        if library == "numpy":
            module, convert, self.wait = in_numpy, np.asarray, lambda result: result
        elif library == "jax":
            module, convert, self.wait = in_jax, jax.numpy.asarray, jax.block_until_ready
        elif library == "torch":
            import in_torch as module
            import torch

            convert, self.wait = torch.from_numpy, lambda result: result
        else:
            module, convert, self.wait = in_py_tensor, pt.asarray, waited
        self.choose()
        made = getattr(module, name)
        made = made(**options) if options else made
        self.run = made(*converted(inputs, convert))

    def choose(self):
        if self.backend:
            pt.set_backend(self.backend)

    def repeat(self, count, clock):
        """Return seconds per repetition; results are waited for at the end."""
        self.choose()
        run = self.run
        start = clock()
        for _ in range(count):
            result = run()
        self.wait(result)
        return (clock() - start) / count


def waited(tensor):
    """Wait until a tensor is computed, without copying it."""
    pt.realize(tensor)
    handle = tensor._node.buffer.handle
    if handle is not None:
        jax.block_until_ready(handle)


def measured(name, inputs, options, rounds, clock):
    """Return the seconds of each contestant in every round."""
    contestants = {}
    for library in CONTESTANTS:
        missing = library == "torch" and find_spec("torch") is None
        if not missing and (library != "numpy" or hasattr(in_numpy, name)):
            contestants[library] = Contestant(library, name, inputs, options)
    counts = {}
    for library, contestant in contestants.items():
        contestant.repeat(2, clock)
        counts[library] = max(1, round(SECONDS / contestant.repeat(3, time.perf_counter)))
    times = {library: [] for library in contestants}
    for _ in range(rounds):
        for library, contestant in contestants.items():
            times[library].append(contestant.repeat(counts[library], clock))
    return times


def shown(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="part of a workload's name")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--processor-time", action="store_true", help="of all cores")
    options = parser.parse_args()
    clock = time.process_time if options.processor_time else time.perf_counter
    pt.env.host_elements = 0
    print("| workload |", " | ".join(CONTESTANTS), "| py_tensor on jax / jax |")
    print("|---" * (len(CONTESTANTS) + 2) + "|")
    for name, title, inputs, more in workloads(np.random.default_rng(7)):
        if options.only in name:
            times = measured(name, inputs, more, options.rounds, clock)
            cells = [
                shown(statistics.median(times[library])) if library in times else "-"
                for library in CONTESTANTS
            ]
            pairs = zip(times["py_tensor on jax"], times["jax"], strict=True)
            ratio = statistics.median(a / b for a, b in pairs)
            print(f"| {title} |", " | ".join(cells), f"| {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
