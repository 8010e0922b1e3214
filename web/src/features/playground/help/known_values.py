"""Describe the value of an expression without running it, and list its attributes."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import py_tensor as pt

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Known:
    """A module, class, function or constant; `owner` is the class of a method's object."""

    value: Any
    owner: type | None = None


@dataclass(frozen=True)
class Defined:
    """Function or class that the program defines; `is_method` if its first argument is given."""

    node: FunctionNode | ast.ClassDef
    is_method: bool = False


@dataclass(frozen=True)
class Instance:
    """Object of a class.

    Attributes:
        kind: The class, or its definition in the program.
        keys: Keys of a dictionary.
        items: Elements of a tuple, and of others the element that stands for all.
        attributes: Attributes that only the object has.
        text: Short text of the value after the last run.
    """

    kind: type | ast.ClassDef
    keys: tuple[str, ...] = ()
    items: tuple[Value | None, ...] = ()
    attributes: Mapping[str, Value] = field(default_factory=dict)
    text: str = ""


Value = Known | Defined | Instance
Lookup = Callable[[ast.expr], Value | None]

ITERATED = ("Iterator", "Iterable", "AsyncIterator", "Sequence", "Generator", "list", "set")
"""Names of annotations whose first argument is the type of the elements."""
AWAITED = {"Awaitable": 0, "Coroutine": 2}
RETURNS = re.compile(r"^Returns?:\s+(?:A |The )?(\w+)|^Return (?:a|the) (tensor)\b", re.MULTILINE)


def instance_of(value: Value | None) -> Instance | None:
    """Return an object of a class."""
    if isinstance(value, Known) and isinstance(value.value, type):
        return Instance(value.value)
    if isinstance(value, Defined) and isinstance(value.node, ast.ClassDef):
        return Instance(value.node)
    return None


def annotated(node: ast.expr, lookup: Lookup) -> Value | None:
    """Return what an annotation says of a value; of `A | None` the first that says anything."""
    if isinstance(node, ast.Constant):
        text = _parsed(node.value) if isinstance(node.value, str) else None
        return None if text is None else annotated(text, lookup)
    if isinstance(node, ast.BinOp):
        return annotated(node.left, lookup) or annotated(node.right, lookup)
    if not isinstance(node, ast.Subscript):
        return instance_of(lookup(node))
    name = ast.unparse(node.value).rpartition(".")[2]
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in AWAITED and len(parts) > AWAITED[name]:
        return annotated(parts[AWAITED[name]], lookup)
    if name in ("Optional", "Annotated"):
        return annotated(parts[0], lookup)
    kind = instance_of(lookup(node.value))
    if name in ITERATED:
        return replace(kind or Instance(object), items=(annotated(parts[0], lookup),))
    if name == "tuple":
        parts = parts[:1] if ast.unparse(parts[-1]) == "..." else parts
        return Instance(tuple, items=tuple(annotated(part, lookup) for part in parts))
    return kind


def _parsed(annotation: str) -> ast.expr | None:
    try:
        return ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return None


def returned(function: Any, owner: type | None = None) -> Value | None:
    """Return what a library's function says of its result: its annotation, or its docstring."""
    annotation = getattr(function, "__annotations__", {}).get("return")
    space = getattr(inspect.unwrap(function), "__globals__", {})
    value = _of_annotation(annotation, space, owner)
    if value is None and (said := RETURNS.search(function.__doc__ or "")):
        value = instance_of(_annotation_name(ast.Name(said[1] or "Tensor"), {}, owner))
    return value


def _of_annotation(annotation: Any, space: dict[str, Any], owner: type | None) -> Value | None:
    if isinstance(annotation, types.GenericAlias):
        annotation = annotation.__origin__
    if isinstance(annotation, type):
        return Instance(annotation)
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    node = _parsed(annotation) if isinstance(annotation, str) else None
    if node is None:
        return None
    return annotated(node, lambda part: _annotation_name(part, space, owner))


def _annotation_name(node: ast.expr, space: dict[str, Any], owner: type | None) -> Value | None:
    """Look up a name of an annotation, which may be imported for type checkers only."""
    *path, name = ast.unparse(node).split(".")
    if name == "Self" and owner is not None:
        return Known(owner)
    found = space.get(path[0] if path else name)
    for part in (*path[1:], name) if path else ():
        found = getattr(found, part, None)
    for place in (builtins, pt, pt.typing):
        if found is None and not name.startswith("_"):
            found = getattr(place, name, None)
    if isinstance(found, types.GenericAlias):  # a name for a type
        found = typing.get_origin(found)
    is_class = isinstance(found, type) and found is not Any
    return Known(found) if is_class else None


def attribute(value: Known | Instance, name: str) -> Value | None:
    """Return an attribute of an object of a library; modules are imported when needed."""
    if isinstance(value, Known):
        if not isinstance(value.value, type | types.ModuleType):
            return None
        found = getattr(value.value, name, None)
        if found is None and isinstance(value.value, types.ModuleType):
            found = sys.modules.get(f"{value.value.__name__}.{name}")
        return None if found is None else of_object(found)
    if name in value.attributes:
        return value.attributes[name]
    assert isinstance(value.kind, type)
    found = getattr(value.kind, name, None)
    if isinstance(found, property):
        return returned(found.fget, value.kind)
    if callable(found) and not isinstance(found, type):
        is_static = isinstance(inspect.getattr_static(value.kind, name), staticmethod)
        return Known(found, None if is_static else value.kind)
    for kind in value.kind.__mro__:
        space = getattr(sys.modules.get(kind.__module__), "__dict__", {})
        if name in (annotations := inspect.get_annotations(kind)):
            return _of_annotation(annotations[name], space, kind)
    return None


def of_object(found: object) -> Value:
    """Return a module, class or function itself, and of another object its class."""
    if isinstance(found, types.ModuleType | type) or callable(found):
        return Known(found)
    return Instance(type(found), text=repr(found) if isinstance(found, int | float) else "")


def names_of(value: Known | Instance) -> list[str]:
    """Return the public attributes of an object of a library."""
    place = value.value if isinstance(value, Known) else value.kind
    names = {*dir(place)}
    if isinstance(value, Instance):
        names |= value.attributes.keys()
        assert isinstance(value.kind, type)
        for kind in value.kind.__mro__:
            names |= inspect.get_annotations(kind).keys()
    return sorted((name for name in names if not name.startswith("_")), key=str.lower)
