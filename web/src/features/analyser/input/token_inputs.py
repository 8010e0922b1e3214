"""Inputs of models of texts: which of them takes tokens, and what the others are for."""

import re
from collections.abc import Iterable
from typing import Any

import py_tensor as pt

_NAMES = (
    ("mask", re.compile(r"mask")),
    ("types", re.compile(r"(type|segment).*ids?\b|segment|token_type")),
    ("positions", re.compile(r"position")),
    ("ids", re.compile(r"input_ids|word_ids|token_ids|\bids\b|\btokens?\b")),
)
"""Roles of inputs by their names; those of TensorFlow have more around them."""


def roles_of(infos: Iterable[Any]) -> dict[str, str]:
    """Return "ids", "mask", "types" or "positions" by the name of an input; {} without tokens.

    Inputs are rows of tokens, or one row. A model with one input of integers, which has no
    telling name, takes tokens, too.
    """
    infos = [info for info in infos if info.shape is not None and len(info.shape) in (1, 2)]
    roles: dict[str, str] = {}
    for info in infos:
        role = next((role for role, name in _NAMES if name.search(info.name.lower())), "")
        if role == "mask" or (role and _is_integer(info)):
            roles[info.name] = role
    ids = [name for name, role in roles.items() if role == "ids"]
    if not ids and len(infos) == 1 and _is_integer(infos[0]) and len(infos[0].shape) == 2:
        return {infos[0].name: "ids"}
    if not ids:
        return {}
    # Decoders after encoders have tokens of their own.
    first = next((name for name in ids if name.endswith("input_ids")), ids[0])
    first = "input_ids" if "input_ids" in ids else first
    return {name: role for name, role in roles.items() if role != "ids" or name == first}


def _is_integer(info: Any) -> bool:
    return info.dtype is not None and info.dtype.name in ("int32", "int64", "uint32")


def filled(role: str, shape: list[int], dtype: Any) -> pt.Tensor:
    """Return the values of an input that is not for tokens, for a text without padding."""
    if role == "positions":
        return pt.broadcast_to(pt.arange(shape[-1]), shape).astype(dtype)
    return pt.full(shape, int(role == "mask")).astype(dtype)
