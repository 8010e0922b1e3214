"""Print every stage of a tensor's computation: graph, kernels, and their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..compiler.codegen.shader import Shader
from ..compiler.kernel import FusionLimits
from ..compiler.stages import Plan, make_plan
from ..compiler.target import Target
from ..compiler.textures.target import TextureTarget
from ..ir.node import OpGraph, OpInstance, Scalar, linearize, with_family
from ..runtime.executor import backend
from ..tensor import Tensor, node_behind

_COMMON = TextureTarget(largest=8192, draw_buffers=8, limits=FusionLimits())
"""Typical WebGL2 limits, used if no WebGL2 context is in use."""


def explain(*tensors: Tensor) -> str:
    """Describe the pending graph of the tensors, the kernels it compiles to, and their texts.

    Nothing is executed. The texts are shaders in GLSL, or, on the WebAssembly backend, modules in
    WebAssembly's text format.

    Args:
        tensors: Tensors whose pending work is described together.

    Returns:
        Text with one line per node and per kernel, the bytes of memory that the kernels write, and
        the source of each kernel.

    Raises:
        DisposedError: If a tensor has been disposed.

    >>> import py_tensor as pt
    >>> x = pt.ones((2, 2)) + 1
    >>> "kernel 0" in pt.explain(x)
    True
    """
    nodes = [node_behind("explain", tensor) for tensor in tensors]
    pending = [node for node in nodes if node.buffer is None]
    if not pending:
        return "graph\n  nothing pending: the values are there\n"
    return describe(linearize(with_family(pending)).graph())


def describe(graph: OpGraph) -> str:
    """Return a graph, its kernels and their sources as text."""
    target: Target = getattr(backend(), "device", _COMMON)
    plan = make_plan(graph, target)
    return "\n".join([*_graph_lines(graph), "", *_kernel_lines(plan, target)]) + "\n"


def _graph_lines(graph: OpGraph) -> list[str]:
    lines = ["graph"]
    for position, (call, edges) in enumerate(zip(graph.calls, graph.edges, strict=True)):
        mark = (
            " -> output"
            if position in graph.outputs
            else " (shared)"
            if position in graph.shared
            else ""
        )
        if type(call) is OpInstance:
            arg = "" if call.arg is None else f" {call.arg}"
            operands = ", ".join(f"%{at}" for at in edges)
            text = f"{call.op.name}({operands}){arg}: {call.spec}"
        elif type(call) is Scalar:
            text = repr(call)
        else:
            text = f"buffer {call}"
        lines.append(f"  %{position} = {text}{mark}")
    listings = (call.op.listing for call in graph.calls if type(call) is OpInstance)
    for listing in filter(None, dict.fromkeys(listings)):
        lines += ["", *listing.splitlines()]
    return lines


def _kernel_lines(plan: Plan, target: Target) -> list[str]:
    """Describe the first draw of each kernel; the kernels of a loop are drawn once per trip."""
    lines: list[str] = []
    lowered = plan.lowered
    times = Counter(draw.kernel for draw in plan.draws)
    draws = {draw.kernel: draw for draw in reversed(plan.draws)}
    kernels = [draws[kernel] for kernel in times]
    for number, draw in enumerate(kernels):
        results = ", ".join(
            f"slot {slot}: {lowered.spec(at)}"
            for slot, at in zip(draw.targets, draw.kernel.outputs, strict=True)
        )
        reads = ", ".join(
            f"slot {slot} ({mode})"
            for slot, mode in zip(draw.inputs, draw.shader.modes, strict=True)
        )
        often = f"; {times[draw.kernel]} iterations" if times[draw.kernel] > 1 else ""
        lines.append(
            f"kernel {number}: {draw.kernel.kind} {draw.shader.name} -> {results}; "
            f"reads {reads or 'nothing'}{often}"
        )
    results, temporaries = (
        sum(slot.nbytes for slot in slots) for slots in (plan.outputs, plan.temporaries)
    )
    temporaries += max([draw.shader.scratch for draw in plan.draws], default=0)
    lines.append(f"memory: {results} bytes of results, {temporaries} bytes of temporaries")
    for number, draw in enumerate(kernels):
        lines += ["", f"shader of kernel {number}", *_sizes(draw.shader)]
        lines.append(target.listing(draw.shader.source).rstrip())
    return lines


def _sizes(shader: Shader) -> Iterator[str]:
    """Yield the elements of uniform arrays that are sizes of this kernel."""
    for name, scalars, sizes in zip("FIU", shader.uniforms, shader.sizes, strict=True):
        if sizes:
            first = f" from {name}[{len(scalars)}] on" if scalars else ""
            yield f"sizes in {name}{first}: {', '.join([f'{size:g}' for size in sizes])}"
