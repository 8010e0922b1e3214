"""Find the weights of layers by their names.

Input: the weights that layers need, and the constants of a file. Output: the name of a constant for
each. Versions of Keras and TensorFlow.js name the kernel of a layer `dense/kernel`,
`model/dense/kernel:0`, `sequential/lstm/lstm_cell/kernel` or `layers/dense/vars/0`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from ...errors import ModelError
from ..graph import ModelConstant

_MAX_PAIRS = 1_000_000


class WeightSlot(NamedTuple):
    """A weight that a layer needs."""

    owners: tuple[str, ...]
    """Names of the layer, and of layers inside of it; in a weight's name, some may be absent."""
    outer: tuple[str, ...]
    """Names of the models around the layer."""
    names: tuple[str, ...]
    path: str
    """Place in a `.keras` file."""
    shape: tuple[int | None, ...] | None
    trained: bool

    @property
    def label(self) -> str:
        """Name for errors."""
        return "/".join((*self.outer, *self.owners, self.names[0]))

    def fits(self, constant: ModelConstant) -> bool:
        """Return True if a constant has the expected shape."""
        return self.shape is None or (
            len(self.shape) == len(constant.shape)
            and all(
                n is None or n == length
                for n, length in zip(self.shape, constant.shape, strict=True)
            )
        )


def snake_case(name: str) -> str:
    """Return the name of a class as `.keras` files have it."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def match(slots: list[WeightSlot], constants: Mapping[str, ModelConstant]) -> list[str]:
    """Return the name of a constant for each slot; no constant is used twice.

    Raises ModelError, which names the weights, if some are missing or have another shape.
    """
    matched: dict[int, str] = {}
    paths: dict[str, str] = {}
    tokens: dict[str, list[str]] = {}
    for name in constants:
        parts = name.split(":")[0].split("/")
        if parts[-2:-1] == ["vars"]:
            path = "/".join(parts).replace("_layer_checkpoint_dependencies", "layers")
            paths[path] = name
        else:
            tokens[name] = parts
    for at, slot in enumerate(slots):
        if slot.path in paths:
            matched[at] = paths[slot.path]
    _match_names(slots, constants, tokens, matched)
    _match_order(slots, constants, matched)
    for at, slot in enumerate(slots):
        if at in matched and not slot.fits(constants[matched[at]]):
            raise ModelError(
                f"load: weight has another shape; got {constants[matched[at]].shape} for "
                f'"{matched[at]}", which needs {_shown(slot.shape)}; convert the model again'
            )
    return [matched[at] for at in range(len(slots))]


def _match_names(
    slots: list[WeightSlot],
    constants: Mapping[str, ModelConstant],
    tokens: dict[str, list[str]],
    matched: dict[int, str],
) -> None:
    """Assign the constants that share most parts of the name with a slot, in order if equal."""
    places: defaultdict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for order, (name, parts) in enumerate(tokens.items()):
        for part in set(parts[:-1]):
            places[part, parts[-1]].append((order, name))
    pairs: list[tuple[int, bool, bool, int, int, int, int, str]] = []
    for at, slot in enumerate(slots):
        if at in matched:
            continue
        near = {pair for owner in slot.owners for key in slot.names for pair in places[owner, key]}
        for order, name in near:
            parts = tokens[name][:-1]
            owned = sum(owner in parts for owner in slot.owners)
            around = sum(outer in parts for outer in slot.outer)
            wrong = not slot.fits(constants[name])
            # In HDF5, the first part is the layer's present name; others may be older.
            other = parts[0] not in (*slot.owners, *slot.outer)
            pairs.append((-owned, wrong, other, -around, len(parts), at, order, name))
        if len(pairs) > _MAX_PAIRS:
            raise ModelError(
                f'load: names of weights are ambiguous; got "{slot.label}" in the names of '
                f"{len(near)} weights; give the layers different names"
            )
    used: set[str] = set()
    for *_, at, _, name in sorted(pairs):
        if at not in matched and name not in used:
            matched[at] = name
            used.add(name)


def _match_order(
    slots: list[WeightSlot], constants: Mapping[str, ModelConstant], matched: dict[int, str]
) -> None:
    """Assign the remaining constants in order if as many slots remain, and the shapes fit."""
    open_slots = [at for at in range(len(slots)) if at not in matched]
    if not open_slots:
        return
    used = set(matched.values())
    rest = [name for name in constants if name not in used]
    fits = len(rest) == len(open_slots) and all(
        slots[at].fits(constants[name]) for at, name in zip(open_slots, rest, strict=True)
    )
    if not fits:
        labels = [slots[at].label for at in open_slots]
        more = f" and {len(labels) - 8} more" if len(labels) > 8 else ""
        unused = f"; unused are {', '.join(rest[:8])}" if rest else ""
        raise ModelError(
            f"load: weights are missing; got none for {', '.join(labels[:8])}{more}{unused:.400}; "
            "convert the model again, with its weights"
        )
    matched.update(zip(open_slots, rest, strict=True))


def _shown(shape: tuple[int | None, ...] | None) -> str:
    lengths = ", ".join("?" if n is None else str(n) for n in shape or ())
    return f"({lengths})"
