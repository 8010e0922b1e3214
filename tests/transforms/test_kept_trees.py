"""`jit` flattens a module once, and notices each change of it."""

from __future__ import annotations

import gc
from dataclasses import dataclass

import pytest
from helpers import assert_values

import py_tensor as pt
from py_tensor.transforms.jit import arguments

nn = pt.nn


@pytest.fixture
def opened(monkeypatch):
    """Count the containers that are opened."""
    count = [0]
    original = arguments.open_node

    def open_node(tree):
        count[0] += 1
        return original(tree)

    monkeypatch.setattr("py_tensor.transforms.jit.arguments.open_node", open_node)
    return count


def model():
    return nn.Sequential(nn.Dense(2, 3), pt.relu, nn.Dense(3, 1))


def test_the_third_call_opens_no_container(opened):
    net, x = model(), pt.ones((1, 2))
    call = pt.jit(lambda net, x: net(x))
    want = net(x).numpy()
    for _ in range(3):
        before = opened[0]
        assert_values(call(net, x), want)
    assert opened[0] == before


CHANGES = {
    "field": lambda net: setattr(net.layers[0], "weight", pt.zeros((2, 3))),
    "tensor in place": lambda net: net.layers[0].weight.__setitem__(..., 0.0),
    "layers": lambda net: setattr(net, "layers", net.layers[:1]),
    "no bias": lambda net: setattr(net.layers[2], "bias", None),
    "deleted": lambda net: delattr(net.layers[2], "bias"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_count(change):
    net, x = model(), pt.ones((1, 2))
    call = pt.jit(lambda net, x: net(x))
    for _ in range(3):
        call(net, x)
    CHANGES[change](net)
    if change == "deleted":
        with pytest.raises(AttributeError):
            call(net, x)
        return
    assert_values(call(net, x), net(x).numpy())


@dataclass
class Scales:
    """Dataclass whose assignments nothing notices."""

    first: pt.Tensor


class WithOthers(nn.Module):
    parts: list[pt.Tensor]
    scales: Scales

    def __init__(self):
        self.parts = [pt.asarray([1.0])]
        self.scales = Scales(pt.asarray([1.0]))

    def forward(self, x):
        return sum(self.parts) * self.scales.first * x


def test_parts_of_mutable_containers_are_read_again():
    net = WithOthers()
    call = pt.jit(lambda net, x: net(x))
    for _ in range(3):
        assert call(net, 2.0).tolist() == [2.0]
    net.parts.append(pt.asarray([2.0]))
    assert call(net, 2.0).tolist() == [6.0]
    net.scales.first = pt.asarray([10.0])
    assert call(net, 2.0).tolist() == [60.0]


def test_equal_modules_share_a_trace():
    call = pt.jit(lambda net, x: net(x))
    x = pt.ones((1, 2))
    for _ in range(3):
        net = model()
        for _ in range(3):
            call(net, x)
    misses = pt.cache_info().plan_misses
    assert call(model(), x).shape == (1, 1)
    assert pt.cache_info().plan_misses == misses


def test_a_kept_module_keeps_no_tensor():
    gc.collect()
    before = pt.memory().num_tensors
    net, x = model(), pt.ones((1, 2))
    call = pt.jit(lambda net, x: net(x))
    for _ in range(3):
        call(net, x)
    inside = pt.memory().num_tensors
    net.layers[0].weight = pt.zeros((2, 3))
    assert pt.memory().num_tensors == inside
    del net, x, call
    gc.collect()
    assert pt.memory().num_tensors == before


class ByValue(nn.Module):
    weight: pt.Tensor

    def __init__(self):
        self.weight = pt.asarray([2.0])

    def forward(self, x):
        return x * self.weight

    def __eq__(self, other):
        return True

    __hash__ = None


def test_modules_that_compare_by_value():
    net = ByValue()
    call = pt.jit(lambda net, x: net(x))
    for _ in range(3):
        assert call(net, 3.0).tolist() == [6.0]
