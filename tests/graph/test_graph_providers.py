"""Input providers: shuffled, in step, reproducible by seed; the session owns the copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import py_tensor as pt
from py_tensor.graph import (
    Graph,
    InCPUMemoryShuffledInputProviderBuilder,
    InGPUMemoryShuffledInputProviderBuilder,
    InputProvider,
    Session,
    SGDOptimizer,
)

BUILDERS = [InCPUMemoryShuffledInputProviderBuilder, InGPUMemoryShuffledInputProviderBuilder]
FIRST = np.arange(12, dtype="float32").reshape(6, 2)
SECOND = FIRST[:, 0] * 10

pytestmark = pytest.mark.parametrize("builder", BUILDERS)

math = pt.graph.math


def test_inputs_stay_in_step_through_epochs(builder: Any):
    built = builder([[pt.asarray(row) for row in FIRST], SECOND.tolist()], seed=4)
    first, second = built.get_input_providers()
    epochs = []
    for epoch in range(2):
        assert built.get_epoch() == epoch
        rows = []
        for _ in range(6):
            x, y = first.get_next_copy(math), second.get_next_copy(math)
            assert (x.shape, y.shape) == ((2,), ())
            assert x.numpy()[0] * 10 == y.item()
            rows.append(int(x.numpy()[0]))
            first.dispose_copy(math, x)
            assert x.is_disposed
        assert sorted(rows) == [0, 2, 4, 6, 8, 10]
        epochs.append(rows)
    assert epochs[0] == epochs[1] != sorted(epochs[0])


def test_the_seed_determines_the_order(builder: Any):
    def order(seed: int | None) -> list[float]:
        [provider] = builder([SECOND], seed=seed).get_input_providers()
        return provider.get_next_batch(math, 6).tolist()

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(8)}) > 4
    assert sorted(order(None)) == SECOND.tolist()


def test_batches_are_the_next_examples(builder: Any):
    one, other = (builder([FIRST], seed=2).get_input_provider(0) for _ in range(2))
    singles = [one.get_next_copy(math).tolist() for _ in range(8)]
    assert other.get_next_batch(math, 5).tolist() == singles[:5]
    assert other.get_next_batch(math, 3).tolist() == singles[5:]


def test_inputs_of_every_kind(builder: Any):
    """Pass tensors computed on the device, arrays, nested lists, and one array of all examples."""
    computed = [pt.asarray(row) + 0.0 for row in FIRST]
    for inputs in (computed, list(FIRST), FIRST.tolist(), FIRST, pt.asarray(FIRST)):
        [provider] = builder([inputs], seed=0).get_input_providers()
        assert isinstance(provider, InputProvider)
        batch = provider.get_next_batch(math, 6)
        assert batch.dtype is pt.float32
        assert sorted(batch.tolist()) == FIRST.tolist()
    [provider] = builder([FIRST.astype("float16")], seed=0).get_input_providers()
    assert sorted(provider.get_next_batch(math, 6).tolist()) == FIRST.tolist()


def test_examples_are_copies_of_the_input(builder: Any):
    given = [pt.asarray(row) for row in FIRST]
    [provider] = builder([given], seed=0).get_input_providers()
    pt.dispose(given)
    assert sorted(provider.get_next_batch(math, 6).tolist()) == FIRST.tolist()
    with pt.tidy():
        [provider] = builder([pt.asarray(FIRST)], seed=0).get_input_providers()
    assert sorted(provider.get_next_batch(math, 6).tolist()) == FIRST.tolist()


def test_an_epoch_ends_after_every_input(builder: Any):
    built = builder([FIRST, SECOND])
    first, second = built.get_input_providers()
    first.get_next_batch(math, 7)
    assert built.get_epoch() == 0
    second.get_next_batch(math, 6)
    assert built.get_epoch() == 1


def test_providers_feed_evaluations(builder: Any):
    graph = Graph()
    x = graph.placeholder("x", [2])
    [provider] = builder([FIRST], seed=0).get_input_providers()
    session = Session(graph)
    y = graph.reduce_sum(x)
    found = sorted(session.eval(y, [(x, provider)]).item() for _ in range(6))
    assert found == FIRST.sum(1).tolist()


def test_training_uses_all_examples(builder: Any):
    graph = Graph()
    x, w = graph.placeholder("x", [2]), graph.variable("w", [0.0, 0.0])
    [provider] = builder([FIRST], seed=0).get_input_providers()
    session, cost = Session(graph), graph.reduce_sum(graph.multiply(w, x))
    for _ in range(2):
        session.train(cost, [(x, provider)], 3, SGDOptimizer(3.0))
    assert w.node.data.tolist() == (-FIRST.sum(0)).tolist()
