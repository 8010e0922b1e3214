"""Turn control flow between nodes into nodes with graphs.

Input: definitions of nodes. Output: definitions in which loops are one "While" and conditions are
"If". TensorFlow's older control flow has no bodies: Enter, Merge, Switch, NextIteration and Exit
connect the nodes of a loop, which share a frame; outside of that, Switch and Merge are a condition.
Source: "Implementation of Control Flow in TensorFlow", 2017, and
https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/graph/control_flow.cc
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .attributes import malformed

DEPTH = 30
CONDITIONS = 64
"""Maximum depth of loops in loops, and maximum number of conditions around a node."""


class Region(NamedTuple):
    """Nodes inside of a loop or of a branch, as the body of a node."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    producers: dict[str, Definition]
    """Nodes that the outputs may need, by the names of their values; values of other nodes belong
    to the graph around it. Regions of one condition share this dict."""


class Definition:
    """A node of the file, or a node that stands for several."""

    def __init__(
        self,
        name: str,
        operator: str,
        inputs: Iterable[str],
        *,
        controls: Iterable[str] = (),
        attributes: dict[str, Any] | None = None,
        outputs: tuple[str, ...] | None = None,
    ) -> None:
        self.name, self.operator = name, operator
        self.inputs = list(inputs)
        """Values: "node" is the first result of a node, and "node:1" the second."""
        self.controls = list(controls)
        """Nodes that run before, without values."""
        self.attributes = attributes or {}
        """Undecoded attributes, and regions."""
        self.outputs = outputs
        """Names of the results, if they differ from the names that the node gives."""
        self._captured: tuple[int, list[str]] = (-1, [])

    def needs(self, substitutes: dict[str, str]) -> list[str]:
        """Return the values that the node and its regions need from the graph around it."""
        values = [resolved(name, substitutes) for name in self.inputs]
        regions = [
            attribute for attribute in self.attributes.values() if isinstance(attribute, Region)
        ]
        if regions and self._captured[0] != len(substitutes):
            names = [name for region in regions for name in captured(region, substitutes)]
            self._captured = len(substitutes), names
        return values + self._captured[1]


def node_of(value: str) -> str:
    """Return the name of the node that computes a value."""
    return value.split(":")[0]


def resolved(value: str, substitutes: dict[str, str]) -> str:
    """Return the value that replaces another one."""
    for _ in range(len(substitutes) + 1):
        if value not in substitutes:
            return value
        value = substitutes[value]
    raise malformed("nodes form a cycle", f'value "{value}"')


def captured(region: Region, substitutes: dict[str, str]) -> list[str]:
    """Return the values that a region needs from the graph around it."""
    own, values = {*region.inputs}, []
    for definition in ordered(region.producers, region.outputs, substitutes, own):
        values += definition.needs(substitutes)
    values += [resolved(name, substitutes) for name in region.outputs]
    return [
        name
        for name in dict.fromkeys(values)
        if name not in own and node_of(name) not in region.producers
    ]


def producers_of(definitions: dict[str, Definition]) -> dict[str, Definition]:
    """Return the definition of the node that computes each value, by the name of the value."""
    producers = {}
    for definition in definitions.values():
        for name in (definition.name, *(definition.outputs or ())):
            producers[name] = definition
    producers.pop("", None)
    return producers


def ordered(
    producers: dict[str, Definition],
    wanted: Iterable[str],
    substitutes: dict[str, str],
    known_values: Iterable[str] = (),
    *,
    loops: bool = False,
    controls: bool = False,
) -> list[Definition]:
    """Return the nodes that values need, each after those that it needs.

    `producers` are as `producers_of` returns them, and `given` are values that are known. With
    `loops`, results of NextIteration are ignored; with `controls`, nodes are also needed that only
    run before.
    """
    known = {*known_values}
    done: set[str] = set()
    active: set[str] = set()
    order: list[Definition] = []
    stack: list[tuple[str, bool]] = [(resolved(name, substitutes), False) for name in wanted][::-1]
    while stack:
        value, finished = stack.pop()
        definition = producers.get(node_of(value))
        if value in known or definition is None:
            continue
        name = definition.name
        if finished:
            active.discard(name)
            done.add(name)
            order.append(definition)
            continue
        if name in done:
            continue
        if name in active:
            raise malformed("nodes form a cycle", f'node "{name}" ({definition.operator})')
        active.add(name)
        stack.append((value, True))
        for need in definition.needs(substitutes) + (definition.controls if controls else []):
            source = producers.get(node_of(need))
            if source is None or source.name in done:
                continue
            if loops and source.operator in _NEXT and definition.operator in _MERGE:
                continue
            stack.append((need, False))
    return order


_ENTER, _EXIT = ("Enter", "RefEnter"), ("Exit", "RefExit")
_MERGE, _NEXT = ("Merge", "RefMerge"), ("NextIteration", "RefNextIteration")
_SWITCH = ("Switch", "RefSwitch")


def rewrite(definitions: dict[str, Definition], substitutes: dict[str, str]) -> None:
    """Replace the loops and conditions of a graph, and add to `substitutes`."""
    operators = {definition.operator for definition in definitions.values()}
    if operators.intersection(_ENTER):
        _loops(definitions, substitutes)
    if operators.intersection(_MERGE):
        _conditions(definitions, substitutes)


def _loops(definitions: dict[str, Definition], substitutes: dict[str, str]) -> None:
    frames, parents = _frames(definitions, substitutes)
    depths = {frame: _depth(frame, parents) for frame in parents}
    for frame in sorted(parents, key=lambda owner: -depths[owner]):
        members = {name: definitions[name] for name, owner in frames.items() if owner == frame}
        own = f"{frame}/loop"
        while own in definitions:
            own += "_"
        loop = _loop(own, frame, members, substitutes)
        for name in members:
            del definitions[name]
        definitions[own] = loop
        # The loop is a node of the frame around it.
        frames[own] = parents[frame]


def _frames(
    definitions: dict[str, Definition], substitutes: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the frame of each node, and the frame around each; "" is outside of all."""
    order = ordered(producers_of(definitions), definitions, substitutes, loops=True)
    parents: dict[str, str] = {}
    frames: dict[str, str] = {}
    for _ in range(DEPTH):
        before = {**parents}
        for definition in order:
            around = [frames.get(node_of(name), "") for name in definition.inputs]
            frame = next(filter(None, around), "")
            if definition.operator in _ENTER:
                own = str(definition.attributes.get("frame_name", ""))
                parents[own] = parents.get(own) or frame
                frame = own
            elif definition.operator in _EXIT:
                frame = parents.get(frame, "")
            frames[definition.name] = frame
        if parents == before:
            # The nodes that leave a frame belong to it.
            for definition in order:
                if definition.operator in _EXIT:
                    frames[definition.name] = frames[node_of(definition.inputs[0])]
            return frames, parents
    raise malformed("loops are nested too deeply", f"frames {', '.join(parents):.80}")


def _depth(frame: str, parents: dict[str, str]) -> int:
    for depth in range(DEPTH + 1):
        if not frame:
            return depth
        frame = parents[frame]
    raise malformed("loops are nested too deeply", f"frame {frame!r:.80}")


def _loop(
    own: str, frame: str, members: dict[str, Definition], substitutes: dict[str, str]
) -> Definition:
    """Return the node of a loop, whose nodes are members of one frame."""

    def only(definition: Definition, at: int) -> str:
        if len(definition.inputs) <= at:
            raise malformed(
                "node lacks inputs", f'node "{definition.name}" ({definition.operator})'
            )
        return definition.inputs[at]

    conditions = [member for member in members.values() if member.operator == "LoopCond"]
    if len(conditions) != 1:
        raise malformed("loop must have one condition", f"{len(conditions)} in frame {frame!r:.80}")
    [condition] = conditions
    # A variable of the loop: its first value, and that of the next iteration.
    variables: dict[str, tuple[str, str]] = {}
    entered = {member.name for member in members.values() if member.operator in _ENTER}
    for merge in members.values():
        if merge.operator in _MERGE:
            sources = {
                members[node_of(name)].operator: members[node_of(name)]
                for name in merge.inputs
                if node_of(name) in members
            }
            first = next((member for kind, member in sources.items() if kind in _ENTER), None)
            later = next((member for kind, member in sources.items() if kind in _NEXT), None)
            if first is not None and later is not None:
                variables[merge.name] = only(first, 0), only(later, 0)
                entered.discard(first.name)
    exits = dict.fromkeys(variables, "")
    for switch in members.values():
        if switch.operator in _SWITCH and node_of(only(switch, 1)) == condition.name:
            variable = node_of(only(switch, 0))
            if variable not in variables:
                raise malformed("variable of a loop has no first value", f'node "{switch.name}"')
            substitutes[f"{switch.name}:1"] = variable
            for leaving in members.values():
                if leaving.operator in _EXIT and only(leaving, 0) == switch.name:
                    if exits[variable]:
                        substitutes[leaving.name] = exits[variable]
                    exits[variable] = exits[variable] or leaving.name
    for name in entered:
        substitutes[name] = only(members[name], 0)
    control = {*_ENTER, *_EXIT, *_NEXT, "LoopCond"}
    inner = {
        name: member
        for name, member in members.items()
        if member.operator not in control and name not in variables
    }
    if any(member.operator in _MERGE for member in inner.values()):
        _conditions(inner, substitutes)
    inputs, producers = tuple(variables), producers_of(inner)
    return Definition(
        own,
        "While",
        [first for first, _ in variables.values()],
        attributes={
            "cond": Region(inputs, (only(condition, 0),), producers),
            "body": Region(inputs, tuple(later for _, later in variables.values()), producers),
        },
        outputs=tuple(exits.values()),
    )


type _Branch = tuple[str, int]
"""The value of a condition, and 1 for the branch that is taken if it is true."""


def _conditions(definitions: dict[str, Definition], substitutes: dict[str, str]) -> None:
    """Replace each Merge by a node with the graphs of both branches."""
    taken: dict[str, frozenset[_Branch]] = {}
    inside: dict[_Branch, dict[str, Definition]] = {}
    latest: dict[str, int] = {}
    order = ordered(producers_of(definitions), definitions, substitutes, controls=True)
    for definition in order:
        around: frozenset[_Branch] = frozenset()
        for name in [*definition.needs(substitutes), *definition.controls]:
            around |= _branches(name, taken, definitions)
        if len(around) > CONDITIONS:
            raise malformed("conditions are nested too deeply", f'node "{definition.name}"')
        switch = _is_switch(definition)
        if switch:
            latest[resolved(definition.inputs[1], substitutes)] = len(latest)
        if definition.operator in _MERGE and len(definition.inputs) == 2:
            first, second = (_branches(name, taken, definitions) for name in definition.inputs)
            predicate = _merge(definition, first, second, inside, latest, substitutes)
            around = frozenset(branch for branch in around if branch[0] != predicate)
        for name in (definition.name, *(definition.outputs or ())):
            taken[name] = around
            if not switch and definition.operator != "Const":
                for branch in around:
                    inside.setdefault(branch, {})[name] = definition
    for definition in [*definitions.values()]:
        if _is_switch(definition):
            substitutes[definition.name] = definition.inputs[0]
            substitutes[f"{definition.name}:1"] = definition.inputs[0]
            del definitions[definition.name]


def _is_switch(definition: Definition | None) -> bool:
    return definition is not None and definition.operator in _SWITCH and len(definition.inputs) == 2


def _branches(
    value: str, taken: dict[str, frozenset[_Branch]], definitions: dict[str, Definition]
) -> frozenset[_Branch]:
    """Return the branches in which a value is computed."""
    name, _, result = value.partition(":")
    branches = taken.get(name, frozenset())
    if _is_switch(definitions.get(name)):
        branches |= {(definitions[name].inputs[1], int(result == "1"))}
    return branches


def _merge(
    merge: Definition,
    first: frozenset[_Branch],
    second: frozenset[_Branch],
    inside: dict[_Branch, dict[str, Definition]],
    latest: dict[str, int],
    substitutes: dict[str, str],
) -> str:
    """Make a Merge the node of a condition, given the branches of its inputs, and return that."""
    both = [(name, at) for name, at in first if (name, 1 - at) in second]
    one = [(name, at) for name, at in first if (name, at) not in second]
    one += [(name, 1 - at) for name, at in second if (name, at) not in first]
    if not both and not one:
        raise malformed("node merges no branches", f'node "{merge.name}" (Merge)')
    predicate, at = max(
        both or one, key=lambda pair: latest.get(resolved(pair[0], substitutes), -1)
    )
    values = merge.inputs if at == 0 else merge.inputs[::-1]
    for branch, (key, value) in enumerate(zip(("else_branch", "then_branch"), values, strict=True)):
        merge.attributes[key] = Region((), (value,), inside.setdefault((predicate, branch), {}))
    merge.operator, merge.inputs, merge.controls = "If", [predicate], []
    merge.attributes.pop("N", None)
    return predicate
