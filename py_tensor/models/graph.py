"""Format-independent description of a model.

Input: the constants, nodes and declarations that the reader of a file format finds. Output: a
`ModelGraph`, which `execution` runs with the operators of that format. Values between nodes are
tensors, constants (numbers or texts), lists or hash tables.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from ..dtypes import DType, as_dtype, float32
from ..errors import DTypeError, ModelError
from ..functions.conversion import asarray
from ..io.element_formats import CODES, decoded
from ..io.safetensors import SIZES, Entry
from ..nn.split_matrix import SplitMatrix, matrix_of_rows
from ..ops.index_map import Shape
from ..tensor import Tensor

FORMATS = {
    "BOOL": "?", "U8": "B", "I8": "b", "I16": "h", "U16": "H", "F16": "e", "BF16": "H",
    "I32": "i", "U32": "I", "F32": "f", "F64": "d", "I64": "q", "U64": "Q", "C64": "f",
}  # fmt: skip
"""`struct` code of each dtype of a file. bfloat16 has no code: its bits are read as integers.
complex64 is read as pairs of real and imaginary parts."""
DTYPE_OF_CODE = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "U16": "uint16",
    "F16": "float16", "BF16": "float32", "I32": "int32", "U32": "uint32", "F32": "float32",
    "F64": "float32", "I64": "int32", "U64": "uint32", "C64": "complex64",
}  # fmt: skip
"""Dtype of the tensor for each dtype of a file."""
_HALF = 1 << 63
TEXT = DType("str", "s", 0, "")
"""Dtype of texts, stored as bytes in UTF-8. Texts are never tensors."""
COPIED_BYTES = 8192
"""Size in bytes up to which elements are copied, so that the file can be released."""


@dataclass(eq=False)
class ModelConstant:
    """A value that is known without tensor operations.

    It is read from a file, or computed by the executor from shapes and other constants. `tensor`
    converts it when an operator needs a tensor; `shape` and `dtype` are those of that tensor. Its
    numbers are Python numbers, so integers may have 64 bits. Texts are always constants.
    """

    name: str
    dtype: DType
    shape: Shape
    elements: Any
    """Flat list of numbers or of texts (bytes), or an `Entry` of a file that is not decoded yet."""
    _tensor: Tensor | None = None
    _split: SplitMatrix | None = None
    restored: Callable[[], Tensor] | None = None
    """Function that returns the tensor, if only a copy with permuted axes is kept."""
    narrow: tuple[int, int] | None = None
    """Bits and least number of integers of less than 8 bits, which are stored in 8 bits."""

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes, in the file or, for computed numbers, as a tensor."""
        if isinstance(self.elements, Entry):
            return self.size * SIZES[self.elements.dtype]
        if self.dtype is TEXT:
            return sum(map(len, self.elements))
        return self.size * self.dtype.itemsize

    @property
    def numbers(self) -> list[Any]:
        """Flat list of the elements."""
        if isinstance(self.elements, Entry):
            code, _, data = self.elements
            count = len(data) // struct.calcsize(FORMATS[code])
            self.elements = list(struct.unpack(f"<{count}{FORMATS[code]}", data))
            if code == "C64":
                parts = iter(self.elements)
                self.elements = list(map(complex, parts, parts))
            if code == "BF16":
                wide = array("I", [bits << 16 for bits in self.elements])
                self.elements = memoryview(wide).cast("B").cast("f").tolist()
        numbers: list[Any] = self.elements
        return numbers

    @cached_property
    def places(self) -> dict[Any, int]:
        """Last position of each distinct element in the flat list."""
        return {element: at for at, element in enumerate(self.numbers)}

    def tolist(self) -> Any:
        """Return the elements as nested lists, or a single element if there are no axes."""
        numbers: list[Any] = self.numbers
        for axis in range(len(self.shape) - 1, 0, -1):
            length, count = self.shape[axis], math.prod(self.shape[:axis])
            numbers = [numbers[at * length : (at + 1) * length] for at in range(count)]
        return numbers if self.shape else numbers[0]

    @property
    def has_tensor(self) -> bool:
        """True if the tensor has already been created."""
        return self._tensor is not None

    def tensor(self) -> Tensor:
        """Return the value as a tensor; raise ModelError if integers do not fit its dtype.

        Raises TypeError for texts.
        """
        if self.dtype is TEXT:
            raise TypeError("texts instead of a tensor")
        if self.restored is not None:
            return self.restored()
        if self._tensor is None:
            try:
                if isinstance(self.elements, Entry):
                    self._tensor = decoded(self.name, self.elements, self.dtype)
                else:
                    flat = asarray(self.elements, dtype=self.dtype)
                    self._tensor = flat.reshape(self.shape)
            except DTypeError as error:
                raise ModelError(
                    f'load: constant "{self.name}" does not fit {self.dtype}; got {error}; '
                    "WebGL has no 64-bit integers: use smaller numbers"
                ) from None
        return self._tensor

    def stored(self, may_split: bool) -> Tensor | SplitMatrix:
        """Return the tensor, or with `may_split` a split matrix if it is too large.

        Of several matrices along the first axis, a split matrix has all rows. The elements of the
        file are dropped.
        """
        if self._split is not None:
            return self._split
        if self._tensor is not None or not isinstance(self.elements, Entry) or not may_split:
            own = self.tensor()
            self.release()
            return own
        code, _, data = self.elements

        def make(shape: Shape, part: memoryview) -> Tensor:
            return decoded(self.name, Entry(code, shape, part), self.dtype)

        value: Tensor | SplitMatrix
        value = matrix_of_rows(make, self.shape, memoryview(data).cast("B"))
        if isinstance(value, SplitMatrix):
            shape, self._split = self.shape, value
            self.restored = lambda: value.unpacked().reshape(shape)
        else:
            self._tensor = value
        self.release()
        return value

    def release(self) -> None:
        """Drop the elements read from a file, after the tensor has been created."""
        if isinstance(self.elements, Entry):
            self.elements = self.elements._replace(data=b"")

    def without_elements(self) -> ModelConstant:
        """Return a constant of this name, dtype and shape, without the elements."""
        elements = self.elements
        if self.dtype is TEXT:
            return ModelConstant(self.name, TEXT, self.shape, [])
        code = elements.dtype if isinstance(elements, Entry) else CODES[self.dtype]
        return ModelConstant(self.name, self.dtype, self.shape, Entry(code, self.shape, b""))


def constant_of_entry(name: str, entry: Entry) -> ModelConstant:
    """Return the constant for an entry of a file."""
    if len(entry.data) <= COPIED_BYTES:
        entry = entry._replace(data=bytes(entry.data))
    return ModelConstant(name, as_dtype(DTYPE_OF_CODE[entry.dtype]), tuple(entry.shape), entry)


def rounded(numbers: list[Any], dtype: DType) -> list[Any]:
    """Convert numbers to float32, truth values, or integers that wrap at 64 bits.

    Texts are returned unchanged.
    """
    if dtype is TEXT:
        return numbers
    if dtype is float32:
        return array("f", numbers).tolist()
    if dtype.kind == "b":
        return [*map(bool, numbers)]
    return [(int(number) + _HALF & 2 * _HALF - 1) - _HALF for number in numbers]


@dataclass(frozen=True, eq=False)
class ValueList:
    """List of values of one dtype: an ONNX sequence, a TensorList or a TensorArray."""

    elements: tuple[Tensor | ModelConstant | None, ...]
    """Values; None for an element that has not been written."""
    dtype: DType
    shape: tuple[int | None, ...] | None
    """Shape of each element; None for an unknown shape or length."""

    @property
    def size(self) -> int:
        """Number of elements of the list."""
        return len(self.elements)


@dataclass(frozen=True, eq=False)
class HashTable:
    """Hash table from keys to values, which are numbers or texts."""

    keys: ModelConstant
    values: ModelConstant

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.keys.size

    @property
    def shape(self) -> Shape:
        """Shape of the keys."""
        return self.keys.shape


class LinearQuantization(NamedTuple):
    """Quantization of an input or output: an integer q stands for (q - zero_point) * scale.

    >>> import py_tensor as pt
    >>> scale, zero_point = pt.models.LinearQuantization(0.5, 128)
    >>> image = pt.asarray([-1.0, 0.0, 3.0])
    >>> pt.clip(pt.round(image / scale) + zero_point, 0, 255).astype("uint8").tolist()
    [126, 128, 134]
    """

    scale: float
    zero_point: int


class ValueInfo(NamedTuple):
    """Declared input or output of a graph."""

    name: str
    dtype: DType | None
    """Declared dtype; None if the file does not declare one, or if the value is neither numbers nor
    texts. Texts have the dtype "str" and are passed as str or nested lists of str."""
    shape: tuple[int | str | None, ...] | None
    """Lengths of axes. A str names a length that may differ between calls; None has no name."""
    quantization: LinearQuantization | None = None
    """Scale and zero point, if the file declares one pair for the whole tensor."""
    is_list: bool = False
    """True for a list of tensors; then `dtype` and `shape` describe its elements."""
    is_optional: bool = False
    """True if the value may be None."""

    def __repr__(self) -> str:
        fields = self._asdict().items()
        declared = {name: value for name, value in fields if value or name in self._fields[:3]}
        shown = ", ".join(f"{name}={value!r}" for name, value in declared.items())
        return f"ValueInfo({shown})"


class ModelNode(NamedTuple):
    """One call of an operator."""

    name: str
    operator: str
    """Name in the format's table of operators, prefixed by its domain if it has one."""
    inputs: tuple[str, ...]
    """Names of values; "" for an omitted input."""
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    """Numbers, texts, lists of these, constants and graphs."""
    version: int
    """Version of the operator set."""


class ModelGraph(NamedTuple):
    """Graph of a model, or of a branch or body of control flow, with nodes in execution order."""

    name: str
    inputs: tuple[ValueInfo, ...]
    outputs: tuple[ValueInfo, ...]
    nodes: tuple[ModelNode, ...]
    constants: dict[str, ModelConstant]
    aliases: Mapping[str, str] = MappingProxyType({})
    """Alternative names of values, mapped to the names that nodes use."""
    frozen: frozenset[str] = frozenset()
    """Names of constants that are not trained."""
    converts_inputs: bool = False
    """True if inputs are cast to their declared dtypes."""
    states: Mapping[str, str] = MappingProxyType({})
    """State that is kept between calls: the name of the value that reads it, mapped to the name of
    the value that replaces it. It is None in the first call."""


def reads(node: ModelNode) -> list[str]:
    """Return the names of the values that a node and its nested graphs read."""
    names = list(node.inputs)
    for value in node.attributes.values():
        if isinstance(value, ModelGraph):
            for inner in value.nodes:
                names += reads(inner)
            names += [info.name for info in value.outputs]
    return names
