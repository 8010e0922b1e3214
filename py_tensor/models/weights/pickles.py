"""Interpret pickles without running code.

Input: the bytes of a pickle. Output: numbers, texts, lists, dicts, tuples, and what a fixed table
of builders makes. Nothing is imported, no attribute is read, and no function outside of the table
is called. Source of the format: Lib/pickletools.py of CPython, protocols 0 to 5.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import ModelError

ObjectBuilder = Callable[..., Any]
"""Makes a value from the arguments of a call in the pickle; raises ValueError for wrong ones."""


class Name(str):
    """Qualified name of a function or class in a pickle, which is never imported."""

    __slots__ = ()


class Attributes(dict[str, Any]):
    """Attributes of an object that is a plain collection of attributes."""


STEPS = 2_000_000
"""Maximum number of operations in the pickles of a file."""


class Ignored:
    """Value that is not needed, for example a device or a number of NumPy."""


class _Mark:
    """Marker on the stack."""


_MARK = _Mark()
_KEYS = (str, int, float, bool, bytes, type(None), Name)
"""Types of keys of dicts. Others are refused, since hashing nested tuples uses the C stack."""
_CONSTANTS: dict[bytes, Callable[[], Any]] = {
    b"N": lambda: None, b"\x88": lambda: True, b"\x89": lambda: False, b")": lambda: (),
    b"]": list, b"}": dict, b"\x8f": list,
}  # fmt: skip
_NUMBERS = {b"K": "<B", b"M": "<H", b"J": "<i", b"G": ">d"}
_BYTES = {
    b"X": ("<I", True), b"\x8c": ("<B", True), b"\x8d": ("<Q", True),
    b"T": ("<I", True), b"U": ("<B", True),
    b"B": ("<I", False), b"C": ("<B", False), b"\x8e": ("<Q", False), b"\x96": ("<Q", False),
}  # fmt: skip
"""Format of the length, and whether the bytes are text."""
_PUT = {b"q": "<B", b"r": "<I"}
_GET = {b"h": "<B", b"j": "<I"}
_SKIPPED = {b"\x80": 1, b"\x95": 8}
"""Opcodes that only describe the pickle, and the number of bytes of their operands."""


class Machine:
    """Interprets one pickle after the other in the bytes of a file.

    `builders` are the functions by qualified name that the pickle may call, and `persistent` makes
    a value from a persistent id. `file` names the pickle in errors.
    """

    def __init__(
        self,
        data: Any,
        file: str,
        builders: Mapping[str, ObjectBuilder],
        persistent: Callable[[Any], Any],
    ) -> None:
        self._data = memoryview(data).cast("B")
        self._file = file
        self._builders = builders
        self._persistent = persistent
        self.at = 0
        """Position of the next byte."""
        self._start = 0
        self._left = STEPS

    def load(self) -> Any:
        """Return the value of the next pickle; raise ModelError if it needs anything else."""
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        while True:
            self._start = self.at
            self._left -= 1
            if self._left < 0:
                raise self._malformed(f"it has more than {STEPS:,} operations")
            code = bytes(self._take(1))
            if code == b".":
                return self._pop()
            try:
                self._step(code)
            except (ValueError, TypeError, IndexError, OverflowError, struct.error) as error:
                if isinstance(error, ModelError):
                    raise
                raise self._malformed(str(error) or type(error).__name__) from None

    def _step(self, code: bytes) -> None:
        stack = self._stack
        if code in _CONSTANTS:
            stack.append(_CONSTANTS[code]())
        elif code in _NUMBERS:
            stack.append(self._number(_NUMBERS[code]))
        elif code in _BYTES:
            form, text = _BYTES[code]
            content = bytes(self._take(self._number(form)))
            stack.append(str(content, "utf-8", "surrogatepass") if text else content)
        elif code in _PUT:
            self._memo[self._number(_PUT[code])] = self._top()
        elif code in _GET:
            stack.append(self._known(self._number(_GET[code])))
        elif code in _SKIPPED:
            self._take(_SKIPPED[code])
        elif code in _STEPS:
            _STEPS[code](self)
        else:
            raise self._malformed(f"operation {code!r} is not supported")

    # --- bytes ------------------------------------------------------------------------------------

    def _take(self, count: int) -> memoryview:
        end = self.at + count
        if count < 0 or end > len(self._data):
            raise self._malformed("it is cut off")
        part = self._data[self.at : end]
        self.at = end
        return part

    def _number(self, form: str) -> Any:
        [value] = struct.unpack(form, self._take(struct.calcsize(form)))
        return value

    def _line(self) -> str:
        """Return the text up to the end of the line; lines are short."""
        window = bytes(self._data[self.at : self.at + 5000])
        line, end, _ = window.partition(b"\n")
        if not end:
            raise self._malformed("a line is too long or cut off")
        self.at += len(line) + 1
        return str(line, "utf-8")

    # --- stack ------------------------------------------------------------------------------------

    def _top(self) -> Any:
        if not self._stack or self._stack[-1] is _MARK:
            raise self._malformed("the stack is empty")
        return self._stack[-1]

    def _pop(self) -> Any:
        value = self._top()
        self._stack.pop()
        return value

    def _pop_mark(self) -> list[Any]:
        """Return the values above the last mark, and remove them and the mark."""
        stack = self._stack
        at = len(stack) - 1
        while at >= 0 and stack[at] is not _MARK:
            at -= 1
        if at < 0:
            raise self._malformed("a mark is missing")
        values = stack[at + 1 :]
        del stack[at:]
        return values

    def _known(self, index: int) -> Any:
        if index not in self._memo:
            raise self._malformed(f"nothing is stored under number {index}")
        return self._memo[index]

    # --- values -----------------------------------------------------------------------------------

    def _tuple(self, count: int) -> None:
        values = [self._pop() for _ in range(count)]
        self._stack.append(tuple(reversed(values)))

    def _append(self, values: list[Any]) -> None:
        target = self._top()
        if type(target) is not list:
            raise self._malformed("elements are added to what is not a list")
        target += values

    def _set(self, values: list[Any]) -> None:
        target = self._top()
        if not isinstance(target, dict) or len(values) % 2:
            raise self._malformed("items are added to what is not a dict")
        for key, value in zip(values[::2], values[1::2], strict=True):
            if type(key) not in _KEYS or (type(key) is int and key.bit_length() > 64):
                raise self._malformed(f"key of a dict is a {type(key).__name__}")
            target[key] = value

    def _call(self, name: Any, arguments: Any) -> None:
        if type(name) is not Name or type(arguments) is not tuple:
            raise self._malformed("a call is not one of a named function with a tuple")
        self._stack.append(self.built(name, arguments))

    def built(self, name: Name, arguments: tuple[Any, ...]) -> Any:
        """Return what the builder of a name makes; raise ModelError for other names."""
        if name not in self._builders:
            raise ModelError(
                "load_weights: file builds an object that is not a tensor or a plain container; "
                f"got {str(name)!r:.80} at byte {self._start} of {self._file}; save the state_dict "
                "only, with torch.save(model.state_dict(), path)"
            )
        return self._builders[name](*arguments)

    def _build(self) -> None:
        state, target = self._pop(), self._top()
        if type(target) is Ignored:
            return
        if isinstance(target, Attributes) and isinstance(state, dict):
            target.update(state)
        elif not isinstance(target, dict) or not isinstance(state, dict):
            raise self._malformed(f"attributes are set on a {type(target).__name__}")
        # Attributes of a dict, for example the versions of a state_dict, are not needed.

    def _named(self, module: Any, name: Any) -> None:
        if type(module) is not str or type(name) is not str:
            raise self._malformed("name of a function is not a text")
        self._stack.append(Name(f"{module}.{name}"))

    def _long(self, form: str) -> None:
        self._stack.append(int.from_bytes(self._take(self._number(form)), "little", signed=True))

    def _text_number(self) -> None:
        line = self._line()
        truth = {"00": False, "01": True}
        self._stack.append(truth[line] if line in truth else int(line.removesuffix("L")))

    def _malformed(self, wrong: str) -> ModelError:
        return ModelError(
            f"load_weights: not a valid pickle: {wrong}; got byte {self._start} of {self._file}; "
            "download or save the file again"
        )


def shown(value: Any) -> str:
    """Describe a value in an error; containers may be cyclic or deep."""
    plain = type(value) in (str, Name, bool) or (type(value) is int and value.bit_length() < 99)
    return repr(value)[:60] if plain else f"a {type(value).__name__}"


def _quoted(machine: Machine) -> None:
    """Read a text of protocol 0."""
    line = machine._line()
    if len(line) < 2 or line[0] not in "'\"" or line[-1] != line[0]:
        raise ValueError("text has no quotes")
    machine._stack.append(str(codecs.escape_decode(line[1:-1].encode())[0], "utf-8"))


def _instance(machine: Machine) -> None:
    module, name = machine._line(), machine._line()
    machine._call(Name(f"{module}.{name}"), tuple(machine._pop_mark()))


def _object(machine: Machine) -> None:
    name, *arguments = machine._pop_mark()
    machine._call(name, tuple(arguments))


def _reduce(machine: Machine) -> None:
    arguments = machine._pop()
    machine._call(machine._pop(), arguments)


def _pair(machine: Machine, use: Callable[[Any, Any], None]) -> None:
    second = machine._pop()
    use(machine._pop(), second)


def _marked_dict(machine: Machine) -> None:
    values = machine._pop_mark()
    machine._stack.append({})
    machine._set(values)


_STEPS: dict[bytes, Callable[[Machine], Any]] = {
    b"(": lambda m: m._stack.append(_MARK),
    b"0": lambda m: m._stack.pop(),
    b"1": lambda m: m._pop_mark(),
    b"2": lambda m: m._stack.append(m._top()),
    b"t": lambda m: m._stack.append(tuple(m._pop_mark())),
    b"l": lambda m: m._stack.append(m._pop_mark()),
    b"d": _marked_dict,
    b"\x85": lambda m: m._tuple(1),
    b"\x86": lambda m: m._tuple(2),
    b"\x87": lambda m: m._tuple(3),
    b"a": lambda m: m._append([m._pop()]),
    b"e": lambda m: m._append(m._pop_mark()),
    b"\x90": lambda m: m._append(m._pop_mark()),
    b"s": lambda m: _pair(m, lambda key, value: m._set([key, value])),
    b"u": lambda m: m._set(m._pop_mark()),
    b"\x8a": lambda m: m._long("<B"),
    b"\x8b": lambda m: m._long("<i"),
    b"I": Machine._text_number,
    b"L": Machine._text_number,
    b"F": lambda m: m._stack.append(float(m._line())),
    b"S": _quoted,
    b"V": lambda m: m._stack.append(m._line().encode().decode("raw_unicode_escape")),
    b"p": lambda m: m._memo.__setitem__(int(m._line()), m._top()),
    b"g": lambda m: m._stack.append(m._known(int(m._line()))),
    b"\x94": lambda m: m._memo.__setitem__(len(m._memo), m._top()),
    b"c": lambda m: m._named(m._line(), m._line()),
    b"\x93": lambda m: _pair(m, m._named),
    b"R": _reduce,
    b"\x81": _reduce,
    b"i": _instance,
    b"o": _object,
    b"b": Machine._build,
    b"Q": lambda m: m._stack.append(m._persistent(m._pop())),
}  # fmt: skip
"""Function of each operation that is not in one of the tables above. Extension codes, keyword
arguments and buffers outside of the pickle have none."""
