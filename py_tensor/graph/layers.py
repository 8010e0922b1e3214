"""Layers of a graph that make their own variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import ShapeError
from .initializers import Initializer, VarianceScalingInitializer, ZerosInitializer
from .symbols import SymbolicTensor, tensor_of

if TYPE_CHECKING:
    from .graph import Graph


class GraphLayers:
    """What `graph.layers` offers: layers that make their own variables.

    >>> import py_tensor as pt
    >>> g = pt.graph.Graph()
    >>> g.layers.dense("layer", g.placeholder("x", [3]), 4).shape
    (4,)
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def dense(
        self,
        name: str,
        x: SymbolicTensor,
        units: int,
        activation: Callable[[SymbolicTensor], SymbolicTensor] | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer | None = None,
    ) -> SymbolicTensor:
        """activation(x @ weights + bias) for a vector x, of shape (units,).

        The variables are named `name` + "-weights", of shape (length of x, units), and `name` +
        "-bias", of shape (units,). `activation` takes and gives a symbolic tensor. The initializers
        are VarianceScalingInitializer() and ZerosInitializer() where not given. Raises ShapeError
        for an x that is no vector.

        >>> import py_tensor as pt
        >>> g = pt.graph.Graph()
        >>> y = g.layers.dense("layer", g.placeholder("x", [3]), 4, g.relu)
        >>> y.shape, [node.name for node in g.get_nodes()][1:3]
        ((4,), ['layer-weights', 'MatMul'])
        """
        g = self._graph
        tensor_of("dense", g, x)
        if len(x.shape) != 1:
            raise ShapeError(f"dense: input is no vector; got {x!r}; reshape it to one axis")
        length = x.shape[0]
        kernel = (kernel_initializer or VarianceScalingInitializer()).initialize(
            (length, units), length, units
        )
        result = g.matmul(x, g.variable(f"{name}-weights", kernel))
        if use_bias:
            bias = (bias_initializer or ZerosInitializer()).initialize((units,), length, units)
            result = g.add(result, g.variable(f"{name}-bias", bias))
        return result if activation is None else activation(result)
