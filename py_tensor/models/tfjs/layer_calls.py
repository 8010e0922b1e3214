"""Read the arguments with which layers are called, as Keras 2 and Keras 3 write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Reference(NamedTuple):
    """Result of a call of a layer."""

    layer: str
    call: int
    """Number of the call of this layer."""
    result: int


class CallArguments(NamedTuple):
    """Arguments of a call: nested lists with references in JSON."""

    positional: Any
    named: dict[str, Any]


def items(tree: Any) -> Iterator[Reference | float]:
    """Iterate over the references and numbers in the arguments of a call."""
    if isinstance(tree, dict):
        if tree.get("class_name") == "__keras_tensor__":
            name, call, result = tree["config"]["keras_history"]
            yield Reference(str(name), int(call), int(result))
            return
        for key in sorted(tree):
            yield from items(tree[key])
    elif isinstance(tree, (list, tuple)):
        if tree and tree[0] == "_CONSTANT_VALUE":
            tree = tree[2:3]
        elif _is_reference(tree):
            yield Reference(*tree[:3])
            return
        for item in tree:
            yield from items(item)
    elif type(tree) in (int, float):
        yield tree


def references(tree: Any) -> Iterator[Reference]:
    return (item for item in items(tree) if isinstance(item, Reference))


def is_constant(tree: Any) -> bool:
    """Return True for a constant argument, whose third element is the value."""
    return isinstance(tree, list) and tree[:1] == ["_CONSTANT_VALUE"] and len(tree) > 2


def _is_reference(tree: Sequence[Any]) -> bool:
    return (
        len(tree) in (3, 4)
        and isinstance(tree[0], str)
        and type(tree[1]) is int
        and type(tree[2]) is int
    )


def call_of(node: Any) -> CallArguments:
    """Return the arguments of one of the `inbound_nodes` of a layer."""
    if isinstance(node, dict) and "args" in node:
        named = dict(node.get("kwargs") or {})
        positional = node["args"]
        # A layer may be called with names only.
        if not positional and "inputs" in named:
            positional = [named.pop("inputs")]
        return CallArguments(positional, named)
    if isinstance(node, (list, tuple)) and node and (_is_reference(node) or is_constant(node)):
        node = [node]
    named = {}
    for item in node:
        if isinstance(item, (list, tuple)) and len(item) == 4 and isinstance(item[3], dict):
            named |= item[3]
    return CallArguments([item[:3] if isinstance(item, list) else item for item in node], named)


def resolved(named: Mapping[str, Any], value_of: Callable[[Reference], Any]) -> dict[str, Any]:
    """Replace the references in named arguments by values, several ones by a list."""
    values = {key: [value_of(ref) for ref in references(item)] for key, item in named.items()}
    return {
        key: item if not values[key] else values[key][0] if len(values[key]) == 1 else values[key]
        for key, item in named.items()
    }
