"""Sort the nodes of ONNX graphs, which files may store in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import ModelError
from .protobuf import Message


def in_order(nodes: Sequence[Message]) -> Sequence[Message]:
    """Return nodes such that each follows those whose results it reads.

    Nodes that are in order stay as they are. Raises ModelError if nodes read each other's results.
    """
    producers = {name: at for at, node in enumerate(nodes) for name in node.get("output", ())}
    producers.pop("", None)
    needs = [
        [producers[name] for name in dict.fromkeys(_reads(node)) if name in producers]
        for node in nodes
    ]
    if all(max(before, default=-1) < at for at, before in enumerate(needs)):
        return nodes
    order: list[Message] = []
    started, done = set[int](), set[int]()
    for root in range(len(nodes)):
        stack = [root]
        while stack:
            at = stack[-1]
            if at not in started:
                started.add(at)
                if any(need in started and need not in done for need in needs[at]):
                    names = ", ".join(nodes[at].get("output", ()))
                    raise ModelError(
                        "load: nodes form a cycle; got a node that needs its own results "
                        f'"{names:.80}" ({nodes[at].get("op_type", "")}); save the model again'
                    )
                stack += [need for need in needs[at] if need not in done][::-1]
                continue
            stack.pop()
            if at not in done:
                done.add(at)
                order.append(nodes[at])
    return order


def _reads(node: Message) -> Iterator[str]:
    """Yield the names of the values that a node and the graphs inside of it read from outside."""
    yield from node.get("input", ())
    for attribute in node.get("attribute", ()):
        if "g" in attribute:
            yield from _outer_reads(attribute["g"])


def _outer_reads(graph: Message) -> Iterator[str]:
    nodes = graph.get("node", ())
    own = {name for node in nodes for name in node.get("output", ())}
    for key in ("input", "initializer"):
        own.update(declared.get("name", "") for declared in graph.get(key, ()))
    for node in nodes:
        yield from (name for name in _reads(node) if name not in own)
    for result in graph.get("output", ()):
        if result.get("name", "") not in own:
            yield result.get("name", "")
