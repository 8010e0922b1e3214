"""Time NumPy on one thread for benchmarks/wasm_node.mjs.

usage: python benchmarks/native/processor.py <input.json   (as wasm_node.mjs writes it)
"""

import json
import os
import statistics
import sys
from time import perf_counter

# Read when NumPy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import in_numpy
import numpy as np

WARM_UP = 0.3


def layer_norm(x, scale, shift, epsilon):
    def run():
        centered = x - x.mean(axis=-1, keepdims=True)
        variance = (centered * centered).mean(axis=-1, keepdims=True)
        return centered / np.sqrt(variance + np.float32(epsilon)) * scale + shift

    return run


def max_pool2d(x, window, stride):
    """Return the maximum of windows that do not overlap."""
    assert window == stride
    n, height, width, channels = x.shape
    shape = (n, height // window, window, width // window, window, channels)
    return lambda: x.reshape(shape).max(axis=(2, 4))


def add_chain(a, b, length):
    def run():
        x = a
        for _ in range(length):
            x = x + b
        return x

    return run


def laplacian(z):
    rows = np.roll(z, 1, 0) + np.roll(z, -1, 0)
    return rows + np.roll(z, 1, 1) + np.roll(z, -1, 1) - 4 * z


def gray_scott(first, second, steps):
    def run():
        u, v = first, second
        for _ in range(steps):
            r = u * v * v
            fed = 0.16 * laplacian(u) - r + 0.035 * (1 - u)
            u, v = u + fed, v + 0.08 * laplacian(v) + r - 0.1 * v
        return u + v

    return run


def train_mlp(images, labels, *weights, rate):
    return in_numpy.mlp_step(images, labels, list(weights))


WORKLOADS = {
    "matmul": in_numpy.matmul,
    "batched_matmul": in_numpy.matmul,
    "elementwise_chain": in_numpy.chain,
    "exp": lambda x: lambda: np.exp(x),
    "softmax": in_numpy.softmax,
    "sum": lambda x, axis: lambda: x.sum(axis=axis),
    "transpose": lambda x: lambda: np.ascontiguousarray(x.T),
    "layer_norm": layer_norm,
    "cumulative_sum": lambda x: lambda: x.cumsum(axis=-1),
    "sort": lambda x: lambda: np.sort(x),
    "gather": lambda table, indices: lambda: table[indices],
    "max_pool2d": max_pool2d,
    "eager_add": in_numpy.eager_add,
    "add_chain_jit": add_chain,
    "gray_scott": gray_scott,
    "train_mlp": train_mlp,
}


def arrays(inputs, rng):
    for spec in inputs:
        if "below" in spec:
            yield rng.integers(0, spec["below"], spec["shape"]).astype("int32")
        else:
            scale = spec.get("scale", 1)
            yield rng.uniform(-scale, scale, spec["shape"]).astype("float32")


def seconds(step, count):
    start = perf_counter()
    for _ in range(count):
        step()
    return perf_counter() - start


def measured(step, rounds, milliseconds):
    """Return the times of a step as the benchmark's JavaScript describes them."""
    first = seconds(step, 1)
    spent, count = 0.0, 1
    while spent < WARM_UP:
        took = seconds(step, count)
        spent, count = spent + took, 2 * count
    repetitions = max(3, round(milliseconds / 1e3 / (took / (count / 2))))
    times = [seconds(step, repetitions) / repetitions * 1e3 for _ in range(rounds)]
    return {
        "first": first * 1e3,
        "median": statistics.median(times),
        "minimum": min(times),
        "repetitions": repetitions,
    }


def main():
    task = json.load(sys.stdin)
    results = {}
    for workload in task["workloads"]:
        make = WORKLOADS.get(workload["operation"])
        if make:
            inputs = arrays(workload["inputs"], np.random.default_rng(7))
            step = make(*inputs, **workload.get("options", {}))
            results[workload["name"]] = measured(step, task["rounds"], task["milliseconds"])
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
