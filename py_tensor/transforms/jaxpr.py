"""Define `make_jaxpr`: show the graph of a function in JAX's notation.

Input: a function and its arguments. Output: a `Jaxpr`, whose text lists the operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

from ..functions.arguments import function_of
from ..ir.node import AGE, OpInstance, OpNode, TensorSpec, tensor_spec
from ..ir.pytree import tree_flatten, tree_map
from ..tensor import Tensor, as_tensor
from .autodiff.api import argnums_of
from .jit.precompile import ShapeDtype
from .subgraph import tracer, tracing

__all__ = ["make_jaxpr"]


class Equation(NamedTuple):
    """One operation of a `Jaxpr`, with the names of its operands and of its result."""

    outvar: str
    primitive: str
    params: str
    invars: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.outvar} = {self.primitive}{self.params} {' '.join(self.invars)}".rstrip()


class Jaxpr(NamedTuple):
    """Graph of a function; `str` shows it in JAX's notation."""

    constvars: tuple[str, ...]
    invars: tuple[str, ...]
    eqns: tuple[Equation, ...]
    outvars: tuple[str, ...]
    consts: tuple[Any, ...] = ()
    out_tree: Any = None

    @property
    def jaxpr(self) -> Jaxpr:
        """This object: constants belong to it."""
        return self

    def __str__(self) -> str:
        lines = "".join(f"\n    {equation}" for equation in self.eqns)
        results = f"({', '.join(self.outvars)}{',' if len(self.outvars) == 1 else ''})"
        head = f"{{ lambda {' '.join(self.constvars)} ; {' '.join(self.invars)}. let"
        return f"{head.replace('  ', ' ')}{lines}\n  in {results} }}"

    def __repr__(self) -> str:
        return str(self)


def make_jaxpr(
    fun: Callable[..., Any], static_argnums: int | Sequence[int] = (), return_shape: bool = False
) -> Callable[..., Any]:
    """Make a function that returns the graph of `fun` in JAX's notation.

    The operations are those of py_tensor, before they are fused. `pt.explain` shows also what
    becomes of them.

    Args:
        fun: Function of tensors, numbers or trees of these.
        static_argnums: Position or positions of arguments that are passed on unchanged.
        return_shape: If True, (graph, shapes of the results) is returned; False by default.

    Returns:
        Function of the same arguments that returns a `Jaxpr`, to print.

    Raises:
        TraceError: When called, if `fun` reads the value of an argument.

    >>> import py_tensor as pt
    >>> pt.make_jaxpr(lambda x, y: pt.sum(x * pt.sin(y)))(pt.ones(3), 2.0)
    { lambda ; a:f32[3] b:f32[]. let
        c:f32[] = sin b
        d:f32[3] = multiply a c
        e:f32[1] = sum[(0,)] d
        f:f32[] = reshape[()] e
      in (f,) }
    """
    function_of("make_jaxpr", "fun", fun)
    static = argnums_of("make_jaxpr", static_argnums)[0]

    def traced(*args: Any, **kwargs: Any) -> Any:
        fixed = [at % len(args) for at in static]
        with tracing("make_jaxpr"):
            inputs: list[Tensor] = []

            def replaced(leaf: object) -> Tensor:
                described = leaf if isinstance(leaf, ShapeDtype) else as_tensor("make_jaxpr", leaf)
                inputs.append(tracer(tensor_spec(described.shape, described.dtype)))
                return inputs[-1]

            new = [arg if at in fixed else tree_map(replaced, arg) for at, arg in enumerate(args)]
            leaves, structure = tree_flatten(fun(*new, **tree_map(replaced, kwargs)))
            results = [as_tensor("make_jaxpr", leaf)._node for leaf in leaves]
            graph = _written([part._node for part in inputs], results)._replace(out_tree=structure)
            shapes = [ShapeDtype(node.spec.shape, node.spec.dtype) for node in results]
        graph = graph._replace(consts=tuple(map(Tensor, graph.consts)))
        return (graph, structure.unflatten(shapes)) if return_shape else graph

    return traced


def _written(inputs: list[OpNode], results: list[OpNode]) -> Jaxpr:
    order = _by_age(results)
    names: dict[int, str] = {}

    def named(node: OpNode) -> str:
        names[id(node)] = _letters(len(names))
        return f"{names[id(node)]}:{_typed(node.spec)}"

    constants = [node for node in order if node.call is None and node.buffer is not None]
    constants = [node for node in constants if node not in inputs]
    constvars = tuple(map(named, constants))
    invars = tuple(map(named, inputs))
    equations = []
    for node in order:
        if node.call is not None:
            operands = tuple(_operand(src, names) for src in node.srcs)
            params = _params(node.call)
            equations.append(Equation(named(node), node.call.op.name, params, operands))
    outvars = tuple(_operand(node, names) for node in results)
    return Jaxpr(constvars, invars, tuple(equations), outvars, tuple(constants))


def _by_age(results: Iterable[OpNode]) -> list[OpNode]:
    """Return the nodes on which the results depend, oldest first."""
    order: dict[int, OpNode] = {}
    stack = [*results]
    while stack:
        node = stack.pop()
        if id(node) not in order:
            order[id(node)] = node
            stack += node.srcs
    return sorted(order.values(), key=AGE)


def _letters(number: int) -> str:
    """Return the names a, b, ..., z, aa, ab, ..."""
    first, last = divmod(number, len(ascii_lowercase))
    return (_letters(first - 1) if first else "") + ascii_lowercase[last]


def _typed(spec: TensorSpec) -> str:
    kind = spec.dtype.kind
    short = f"{kind}{8 * spec.dtype.itemsize}" if kind in "fiuc" else "bool"
    return f"{short}[{','.join(map(str, spec.shape))}]"


def _operand(node: OpNode, names: dict[int, str]) -> str:
    return names[id(node)] if id(node) in names else f"{node.value}:{_typed(node.spec)}"


def _params(call: OpInstance) -> str:
    return "" if call.arg is None else f"[{call.arg}]"
