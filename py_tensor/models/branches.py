"""Weights of graphs inside of nodes: branches, bodies of loops, and functions.

Input: a graph. Output: the same graph, whose own constants are also the weights that only graphs
inside of its nodes read, so that they are stored, trained and saved like all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .graph import ModelConstant, ModelGraph, ModelNode


def with_inner_weights(graph: ModelGraph) -> ModelGraph:
    """Move the floating constants of graphs inside of nodes to the graph around them."""
    if not any(map(_bodies, graph.nodes)):
        return graph
    lift = _Lift(graph)
    nodes = tuple(map(lift.node, graph.nodes))
    return graph._replace(nodes=nodes, constants=lift.constants)


def _bodies(node: ModelNode) -> dict[str, ModelGraph]:
    return {key: value for key, value in node.attributes.items() if isinstance(value, ModelGraph)}


def _names(graph: ModelGraph) -> Iterator[str]:
    """Yield the names that a graph, without those inside of its nodes, gives to values."""
    yield from graph.constants
    yield from (info.name for info in graph.inputs)
    for node in graph.nodes:
        yield from node.outputs


def _all_names(graph: ModelGraph) -> Iterator[str]:
    yield from _names(graph)
    for node in graph.nodes:
        for body in _bodies(node).values():
            yield from _all_names(body)


class _Lift:
    """The constants of the outermost graph, to which those of inner graphs are added."""

    def __init__(self, graph: ModelGraph) -> None:
        self.constants = dict(graph.constants)
        self._known: dict[int, str] = {}
        """Names of the moved constants by identity: several graphs may have the same constant."""
        self._taken = {*_all_names(graph)}
        self._outermost = {*_names(graph)}

    def node(self, node: ModelNode) -> ModelNode:
        """Return a node whose graphs have no weights of their own."""
        bodies = _bodies(node)
        if not bodies:
            return node
        moved = {key: self._body(body, node.name) for key, body in bodies.items()}
        return node._replace(attributes={**node.attributes, **moved})

    def _body(self, body: ModelGraph, owner: str) -> ModelGraph:
        own = {*_names(body)}
        renamed: dict[str, str] = {}
        kept: dict[str, ModelConstant] = {}
        for name, constant in body.constants.items():
            if constant.dtype.kind != "f" or not constant.size:
                kept[name] = constant
                continue
            key = self._key(constant, name, owner)
            if key in own - {name}:
                kept[name] = constant
            else:
                renamed[name] = key
        inner = body._replace(nodes=tuple(map(self.node, body.nodes)), constants=kept)
        return _with_names(inner, {name: key for name, key in renamed.items() if name != key})

    def _key(self, constant: ModelConstant, name: str, owner: str) -> str:
        """Return the name of a constant in the outermost graph, to which it is added."""
        if id(constant) not in self._known:
            key = name
            while key in self._outermost or (key != name and key in self._taken):
                key = f"{owner}/{key}"
            self._outermost.add(key)
            self._known[id(constant)] = key
            self.constants[key] = constant
        return self._known[id(constant)]


def _with_names(graph: ModelGraph, renamed: dict[str, str]) -> ModelGraph:
    """Return a graph that reads values by other names."""
    if not renamed:
        return graph
    nodes = []
    for node in graph.nodes:
        attributes: dict[str, Any] = dict(node.attributes)
        for key, body in _bodies(node).items():
            own = {*_names(body)}
            outer = {name: new for name, new in renamed.items() if name not in own}
            attributes[key] = _with_names(body, outer)
        inputs = tuple(renamed.get(name, name) for name in node.inputs)
        nodes.append(node._replace(inputs=inputs, attributes=attributes))
    outputs = tuple(info._replace(name=renamed.get(info.name, info.name)) for info in graph.outputs)
    return graph._replace(nodes=tuple(nodes), outputs=outputs)
