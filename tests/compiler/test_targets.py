"""A target without tiles: all kernels store row-major values, and products have epilogues."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

import pytest
from plans import leaf, plan_of

import py_tensor as pt
from py_tensor.compiler.codegen.kernel_nodes import KernelNodes
from py_tensor.compiler.codegen.shader import Shader
from py_tensor.compiler.fusion.traits import TRAITS, TraitsTable
from py_tensor.compiler.kernel import FusionLimits
from py_tensor.compiler.target import Target
from py_tensor.ops.op_def import Contraction


def lower_contraction(lowered, call, srcs):
    """Keep a contraction, whose operands are stored."""
    lowered.materialized.update(lowered.view(src)[0] for src in srcs)
    return lowered.append(call, srcs)


class Bytes(NamedTuple):
    nbytes: int


class RowMajorTarget(Target):
    limits = FusionLimits()
    outputs = 1
    stores_operands = False
    lowerings = MappingProxyType({Contraction: lower_contraction})
    traits = TraitsTable({Contraction: TRAITS[Contraction]._replace(has_epilogue=True)})

    def writes_tiles(self, kind):
        return False

    def storage(self, lowered, schedule):
        return RowMajorStorage(lowered)


class RowMajorStorage:
    def __init__(self, lowered):
        self.lowered = lowered

    def slot(self, value):
        assert not value.tiled
        return Bytes(self.lowered.spec(value.node).nbytes)

    def write(self, kernel):
        nodes = KernelNodes(self.lowered, kernel)
        return Shader(nodes.name, str(nodes.key), ((), (), ()), ((), (), ()), ())


def row_major(*tensors):
    return plan_of(*tensors, device=RowMajorTarget())


def kernels(*tensors):
    draws = row_major(*tensors).draws
    assert not any(draw.kernel.tiles for draw in draws)
    return [f"{draw.kernel.kind} {draw.shader.name}" for draw in draws]


def matmul_with_bias():
    return pt.relu(leaf(5, 7) @ leaf(7, 9) + leaf(9))


def matmul_of_transposed():
    return leaf(7, 5).T @ leaf(7, 9)


def matmul_of_a_sum():
    return (leaf(5, 7) + leaf(5, 7)) @ leaf(7, 9)


def transposed_matmul():
    return (leaf(64, 64) @ leaf(64, 64)).T + leaf(64, 64)


def scan():
    return pt.cumulative_sum(leaf(100_000)) * 2.0


def long_sum():
    return pt.sum(leaf(1 << 20)) + 1.0


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (matmul_with_bias, ["contract dot+relu"]),
        (matmul_of_transposed, ["contract dot"]),
        (matmul_of_a_sum, ["map add", "contract dot"]),
        (transposed_matmul, ["contract dot", "map add"]),
        (scan, ["scan cumulative_sum", "map multiply"]),
        (long_sum, ["reduce sum+add"]),
    ],
)
def test_kernels_without_tiles(result, expected):
    assert kernels(result()) == expected


def test_a_contraction_that_is_kept_has_no_copy():
    product = leaf(5, 7) @ leaf(7, 9)
    names = kernels(product, product * 2.0, product.T + 1.0)
    assert names == ["contract dot", "map multiply", "map add"]


def test_temporaries_of_equal_size_share_a_slot():
    x = leaf(16, 16)
    for _ in range(4):
        x = x @ leaf(16, 16)
    plan = row_major(x)
    assert plan.outputs == (Bytes(1024),)
    assert plan.temporaries == (Bytes(1024),) * 2
