"""Regular expressions of JSON schemas. Source: https://json-schema.org/draft/2020-12.

Texts have the form of `json.dumps`: ", " between items, ": " after names, no other spaces.
Properties come in the order of the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ...errors import ArgumentError

DEEPEST = 16
"""Largest depth of schemas in schemas; one that contains itself has no end."""
CHARACTER = r'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})'
INTEGER = r"-?(?:0|[1-9][0-9]{0,15})"
SIMPLE = {
    "string": f'"{CHARACTER}*"',
    "integer": INTEGER,
    "number": INTEGER + r"(?:\.[0-9]{1,16})?(?:[eE][+-]?[0-9]{1,2})?",
    "boolean": "(?:true|false)",
    "null": "null",
}
IGNORED = {
    "$defs", "$id", "$schema", "additionalProperties", "default", "definitions", "description",
    "examples", "format", "title",
}  # fmt: skip
"""Keywords that do not change the expression: texts have only the properties that are named."""


def pattern_of(schema: Any) -> str:
    """Return the regular expression of the texts that satisfy a schema.

    Raises:
        ArgumentError: If the schema has a keyword that is not supported.

    >>> pattern_of({"enum": ["a", 1]})
    '(?:"a"|1)'
    """
    return _Schemas(schema).pattern(schema, 0)


class _Schemas:
    """A schema, to which others refer by `$ref`."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def pattern(self, schema: Any, depth: int) -> str:
        if depth > DEEPEST:
            raise _wrong("is too deep, or contains itself", "$ref", "use one that ends")
        if not isinstance(schema, Mapping):
            raise _wrong("is not an object", schema, "use a dict with a type")
        if "$ref" in schema:
            return self.pattern(self._referred(schema["$ref"]), depth + 1)
        for name in ("anyOf", "oneOf"):
            if name in schema:
                return _either(self.pattern(part, depth + 1) for part in schema[name])
        if "const" in schema:
            return _text(schema["const"])
        if "enum" in schema:
            return _either(map(_text, schema["enum"]))
        kind = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kind, list):
            return _either(self.pattern({**schema, "type": one}, depth) for one in kind)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind == "string":
            return _string(schema)
        if not isinstance(kind, str) or kind not in SIMPLE:
            raise _wrong("has no type that is known", kind, f"use {', '.join(SIMPLE)}")
        _check(schema, {"type"})
        return SIMPLE[kind]

    def _referred(self, reference: Any) -> Any:
        target = self._root
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise _wrong("refers to another file", reference, "use references that begin with #")
        for name in filter(None, reference[1:].split("/")):
            name = name.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, Mapping) or name not in target:
                raise _wrong("refers to a missing part", reference, "add it")
            target = target[name]
        return target

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        """Return the expression of an object; an optional property may be left out."""
        _check(schema, {"type", "properties", "required"})
        properties = schema.get("properties", {})
        required = set(schema.get("required", ()))
        parts = [
            (f"{_text(name)}: {self.pattern(part, depth + 1)}", name in required)
            for name, part in properties.items()
        ]
        # The first property that is there has no comma before it.
        choices = []
        for at, (first, is_required) in enumerate(parts):
            rest = (f", {part}" if needed else f"(?:, {part})?" for part, needed in parts[at + 1 :])
            choices.append(first + "".join(rest))
            if is_required:
                break
        else:
            choices.append("")
        return rf"\{{{_either(choices)}\}}"

    def _array(self, schema: Mapping[str, Any], depth: int) -> str:
        _check(schema, {"type", "items", "minItems", "maxItems"})
        if "items" not in schema:
            raise _wrong("of an array has no items", dict(schema), "say of which type they are")
        item = self.pattern(schema["items"], depth + 1)
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if most == 0:
            return r"\[\]"
        count = f"{{{max(least - 1, 0)},{'' if most is None else most - 1}}}"
        filled = f"{item}(?:, {item}){count}"
        return rf"\[{filled}\]" if least else rf"\[(?:{filled})?\]"


def _string(schema: Mapping[str, Any]) -> str:
    _check(schema, {"type", "pattern", "minLength", "maxLength"})
    if "pattern" in schema:
        pattern = schema["pattern"]
        return f'"(?:{pattern.removeprefix("^").removesuffix("$")})"'
    least, most = schema.get("minLength", 0), schema.get("maxLength", "")
    return f'"{CHARACTER}{{{least},{most}}}"' if least or most != "" else SIMPLE["string"]


def _text(value: Any) -> str:
    return re.escape(json.dumps(value, ensure_ascii=False))


def _either(patterns: Any) -> str:
    return f"(?:{'|'.join(patterns)})"


def _check(schema: Mapping[str, Any], known: set[str]) -> None:
    unknown = [name for name in schema if name not in known and name not in IGNORED]
    if unknown:
        raise _wrong("has a keyword that is not supported", unknown[0], "leave it out")


def _wrong(problem: str, got: Any, advice: str) -> ArgumentError:
    return ArgumentError(f"generate: schema {problem}; got {got!r:.80}; {advice}")
