"""Read files of torch.save: zip files since PyTorch 1.6, and the format before it.

Input: the bytes of a file. Output: its tensors by name, as `Stored` views of storages. Names of
nested dicts and lists are joined by dots. Sources: torch/serialization.py and torch/_utils.py.
"""

from __future__ import annotations

import math
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import product
from typing import Any, NamedTuple

from ...errors import ModelError
from ...io.element_formats import decoded
from ...io.safetensors import SIZES, Entry
from ...nn.split_matrix import matrix_of_rows
from ...ops.op_def import Shape
from ...tensor import Tensor
from .pickles import Attributes, Ignored, Machine, Name, ObjectBuilder, shown

ZIP = b"PK\x03\x04"
LEGACY = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""First bytes of both formats; the second is a pickle of a fixed number."""

RANK = 32
DEPTH = 64
VISITED = 2_000_000
TENSORS = 100_000
NAME = 1000
"""Maximum number of axes of a tensor, depth of containers, number of their elements, number of
tensors, and length of a name."""
ROWS = 1_000_000
"""Maximum number of rows of a tensor whose elements have gaps."""
SLACK = 1 << 24
"""Bytes that all tensors may have beyond twice the size of the file; views may overlap."""

_STORAGES = {
    "Float": "F32", "Double": "F64", "Half": "F16", "BFloat16": "BF16", "Long": "I64",
    "Int": "I32", "Short": "I16", "Char": "I8", "Byte": "U8", "Bool": "BOOL",
    "ComplexFloat": "C64",
}  # fmt: skip
_DTYPES = {
    "float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "int64": "I64",
    "int32": "I32", "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16",
    "uint32": "U32", "uint64": "U64", "bool": "BOOL", "complex64": "C64",
}  # fmt: skip
STORAGE_TYPES = {
    **{f"torch.{name}Storage": code for name, code in _STORAGES.items()},
    "torch.storage.UntypedStorage": "U8",
}
"""Code of an `Entry` by the class of a storage."""
_UNITS = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""`struct` code of an unsigned integer by its size."""


@dataclass(frozen=True)
class Storage:
    """A sequence of elements in the file."""

    key: str
    code: str
    """Code of the elements, as in an `Entry`."""
    length: int


class Stored(NamedTuple):
    """A tensor: a view of a storage, in elements of `code`."""

    storage: Storage
    code: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the tensor's elements."""
        return math.prod(self.shape) * SIZES[self.code]


class TorchFile:
    """The tensors of a file by name, and the bytes of their storages."""

    def __init__(self, tensors: dict[str, Stored], storages: Mapping[str, Any], size: int) -> None:
        self.tensors = tensors
        self._storages = storages
        self._made: dict[Stored, Any] = {}
        self.splits = False
        """True if tensors that are too large are split."""
        self._left = 2 * size + SLACK

    def tensor(self, name: str) -> Any:
        """Make the tensor of a name, split if it is too large; equal views are one tensor."""
        stored = self.tensors[name]
        if stored not in self._made:
            self._left -= stored.nbytes
            if self._left < 0:
                raise _malformed("tensors overlap too much", f'"{name}" of shape {stored.shape}')
            self._made[stored] = self._decoded(name, stored)
        return self._made[stored]

    def _decoded(self, name: str, stored: Stored) -> Any:
        storage, code, offset, shape, strides = stored
        size = SIZES[code]
        data = self._storages.get(storage.key)
        if data is None:
            raise _malformed("storage is missing", f'{storage.key!r:.60} of tensor "{name}"')
        if len(data) != storage.length * SIZES[storage.code]:
            raise _malformed(
                "storage has another size",
                f"{len(data)} bytes for {storage.length} elements of {storage.code} in {name!r}",
            )
        if 0 in shape:
            return decoded(name, Entry(code, shape, b""))
        reach = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        if (reach + 1) * size > len(data):
            raise _malformed(
                "tensor goes past the end of its storage",
                f'element {reach} of {len(data) // size} for "{name}"',
            )
        # Elements in the order of memory are a block if axes of decreasing strides have no gaps.
        order = sorted(range(len(shape)), key=lambda at: (-strides[at], at))
        places = [at for at in order if shape[at] != 1]
        lengths = tuple(shape[at] for at in places)
        if tuple(strides[at] for at in places) == _contiguous(lengths):
            block = data[offset * size : (offset + math.prod(shape)) * size]
            if self.splits and order == sorted(order):

                def make(part: Shape, data: memoryview) -> Tensor:
                    return decoded(name, Entry(code, part, data))

                return matrix_of_rows(make, shape, memoryview(block))
            tensor = decoded(name, Entry(code, tuple(shape[at] for at in order), block))
            if order == sorted(order):
                return tensor
            return tensor.permute_dims(tuple(order.index(at) for at in range(len(shape))))
        return decoded(name, Entry(code, shape, _gathered(data, size, offset, shape, strides)))


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[at + 1 :]) for at in range(len(shape)))


def _gathered(
    data: Any, size: int, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> bytes:
    """Return the elements of a view with gaps or repetitions, row by row."""
    if math.prod(shape[:-1]) > ROWS:
        raise _malformed("tensor is too scattered", f"shape {shape} with strides {strides}")
    elements = data[: len(data) // size * size].cast(_UNITS[size])
    length, step = shape[-1], strides[-1]
    rows = []
    for position in product(*map(range, shape[:-1])):
        start = offset + sum(at * stride for at, stride in zip(position, strides, strict=False))
        if step:
            rows.append(elements[start : start + (length - 1) * step + 1 : step].tobytes())
        else:
            rows.append(elements[start : start + 1].tobytes() * length)
    return b"".join(rows)


# --- builders -------------------------------------------------------------------------------------


def _whole(*numbers: Any) -> None:
    """Raise ValueError unless all are integers that are not negative and have 63 bits."""
    for number in numbers:
        if type(number) is not int or not 0 <= number < 1 << 63:
            raise ValueError(f"{shown(number)} is not a number of elements")


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any, *_: Any, code: str = "") -> Stored:
    if type(storage) is not Storage or type(shape) is not tuple or type(strides) is not tuple:
        raise ValueError("a tensor needs a storage, a shape and strides")
    if len(shape) != len(strides) or len(shape) > RANK:
        raise ValueError(f"shape and strides have {len(shape)} and {len(strides)} axes")
    _whole(offset, *shape, *strides)
    return Stored(storage, code or storage.code, offset, shape, strides)


def _tensor_of_dtype(
    storage: Any, offset: Any, shape: Any, strides: Any, grad: Any, hooks: Any, dtype: Any, *_: Any
) -> Stored:
    code = _DTYPES.get(dtype.removeprefix("torch.")) if type(dtype) is Name else None
    if code is None:
        raise ValueError(f"dtype {shown(dtype)} is not supported")
    return _tensor(storage, offset, shape, strides, code=code)


def _parameter(tensor: Any, *_: Any) -> Stored:
    if type(tensor) is not Stored:
        raise ValueError("a parameter needs a tensor")
    return tensor


def _of_subclass(function: Any, kind: Any, arguments: Any, *_: Any) -> Stored:
    if type(function) is not Name or type(arguments) is not tuple or function not in _TENSORS:
        raise ValueError("a tensor of a subclass needs the function of a tensor")
    stored: Stored = _TENSORS[function](*arguments)
    return stored


def _dict(*items: Any) -> dict[Any, Any]:
    if len(items) > 1 or (items and (type(items[0]) is not list or items[0])):
        raise ValueError("a dict is made with items")
    return {}


def _ordered_dict(*items: Any) -> dict[Any, Any]:
    if items and type(items[0]) is list:
        # Python 2 passes the items as a list of lists.
        pairs = items[0]
        if all(type(pair) in (list, tuple) and len(pair) == 2 for pair in pairs) and all(
            type(key) is str for key, _ in pairs
        ):
            return dict(pairs)
    return _dict(*items)


def _sequence(*items: Any) -> Any:
    [values] = items or ((),)
    if type(values) not in (list, tuple):
        raise ValueError("elements are not a list")
    return values


def _encoded(text: Any, encoding: Any) -> bytes:
    if type(text) is not str or encoding not in ("latin1", "latin-1", "utf-8"):
        raise ValueError("bytes are not a text with an encoding")
    return text.encode(encoding)


def _ignored(*_: Any) -> Ignored:
    return Ignored()


def _blank(kind: Any, *_: Any) -> Attributes:
    if kind != "argparse.Namespace":
        raise ValueError(f"an object of class {shown(kind)} is made")
    return Attributes()


_TENSORS: dict[str, ObjectBuilder] = {
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor_of_dtype,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter,
}
BUILDERS: dict[str, ObjectBuilder] = {
    **_TENSORS,
    "torch._tensor._rebuild_from_type_v2": _of_subclass,
    "torch.nn.parameter.Parameter": _parameter,
    "torch.Size": _sequence,
    **dict.fromkeys(
        (
            *("torch.device", "torch.serialization._get_layout", "numpy.dtype"),
            *("numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar"),
            *("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct"),
        ),
        _ignored,
    ),
    "collections.OrderedDict": _ordered_dict,
    "collections.defaultdict": lambda *_: {},
    "collections.Counter": _dict,
    "builtins.dict": _dict,
    "builtins.set": _sequence,
    "__builtin__.set": _sequence,
    "builtins.frozenset": _sequence,
    "builtins.list": _sequence,
    "_codecs.encode": _encoded,
    "argparse.Namespace": lambda *_: Attributes(),
    "copyreg._reconstructor": _blank,
    "copy_reg._reconstructor": _blank,
}
"""Functions and classes that a file may use. None of them is imported; these functions are used
instead, which make tensors' descriptions and plain containers only."""


def _storage_of(arguments: Any) -> Storage:
    """Return the storage of a persistent id: ("storage", class, key, device, number, ...)."""
    if type(arguments) is not tuple or len(arguments) < 5 or arguments[0] != "storage":
        raise ValueError("persistent id is not a storage")
    _, kind, key, _, count = arguments[:5]
    if type(kind) is not Name or kind not in STORAGE_TYPES:
        raise ValueError(f"storage of class {shown(kind)} is not supported")
    if type(key) is not str or (len(arguments) > 5 and arguments[5] is not None):
        raise ValueError("storage has no key, or is a part of another one")
    _whole(count)
    return Storage(key, STORAGE_TYPES[kind], count)


# --- files ----------------------------------------------------------------------------------------


def matches(data: Any) -> bool:
    """Return True if bytes are a file of torch.save or torch.jit.save."""
    view = memoryview(data).cast("B")
    # The first entry of their zip files is the pickle.
    return view[: len(LEGACY)] == LEGACY or (view[:4] == ZIP and b"/data.pkl" in bytes(view[:200]))


def read(data: Any) -> TorchFile:
    """Decode a file; raise ModelError if it is malformed, or has other objects."""
    view = memoryview(data).cast("B")
    value, storages = _zipped(view) if view[:4] == ZIP else _legacy(view)
    return TorchFile(_flattened(value), storages, len(view))


def _zipped(view: memoryview) -> tuple[Any, dict[str, Any]]:
    name, text, storages = archive(view)
    return Machine(text, name, BUILDERS, _storage_of).load(), storages


def archive(view: memoryview) -> tuple[str, memoryview, dict[str, Any]]:
    """Return the name and the bytes of a zip file's pickle, and the storages by key."""
    try:
        # BytesIO shares the memory of bytes.
        whole = view.obj if isinstance(view.obj, bytes) and len(view.obj) == len(view) else view
        with zipfile.ZipFile(BytesIO(whole)) as file:
            entries = file.infolist()
    except Exception as error:
        # Damaged files make zipfile raise errors of many classes.
        raise _malformed("zip file is damaged", f"{type(error).__name__}: {error}") from None
    if any(entry.filename.endswith("/constants.pkl") for entry in entries):
        raise ModelError(
            "load_weights: file has a program of TorchScript; got code by torch.jit.save; save the "
            "weights with torch.save(model.state_dict(), path), or export the model as ONNX"
        )
    members: dict[str, Any] = {}
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            raise _malformed(
                "zip file is compressed or encrypted, which torch.save never does",
                f"{entry.filename!r:.80}",
            )
        members[entry.filename] = _content(view, entry)
    roots = [name for name in members if name.endswith("/data.pkl") and name.count("/") == 1]
    if len(roots) != 1:
        raise _malformed(
            "zip file is not one of torch.save",
            f"{len(members)} files without data.pkl in a folder",
        )
    folder = roots[0].removesuffix("data.pkl")
    if bytes(members.get(f"{folder}byteorder", b"little")) != b"little":
        raise _malformed("file was written on a machine with big-endian numbers", "byteorder")
    prefix = f"{folder}data/"
    return (
        roots[0],
        members[roots[0]],
        {
            name.removeprefix(prefix): content
            for name, content in members.items()
            if name.startswith(prefix)
        },
    )


def _content(view: memoryview, entry: zipfile.ZipInfo) -> memoryview:
    """Return the bytes of a file in the zip file, without copying them."""
    at = entry.header_offset
    header = view[at : at + 30]
    if at < 0 or len(header) < 30 or header[:4] != ZIP:
        raise _malformed("zip file is damaged", f"byte {at} as the start of {entry.filename!r:.80}")
    start = at + 30 + sum(struct.unpack("<HH", header[26:30]))
    end = start + entry.file_size
    if entry.compress_size != entry.file_size or end > len(view):
        raise _malformed(
            "file in the zip file goes past the end",
            f"bytes {start} to {end} of {len(view)} for {entry.filename!r:.80}",
        )
    return view[start:end]


def _legacy(view: memoryview) -> tuple[Any, dict[str, Any]]:
    """Read a file of PyTorch before 1.6: five pickles, then the storages in the order of keys."""
    counts: dict[str, Storage] = {}

    def persistent(arguments: Any) -> Storage:
        storage = _storage_of(arguments)
        return counts.setdefault(storage.key, storage)

    machine = Machine(view, "the file", BUILDERS, persistent)
    _, _, system, value, keys = (machine.load() for _ in range(5))
    if not isinstance(system, dict) or system.get("little_endian") is not True:
        raise _malformed("file was written on a machine with big-endian numbers", "little_endian")
    if type(keys) is not list:
        raise _malformed("keys of storages are not a list", type(keys).__name__)
    storages: dict[str, Any] = {}
    at = machine.at
    for key in keys:
        if type(key) is not str or key not in counts or at + 8 > len(view):
            raise _malformed("storages do not fit their keys", f"{shown(key)} at byte {at}")
        [count] = struct.unpack("<q", view[at : at + 8])
        storage = counts[key]
        end = at + 8 + storage.length * SIZES[storage.code]
        if count != storage.length or end > len(view):
            raise _malformed(
                "storage has another size", f"{count} elements of {shown(key)} at byte {at}"
            )
        storages[key] = view[at + 8 : end]
        at = end
    return value, storages


def _flattened(value: Any) -> dict[str, Stored]:
    """Return the tensors in containers by the names that lead to them, joined by dots."""
    tensors: dict[str, Stored] = {}
    visited = 0
    inside: set[int] = set()

    def visit(value: Any, path: tuple[str, ...]) -> None:
        nonlocal visited
        if type(value) is Stored:
            name = ".".join(path) or "tensor"
            if name in tensors or len(name) > NAME or len(tensors) == TENSORS:
                raise _malformed("names are not unique, too long or too many", f"{name!r:.80}")
            tensors[name] = value
            return
        items = _items(value)
        if items is None:
            return
        if id(value) in inside or len(path) >= DEPTH:
            raise _malformed("containers are cyclic or nested too deeply", f"{'.'.join(path):.80}")
        inside.add(id(value))
        for key, inner in items:
            visited += 1
            if visited > VISITED:
                raise _malformed("containers have too many elements", f"{'.'.join(path):.80}")
            if type(inner) is Stored or isinstance(inner, (dict, list, tuple)):
                visit(inner, (*path, str(key)))
        inside.remove(id(value))

    visit(value, ())
    return tensors


def _items(value: Any) -> Iterator[tuple[Any, Any]] | None:
    if isinstance(value, dict):
        return iter(value.items())
    return enumerate(value) if type(value) in (list, tuple) else None


def _malformed(wrong: str, got: str) -> ModelError:
    return ModelError(
        f"load_weights: not a valid PyTorch file: {wrong}; got {got}; download or save the file "
        "again with torch.save"
    )
