"""Plans of hand-written kernels for the WebAssembly backend, which need no compiler."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from py_tensor.compiler.memory_plan import KeptNode
from py_tensor.dtypes import float32
from py_tensor.ir.node import SCALARS, OpGraph, TensorSpec, tensor_spec

EACH = """
.func:kernel A:i32 S:i32 ->
.local:x:i32 .local:y:i32 .local:end:i32
S A i32.load i32.add i32.load .set:x
S A i32.load:4 i32.add i32.load .set:y
x i32.const:{nbytes} i32.add .set:end
.loop:next
y x v128.load {words} v128.store
y i32.const:16 i32.add .set:y
x i32.const:16 i32.add .tee:x end i32.lt_u .br_if:next
.end
"""
"""A kernel that computes each four elements by themselves."""
SCALAR = "S A i32.load:8 i32.add f32.load f32x4.splat"
"""The first scalar of a kernel with one input and one output."""


class Shader(NamedTuple):
    name: str
    source: str
    modes: tuple[str, ...] = ("same",)


class Draw(NamedTuple):
    shader: Shader
    inputs: tuple[int, ...]
    targets: tuple[int, ...]
    uniforms: tuple[tuple[int, ...], ...] = ((), (), ())
    scratch: int = 0


class Plan(NamedTuple):
    draws: tuple[Draw, ...]
    lowered: Any
    leaves: int
    outputs: tuple[int, ...]
    specs: tuple[TensorSpec, ...]
    temporaries: tuple[int, ...]
    keep: tuple[KeptNode, ...]
    implicit_uniforms: tuple[float, ...]

    def words(self, table_index_of: Any) -> list[int]:
        first = self.leaves + len(self.outputs) + len(self.temporaries)
        scalars = sum(call in SCALARS.values() for call in self.lowered.graph.calls)
        scratch = first + scalars + len(self.implicit_uniforms)
        words: list[int] = []
        for draw in self.draws:
            numbers = [first + at for numbers in draw.uniforms for at in numbers]
            slots = [*draw.inputs, *draw.targets, *numbers, *[scratch] * bool(draw.scratch)]
            words += [table_index_of(draw.shader), len(slots), *[4 * slot for slot in slots]]
        return words


def kernel(name: str, words: str, nbytes: int = 64) -> Shader:
    """Return a kernel that makes four elements of those on the stack."""
    return Shader(name, EACH.format(words=words, nbytes=nbytes))


def padded(nbytes: int) -> int:
    return -(-nbytes // 16) * 16


def plan_of(
    draws: list[Draw],
    leaves: int = 1,
    outputs: int = 1,
    temporaries: int = 0,
    scalars: int = 0,
    size: int = 16,
    implicit: tuple[float, ...] = (),
    kept_leaves: tuple[int, ...] = (),
) -> Plan:
    """Return a plan whose values are all vectors of float32."""
    spec = tensor_spec((size,), float32)
    graph = OpGraph((*[spec] * leaves, *[SCALARS[float32]] * scalars), (), (), ())
    keep = [KeptNode(n, False, n) for n in range(outputs)]
    keep += [KeptNode(outputs + n, True, leaf) for n, leaf in enumerate(kept_leaves)]
    return Plan(
        tuple(draws),
        SimpleNamespace(graph=graph),
        leaves,
        (padded(spec.nbytes),) * outputs,
        (spec,) * outputs,
        (padded(spec.nbytes),) * temporaries,
        tuple(keep),
        implicit,
    )


class Compiler:
    """A compiler whose graphs are plans already."""

    def target(self, has_fma: bool) -> bool:
        return has_fma

    def make_plan(self, graph: Any, target: bool, begin: Any) -> Plan:
        for draw in graph.draws:
            begin(draw.shader)
        return graph  # type: ignore[no-any-return]
