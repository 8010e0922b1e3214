"""Time of py_tensor's stages, from creating nodes to reading values."""

import json
from time import perf_counter

import py_tensor as pt
from py_tensor.ir.node import linearize
from py_tensor.runtime.executor import backend, runtime


def node_building():
    """Return microseconds of `a + b`, including dropping its node."""
    a, b = pt.zeros((64, 64)) + 1.0, pt.zeros((64, 64)) + 2.0
    pt.realize(a, b)
    total = 0.0
    for _ in range(25):
        start = perf_counter()
        for _ in range(800):
            a + b
        total += perf_counter() - start
        start = perf_counter()
        for _ in range(800):
            pass
        total -= perf_counter() - start
        pt.realize(a + b)
    return total / 20_000 * 1e6


def chain(passes, whole):
    """Return milliseconds per pass of 100 chained adds and a read of one or all elements."""
    a, b = pt.zeros((64, 64)) + 1.0, pt.zeros((64, 64)) + 0.5
    pt.realize(a, b)
    start = 0.0
    for number in range(passes + 1):
        if number == 1:
            start = perf_counter()
        x = a
        for _ in range(100):
            x = x + b
        assert (memoryview(x)[0, 0] if whole else x[0, 0].item()) == 51.0
    return (perf_counter() - start) / passes * 1e3


def stages(passes):
    """Return milliseconds per pass of each stage of the chain and a full read, as JSON."""
    engine = backend()
    a, b = pt.zeros((64, 64)) + 1.0, pt.zeros((64, 64)) + 0.5
    pt.realize(a, b)
    pt.realize()
    x = a
    for _ in range(100):
        x = x + b
    pt.realize(x)
    marks = [0.0] * 7
    target = bytearray(64 * 64 * 4)
    for _ in range(passes):
        # Resets the count of pending nodes, whose limit could split the chain.
        pt.realize()
        times = [perf_counter()]
        x = a
        for _ in range(100):
            x = x + b
        times.append(perf_counter())
        linear = linearize([x._node])
        times.append(perf_counter())
        key = (engine, linear.key)
        plan = runtime.plans.get(key)
        times.append(perf_counter())
        leaves = [node.buffer for node in linear.leaves]
        times.append(perf_counter())
        ((_, buffer),) = engine.run(plan, leaves, [node.value for node in linear.scalars])
        times.append(perf_counter())
        engine.bridge.read(buffer.handle, memoryview(target))
        times.append(perf_counter())
        del linear, x
        times.append(perf_counter())
        marks = [
            mark + after - before
            for mark, before, after in zip(marks, times[:-1], times[1:], strict=True)
        ]
    names = ("build nodes", "linearise", "look up key", "leaves", "run", "read", "drop nodes")
    return json.dumps({name: mark / passes * 1e3 for name, mark in zip(names, marks, strict=True)})
