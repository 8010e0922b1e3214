"""Save models and modules in one file, and read it again.

Input: a `Model` of any format, or a module of `pt.nn`. Output: a safetensors file with the weights,
whose metadata have the rest as JSON: the neutral graph and the name of its table of operators, or
the classes and static fields of the modules. Reading makes graphs, and modules of the classes of
`pt.nn`; it runs no code of the file.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from .. import nn
from ..dtypes import DTYPES, DType, as_dtype
from ..errors import ArgumentTypeError, DTypeError, FormatError, ModelError
from ..functions import elementwise
from ..io import safetensors
from ..io.element_formats import CODES, decoded
from ..io.safetensors import Entry
from ..nn.module import Module
from ..nn.quantization import BitPlane, PackedMatrix, Packing
from ..tensor import Tensor, realize
from .execution import EMPTY, Operator
from .graph import (
    TEXT,
    LinearQuantization,
    ModelConstant,
    ModelGraph,
    ModelNode,
    ValueInfo,
    constant_of_entry,
)
from .model import Model
from .onnx import operators as onnx_operators
from .tfjs import attributes as tfjs_attributes, layers as tfjs_layers, operators as tfjs_operators
from .tflite import operators as tflite_operators, reader as tflite_reader
from .weights.pickles import shown

KEY = "py_tensor.model"
"""Name of the JSON text in the file's metadata."""
VERSION = 1
DEPTH = 60
"""Maximum depth of graphs, modules and containers inside each other."""
TABLES: dict[str, Mapping[str, Operator]] = {
    "onnx": onnx_operators.OPERATORS,
    "tfjs": tfjs_operators.OPERATORS,
    "tfjs layers": tfjs_layers.OPERATORS,
    "tflite": tflite_operators.OPERATORS,
}
"""Tables of operators by the name that files have."""
RECORDS: dict[str, type[Any]] = {
    "Quantization": tflite_reader.Quantization,
    "Scales": tflite_reader.Scales,
    "Type": tfjs_attributes.Type,
    **{kind.__name__: kind for kind in (nn.DecoderOptions, nn.RotaryScaling)},
    **{kind.__name__: kind for kind in (Packing, BitPlane)},
}
"""Named tuples and dataclasses that attributes and fields may have, by name."""
_FUNCTIONS = {
    name: value
    for chapter in ({name: getattr(nn, name) for name in nn.__all__}, vars(elementwise))
    for name, value in chapter.items()
    if callable(value) and not name.startswith("_") and not isinstance(value, type)
    and ">>> " in (value.__doc__ or "")
}  # fmt: skip
"""Functions that modules may have as static fields, for example activations, by name."""
_NAMES = {id(function): name for name, function in _FUNCTIONS.items()}
_CLASSES = {
    name: value
    for name, value in vars(nn).items()
    if isinstance(value, type) and issubclass(value, Module)
}


def save(model: Any, path: str | PathLike[str] | None = None) -> bytes | None:
    """Save a model or a module with its weights in one file, which `load` reads.

    The file has the format safetensors. Any program that reads it gets the weights by name.

    Args:
        model: `Model` that `load` returned, of any format, or a module of the classes of `pt.nn`,
            for example `pt.nn.Sequential`.
        path: Path of the file; None (default) to return its bytes.

    Returns:
        Bytes of the file if `path` is None, otherwise None.

    Raises:
        ModelError: If the model has parts that files cannot have: classes and functions that are
            not those of `pt`.
        ArgumentTypeError: If `model` is neither a model nor a module.
        OSError: If the file cannot be written.

    >>> import py_tensor as pt
    >>> model = pt.nn.Sequential(pt.nn.Dense(2, 3), pt.relu)
    >>> again = pt.models.loads(pt.models.save(model))
    >>> again
    Sequential: 9 parameters
      [0] Dense(2 -> 3)
      [1] Activation(relu)
    >>> x = pt.asarray([1.0, -1.0])
    >>> bool((again(x) == model(x)).all())
    True
    """
    saver = _Saver()
    if isinstance(model, Model):
        tables = [name for name, table in TABLES.items() if table is model._runner.table]
        if not tables:
            raise ModelError(
                "save: table of operators is not known; got a model with another table; save the "
                "model that load returned"
            )
        graph = saver.graph(model._program.graph, model._trained())
        content: dict[str, Any] = {"format": tables[0], "graph": graph}
    elif isinstance(model, Module):
        content = {"module": saver.module(model), "modules": saver.modules}
    else:
        raise ArgumentTypeError(
            f"save: model is neither a Model nor a module; got {type(model).__name__}; use "
            "pt.io.save for trees of tensors"
        )
    text = json.dumps({"version": VERSION, **content}, ensure_ascii=False, separators=(",", ":"))
    data = safetensors.write(saver.entries(), {KEY: text})
    if path is None:
        return data
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(data)
    part.replace(target)
    return None


class _Saver:
    """Converter of graphs and modules to JSON, which collects their weights."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._tensors: dict[str, Tensor] = {}
        self._known: dict[int, str] = {}
        self.modules: list[dict[str, Any]] = []
        self._places: dict[int, int] = {}

    def entries(self) -> dict[str, Entry]:
        """Return the weights as entries of a file."""
        realize(*self._tensors.values())
        for name, tensor in self._tensors.items():
            data = tensor._bytes("save")
            self._entries[name] = Entry(CODES[tensor.dtype], tensor.shape, data)
        return self._entries

    def _key(self, name: str) -> str:
        key, at = name or "weight", 1
        while key in self._entries or key in self._tensors or key == "__metadata__":
            at += 1
            key = f"{name}.{at}"
        return key

    # --- graphs -----------------------------------------------------------------------------------

    def graph(self, graph: ModelGraph, trained: Mapping[str, Tensor] = EMPTY) -> dict[str, Any]:
        """Return JSON of a graph; `trained` are weights by name that replace its constants."""
        if lost := trained.keys() - graph.constants.keys():
            raise ModelError(
                "save: trained weights were computed from others when the model was loaded; got "
                f"{', '.join(sorted(lost))}; save state_dict() with pt.io.save"
            )
        return {
            "name": graph.name,
            "aliases": dict(graph.aliases),
            "frozen": sorted(graph.frozen),
            "converts_inputs": graph.converts_inputs,
            "states": dict(graph.states),
            "inputs": [_info(info) for info in graph.inputs],
            "outputs": [_info(info) for info in graph.outputs],
            "nodes": [
                [
                    node.name,
                    node.operator,
                    node.inputs,
                    node.outputs,
                    {
                        name: self._value(value, node.name)
                        for name, value in node.attributes.items()
                    },
                    node.version,
                ]
                for node in graph.nodes
            ],
            "constants": {
                name: self._constant(constant, trained.get(name))
                for name, constant in graph.constants.items()
            },
        }

    def _constant(self, constant: ModelConstant, trained: Tensor | None = None) -> list[str]:
        """Return the key and the dtype of a constant, and add its elements."""
        if id(constant) not in self._known:
            key = self._known[id(constant)] = self._key(constant.name)
            elements = constant.elements
            if trained is not None:
                self._tensors[key] = trained
            elif constant.dtype is TEXT:
                texts = [text.hex() for text in elements]
                data = json.dumps({"shape": constant.shape, "texts": texts}).encode()
                self._entries[key] = Entry("U8", (len(data),), data)
            elif not isinstance(elements, Entry):
                self._entries[key] = _entry_of_numbers(constant)
            elif len(elements.data) or not constant.size:
                self._entries[key] = elements._replace(shape=constant.shape)
            else:
                # Large constants are on the GPU only.
                self._tensors[key] = constant.tensor()
        return [self._known[id(constant)], constant.dtype.name, constant.name]

    # --- modules ----------------------------------------------------------------------------------

    def module(self, module: Module, path: str = "") -> int:
        """Return the number of a module, and add its class and fields to the list."""
        if id(module) not in self._places:
            kind = type(module)
            if _CLASSES.get(kind.__name__) is not kind:
                raise ModelError(
                    f"save: class is not one of pt.nn; got {kind.__name__} at "
                    f"{path or 'the root'!r}; save its weights with pt.io.save, or the function "
                    "with pt.models.to_onnx"
                )
            self._places[id(module)] = len(self.modules)
            content: dict[str, Any] = {"class": kind.__name__}
            self.modules.append(content)
            content["fields"] = {
                field.name: self._value(
                    getattr(module, field.name), f"{path}.{field.name}".removeprefix(".")
                )
                for field in fields(kind)
            }
        return self._places[id(module)]

    def _tensor(self, tensor: Tensor, path: str) -> str:
        if id(tensor) not in self._known:
            key = self._known[id(tensor)] = self._key(path)
            self._tensors[key] = tensor
        return self._known[id(tensor)]

    # --- values -----------------------------------------------------------------------------------

    def _value(self, value: Any, path: str) -> Any:
        """Return JSON of a value; dicts with one key are values that JSON lacks."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return [self._value(item, f"{path}.{at}") for at, item in enumerate(value)]
        if type(value) is tuple:
            return {"tuple": [self._value(item, f"{path}.{at}") for at, item in enumerate(value)]}
        if RECORDS.get(type(value).__name__) is type(value):
            items = (
                [getattr(value, field.name) for field in fields(value)]
                if is_dataclass(value)
                else value
            )
            parts = [self._value(item, f"{path}.{at}") for at, item in enumerate(items)]
            return {"record": [type(value).__name__, *parts]}
        if type(value) is dict:
            items = [[key, self._value(item, f"{path}.{key}")] for key, item in value.items()]
            return {"dict": items}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if isinstance(value, DType):
            return {"dtype": value.name}
        if isinstance(value, Tensor):
            return {"tensor": self._tensor(value, path)}
        if isinstance(value, Module):
            return {"module": self.module(value, path)}
        if isinstance(value, ModelConstant):
            return {"constant": self._constant(value)}
        if isinstance(value, ModelGraph):
            return {"graph": self.graph(value)}
        if id(value) in _NAMES:
            return {"function": _NAMES[id(value)]}
        raise ModelError(
            f"save: value cannot be saved; got {type(value).__name__} {value!r:.60} at {path!r}; "
            "use functions of pt, numbers and texts"
        )


def _info(info: ValueInfo) -> list[Any]:
    dtype = None if info.dtype is None else info.dtype.name
    rest = [info.quantization, info.is_list, info.is_optional]
    return [info.name, dtype, info.shape, *(rest if any(rest) else ())]


_FORMS = {"f": ("F32", "f"), "i": ("I64", "q"), "u": ("U64", "Q"), "b": ("BOOL", "?")}


def _entry_of_numbers(constant: ModelConstant) -> Entry:
    """Return the entry of numbers; integers keep their 64 bits."""
    if constant.dtype.kind not in _FORMS:
        code, numbers = "C64", [part for z in constant.numbers for part in (z.real, z.imag)]
        return Entry(code, constant.shape, struct.pack(f"<{len(numbers)}f", *numbers))
    code, form = _FORMS[constant.dtype.kind]
    if form == "Q" and any(number < 0 for number in constant.numbers):
        code, form = "I64", "q"
    data = struct.pack(f"<{constant.size}{form}", *constant.numbers)
    return Entry(code, constant.shape, data)


# --- reading --------------------------------------------------------------------------------------


def matches(data: Any) -> bool:
    """Return True if the first bytes of a file are those of a safetensors file."""
    head = bytes(memoryview(data).cast("B")[:9])
    return len(head) == 9 and head[8:] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32


def parse(data: Any) -> tuple[dict[str, Any], dict[str, Entry]]:
    """Return the JSON content and the weights of a file."""
    try:
        entries, metadata = safetensors.read(data)
    except FormatError as error:
        raise ModelError(str(error).replace("from_bytes", "load", 1)) from None
    if KEY not in metadata:
        raise ModelError(
            f"load: file has weights without a model; got {len(entries)} tensors; make the model "
            "with pt.nn, read the weights with pt.models.load_weights, and set them with "
            "load_state_dict, or with pt.models.load_torch_state_dict if PyTorch saved them"
        )
    try:
        content = json.loads(metadata[KEY])
    except (ValueError, RecursionError) as error:
        raise _malformed("model is not JSON", str(error)) from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise _malformed("version is not supported", shown(content))
    return content, entries


def files_of(parsed: Any) -> set[str]:
    """Return the names of further files: none."""
    return set()


def read(parsed: tuple[dict[str, Any], dict[str, Entry]], files: Mapping[str, Any]) -> Any:
    """Return the `Model`, or the module of `pt.nn`."""
    content, entries = parsed
    reader = _Reader(entries)
    try:
        if "module" in content:
            return reader.root(content)
        table = TABLES.get(content["format"])
        if table is None:
            raise _malformed("format is unknown", shown(content["format"]))
        graph = reader.graph(content["graph"], 0)
    except ModelError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, DTypeError) as error:
        raise _malformed(
            "content is not that of a model", f"{type(error).__name__}: {error}"
        ) from None
    return Model(graph, table)


class _Reader:
    """Makes graphs and modules from JSON."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self._entries = entries
        self._tensors: dict[str, Tensor] = {}
        self._modules: dict[int, Module] = {}
        self._contents: list[Any] = []
        self._left = 1_000_000

    def graph(self, content: Any, depth: int) -> ModelGraph:
        constants = {
            _text(name): self._constant(item, name) for name, item in content["constants"].items()
        }
        nodes = []
        for name, operator, inputs, outputs, attributes, version in content["nodes"]:
            values = {_text(key): self._value(item, depth) for key, item in attributes.items()}
            texts = tuple(map(_text, inputs)), tuple(map(_text, outputs))
            nodes.append(ModelNode(_text(name), _text(operator), *texts, values, _whole(version)))
        inputs = tuple(map(_read_info, content["inputs"]))
        outputs = tuple(map(_read_info, content["outputs"]))
        return ModelGraph(
            _text(content["name"]),
            inputs,
            outputs,
            tuple(nodes),
            constants,
            {_text(name): _text(value) for name, value in content["aliases"].items()},
            frozenset(map(_text, content["frozen"])),
            content["converts_inputs"] is True,
            {_text(name): _text(value) for name, value in content.get("states", {}).items()},
        )

    def _constant(self, content: Any, name: str) -> ModelConstant:
        key, dtype, _ = content
        entry = self._entries[_text(key)]
        constant = constant_of_entry(name, entry)
        if constant.dtype.name == dtype:
            return constant
        if dtype == TEXT.name:
            return _texts(name, entry)
        return ModelConstant(name, _dtype(dtype), constant.shape, constant.elements)

    def root(self, content: Any) -> Module:
        self._contents = content["modules"]
        return self._module(content["module"], 0)

    def _module(self, number: Any, depth: int) -> Module:
        at = _whole(number)
        if depth > DEPTH:
            raise _malformed("modules are nested too deeply", f"module {at}")
        if at not in self._modules:
            content = self._contents[at]
            kind = _CLASSES[_text(content["class"])]
            values = content["fields"]
            if values.keys() != {field.name for field in fields(kind)}:
                raise _malformed("fields differ from the fields of the class", kind.__name__)
            module = object.__new__(kind)
            for field in fields(kind):
                value = self._value(values[field.name], depth + 1)
                if not _fits(value, str(field.type)):
                    described = f"{type(value).__name__} as {field.name} of {kind.__name__}"
                    raise _malformed(f"field must be {field.type}", described)
                object.__setattr__(module, field.name, value)
            self._modules[at] = module
        return self._modules[at]

    def _value(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if depth > DEPTH or self._left < 0:
            raise _malformed("values are nested too deeply or too many", f"depth {depth}")
        if isinstance(value, list):
            return [self._value(item, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        [(kind, content)] = value.items()
        match kind:
            case "tuple":
                return tuple(self._value(item, depth + 1) for item in content)
            case "record":
                parts = [self._value(item, depth + 1) for item in content[1:]]
                return RECORDS[_text(content[0])](*parts)
            case "dict":
                return {_text(key): self._value(item, depth + 1) for key, item in content}
            case "bytes":
                return bytes.fromhex(content)
            case "dtype":
                return _dtype(content)
            case "tensor":
                return self._tensor(_text(content))
            case "module":
                return self._module(content, depth + 1)
            case "constant":
                return self._constant(content, _text(content[2]))
            case "graph":
                return self.graph(content, depth + 1)
            case "function":
                return _FUNCTIONS[_text(content)]
        raise _malformed("value has an unknown kind", f"{kind!r:.60}")

    def _tensor(self, key: str) -> Tensor:
        if key not in self._tensors:
            self._tensors[key] = decoded(key, self._entries[key])
        return self._tensors[key]


def _fits(value: Any, annotation: str) -> bool:
    """Return True if a value has the type that a field is annotated with."""
    for name in annotation.split(" | "):
        kind = _TYPES.get(name.partition("[")[0], Module)
        if isinstance(value, kind) or (name == "None" and value is None):
            return True
    return False


_TYPES: dict[str, Any] = {
    "int": int, "bool": bool, "float": (int, float), "str": str, "Tensor": (Tensor, PackedMatrix),
    "tuple": tuple, "Functions": tuple, "Any": object, "Callable": Callable,
    "DecoderOptions": nn.DecoderOptions, "Packing": Packing,
}  # fmt: skip
"""Types of fields by their annotation; all others are modules."""


def _texts(name: str, entry: Entry) -> ModelConstant:
    content = json.loads(bytes(entry.data))
    shape, texts = tuple(map(_whole, content["shape"])), content["texts"]
    if len(shape) > 32 or len(texts) != math.prod(shape):
        raise _malformed("shape is not valid", f"{len(texts)} texts of {shown(name)}")
    return ModelConstant(name, TEXT, shape, [bytes.fromhex(text) for text in texts])


def _read_info(content: Any) -> ValueInfo:
    name, dtype, shape, *rest = content
    if shape is not None:
        shape = tuple(shape)
        if len(shape) > 32 or any(
            length is not None and type(length) not in (int, str) for length in shape
        ):
            raise _malformed("shape is not valid", f"{len(shape)} lengths of {shown(name)}")
        if math.prod(n for n in shape if type(n) is int) < 0:
            raise _malformed("shape is not valid", f"{shape} of {shown(name)}")
    known = None if dtype is None else _dtype(dtype)
    quantization, is_list, is_optional = rest or (None, False, False)
    if quantization is not None:
        scale, zero = quantization
        if type(scale) is not float or type(zero) is not int:
            raise _malformed("quantization is not valid", f"{shown(scale)}, {shown(zero)}")
        quantization = LinearQuantization(scale, zero)
    return ValueInfo(_text(name), known, shape, quantization, is_list is True, is_optional is True)


def _text(value: Any) -> str:
    if type(value) is not str:
        raise _malformed("name is not a text", type(value).__name__)
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 31:
        raise _malformed("number is not valid", shown(value))
    return value


def _dtype(name: Any) -> DType:
    if name == TEXT.name:
        return TEXT
    if name not in [dtype.name for dtype in DTYPES]:
        raise _malformed("dtype is unknown", shown(name))
    return as_dtype(name)


def _malformed(wrong: str, got: str) -> ModelError:
    return ModelError(
        f"load: not a valid model of pt.models.save: {wrong}; got {got}; save the model again"
    )
