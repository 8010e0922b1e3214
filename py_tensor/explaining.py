"""Every stage of a tensor's computation as text: graph, kernels, shaders."""

from __future__ import annotations

from collections import Counter

from .nodes import Call, Graph, Scalar, linearise
from .plan import Device, Plan, make_plan
from .runtime import backend
from .schedule.fuse import Limits
from .tensor import Tensor, node_behind

_COMMON = Device(largest=8192, draw_buffers=8, limits=Limits())
"""What explains a graph where no WebGL2 context is in use: a common one."""


def explain(*tensors: Tensor) -> str:
    """The pending graph of the tensors, the kernels it would run as, and their shaders.

    Runs nothing. Raises DisposedError for tensors that have ended.

    >>> import py_tensor as pt
    >>> x = pt.ones((2, 2)) + 1
    >>> "kernel 0" in pt.explain(x)
    True
    """
    nodes = [node_behind("explain", tensor) for tensor in tensors]
    pending = [node for node in nodes if node.buffer is None]
    if not pending:
        return "graph\n  nothing pending: the values are there\n"
    return describe(linearise(pending).graph())


def describe(graph: Graph) -> str:
    """A graph, its kernels and their shaders as text."""
    plan = make_plan(graph, getattr(backend(), "device", _COMMON))
    return "\n".join([*_graph_lines(graph), "", *_kernel_lines(plan)]) + "\n"


def _graph_lines(graph: Graph) -> list[str]:
    lines = ["graph"]
    for position, (call, edges) in enumerate(zip(graph.calls, graph.edges, strict=True)):
        mark = (
            " -> output"
            if position in graph.outputs
            else " (shared)"
            if position in graph.shared
            else ""
        )
        if type(call) is Call:
            given = "" if call.arg is None else f" {call.arg}"
            operands = ", ".join(f"%{at}" for at in edges)
            text = f"{call.row.name}({operands}){given}: {call.spec}"
        elif type(call) is Scalar:
            text = repr(call)
        else:
            text = f"buffer {call}"
        lines.append(f"  %{position} = {text}{mark}")
    return lines


def _kernel_lines(plan: Plan) -> list[str]:
    """Each kernel as it is drawn first; a loop's are drawn as often as it has turns."""
    lines: list[str] = []
    program = plan.program
    times = Counter(draw.kernel for draw in plan.draws)
    draws = {draw.kernel: draw for draw in reversed(plan.draws)}
    kernels = [draws[kernel] for kernel in times]
    for number, draw in enumerate(kernels):
        spec = program.spec(draw.kernel.output)
        reads = ", ".join(
            f"slot {slot} ({mode})"
            for slot, mode in zip(draw.inputs, draw.shader.modes, strict=True)
        )
        often = f"; {times[draw.kernel]} turns" if times[draw.kernel] > 1 else ""
        lines.append(
            f"kernel {number}: {draw.kernel.kind} {draw.shader.name} -> slot {draw.target}: "
            f"{spec}; reads {reads or 'nothing'}{often}"
        )
    for number, draw in enumerate(kernels):
        lines += ["", f"shader of kernel {number}", draw.shader.source.rstrip()]
    return lines
