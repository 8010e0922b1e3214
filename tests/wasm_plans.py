"""Plans of hand-written kernels for the WebAssembly backend, which need no compiler."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from py_tensor.compiler.buffers.storage import padded
from py_tensor.compiler.buffers.target import BufferSlot
from py_tensor.compiler.codegen.shader import Shader
from py_tensor.compiler.stages import Draw, KeptNode, Plan
from py_tensor.dtypes import float32
from py_tensor.ir.node import SCALARS, OpGraph, tensor_spec

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


def shader(name: str, source: str) -> Shader:
    """Return a kernel of a text."""
    return Shader(name, source, ((), (), ()), ((), (), ()), ("same",))


def kernel(name: str, words: str, nbytes: int = 64) -> Shader:
    """Return a kernel that makes four elements of those on the stack."""
    return shader(name, EACH.format(words=words, nbytes=nbytes))


def draw(
    shader: Shader,
    inputs: tuple[int, ...],
    targets: tuple[int, ...],
    uniforms: tuple[tuple[int, ...], ...] = ((), (), ()),
) -> Draw:
    """Return a call of a kernel. The runtime looks at no other part of the compiler's kernel."""
    compiled: Any = None
    return Draw(compiled, shader, targets, None, inputs, uniforms)


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
    lowered: Any = SimpleNamespace(graph=graph)
    slot = BufferSlot(padded(spec.nbytes))
    keep = [KeptNode(n, False, n) for n in range(outputs)]
    keep += [KeptNode(outputs + n, True, leaf) for n, leaf in enumerate(kept_leaves)]
    values = (slot,) * outputs, (spec,) * outputs, (slot,) * temporaries
    return Plan(lowered, tuple(draws), leaves, *values, tuple(keep), implicit)
