"""Write TFLite files for tests, without alignment: `pt.models` does not need it."""

from __future__ import annotations

import struct
from typing import Any

from py_tensor.models.tflite.schema import OPERATORS, SCHEMA, UNIONS

CODES = "?bBhHiIqQfd"


class Writer:
    """Writes each table after the one that refers to it."""

    def __init__(self) -> None:
        self.data = bytearray(8)
        self.data[4:8] = b"TFL3"

    def table(self, name: str, value: dict[str, Any]) -> int:
        """Append a table, and return its position."""
        value = dict(value)
        kinds = dict(each.partition(":")[::2] for each in SCHEMA[name].split() if each != "-")
        for field, kind in kinds.items():
            if kind.startswith("|") and field in value:
                inner, _ = value[field]
                value[f"{field}_type"] = UNIONS[kind[1:]].index(inner)
        unknown = value.keys() - kinds.keys()
        assert not unknown, unknown
        fields = [each.partition(":")[::2] for each in SCHEMA[name].split()]
        offsets, size = [], 4
        for field, kind in fields:
            offsets.append(size if field in value else 0)
            if field in value:
                size += struct.calcsize(kind) if kind in CODES else 4
        start = len(self.data)
        self.data += struct.pack(f"<{len(fields) + 2}H", 4 + 2 * len(fields), size, *offsets)
        at = len(self.data)
        self.data += struct.pack("<i", at - start) + bytes(size - 4)
        for (field, kind), offset in zip(fields, offsets, strict=True):
            if not offset:
                continue
            if kind in CODES:
                struct.pack_into(f"<{kind}", self.data, at + offset, value[field])
            else:
                self.refer(at + offset, self.reference(kind, value[field]))
        return at

    def refer(self, place: int, target: int) -> None:
        struct.pack_into("<I", self.data, place, target - place)

    def reference(self, kind: str, value: Any) -> int:
        if kind.startswith("|"):
            return self.table(*value)
        if kind in SCHEMA:
            return self.table(kind, value)
        at = len(self.data)
        self.data += struct.pack("<I", len(value))
        if kind in ("text", "data"):
            self.data += value.encode() + b"\0" if kind == "text" else bytes(value)
        elif kind[:-1] in CODES:
            self.data += struct.pack(f"<{len(value)}{kind[:-1]}", *value)
        else:
            self.data += bytes(4 * len(value))
            for number, each in enumerate(value):
                self.refer(at + 4 + 4 * number, self.table(kind[:-1], each))
        return at


def written(model: dict[str, Any]) -> bytes:
    writer = Writer()
    root = writer.table("Model", model)
    writer.refer(0, root)
    return bytes(writer.data)


def node(
    operator: str, inputs: list[int], outputs: list[int], options: str = "", **values: Any
) -> dict[str, Any]:
    """Describe a node; names that are no builtin operator are custom ones, as "Name@version"."""
    given: dict[str, Any] = {"operator": operator, "inputs": inputs, "outputs": outputs}
    if "custom" in values:
        given["custom_options"] = values.pop("custom")
    elif options:
        given["builtin_options"] = (options, values)
    return given


def tensor(shape: list[int], data: bytes | None = None, type: int = 0, **more: Any) -> Any:
    return {"shape": shape, "type": type, **more, "data": data}


def saved(
    tensors: list[Any],
    nodes: list[Any],
    inputs: list[int],
    outputs: list[int],
    graphs: tuple[Any, ...] = (),
    **model: Any,
) -> bytes:
    """Return the file of a model; tensors with data are constants.

    `graphs` are further graphs, as tuples of tensors, nodes, inputs and outputs.
    """
    buffers: list[Any] = [{}]
    codes: list[Any] = []
    subgraphs = []
    for given, steps, first, last in ((tensors, nodes, inputs, outputs), *graphs):
        described = []
        for number, each in enumerate(given):
            each = {"name": f"t{number}", **each}
            data = each.pop("data")
            if data is not None:
                each["buffer"] = len(buffers)
                buffers.append({"data": data})
            described.append(each)
        operators = []
        for step in steps:
            step = dict(step)
            operator = step.pop("operator")
            if operator in OPERATORS:
                number = OPERATORS.index(operator)
                code = {"deprecated_builtin_code": min(number, 127), "builtin_code": number}
            else:
                name, _, version = operator.partition("@")
                code = {"deprecated_builtin_code": 32, "custom_code": name}
                code |= {"version": int(version)} if version else {}
            step["opcode_index"] = len(codes)
            codes.append(code)
            operators.append(step)
        subgraphs.append(
            {
                "tensors": described,
                "inputs": first,
                "outputs": last,
                "operators": operators,
                "name": "tested",
            }
        )
    return written(
        {
            "version": 3,
            "operator_codes": codes,
            "subgraphs": subgraphs,
            "buffers": buffers,
            **model,
        }
    )
