"""Forms of a shader's language: how declarations, operations and statements are written.

Input: values and texts. Output: values and texts. `printer.Printer` prints functions and formulas
by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .tree import (
    BITWISE,
    FLOAT,
    INT,
    LITERAL,
    MASK,
    PRIMARY,
    PRODUCT,
    SUM,
    TRUTH,
    UINT,
    UNARY,
    Value,
    ValueKind,
    Whole,
)

Parameters = Sequence[tuple[str, ValueKind]]
"""Names and kinds of a function's parameters."""


class LanguageForms:
    """Forms of a language, with those that the shader languages share."""

    types: ClassVar[dict[tuple[ValueKind, int], str]]
    """Types by kind and number of lanes."""
    native_names: ClassVar[dict[str, str]]
    """Names of native functions that differ from the language's."""
    lanes: ClassVar = 4
    """Number of elements that are computed at once."""
    expression: ClassVar[type[Value]] = Value
    """Class of values that gives their operators the forms of the language."""
    value: type[Value]
    """Class of the values."""

    def size(self, number: int, kind: ValueKind = INT) -> str:
        """Return the text of a whole number of a kind."""
        raise NotImplementedError

    # --- forms of the shader's language ---------------------------------------------------------

    def compared(self, sign: str, a: Value, b: Value) -> Value:
        """Compare two values of one kind."""
        raise NotImplementedError

    def chosen(self, condition: str, a: Value, b: Value) -> Value:
        """Choose between two values of one kind."""
        raise NotImplementedError

    def joined(self, sign: str, values: list[Value]) -> Value:
        """Join truth values by `&` or `|`."""
        raise NotImplementedError

    def inverse(self, condition: Value) -> Value:
        """Negate a truth value of kind "b"."""
        raise NotImplementedError

    def shifted(self, a: Value, sign: str, count: Value) -> Value:
        """Return a shift, of which `a` is the first operand."""
        raise NotImplementedError

    def bits(self, kind: ValueKind, value: Value) -> str:
        """Return the text of the number of a kind with the bits of a value."""
        raise NotImplementedError

    def declared(self, name: str, value: Value) -> str:
        """Declare a local variable."""
        raise NotImplementedError

    def array(self, name: str, kind: ValueKind, length: int) -> str:
        """Declare an array of vectors."""
        raise NotImplementedError

    def loop(self, counter: str, start: str, stop: str, step: int = 1) -> str:
        """Return the head of a loop."""
        raise NotImplementedError

    def called(self, name: str, kind: ValueKind | None) -> str:
        """Return the name of a function of the language, for a kind if it has several."""
        raise NotImplementedError

    def head(self, name: str, parameters: Parameters, results: Sequence[ValueKind]) -> str:
        """Return the head of a function; results after the first are assigned by the function."""
        raise NotImplementedError

    def received(self, name: str, kind: ValueKind) -> tuple[str, str]:
        """Return the declaration of a variable for a further result, and the argument."""
        raise NotImplementedError

    def constant(self, name: str, kind: ValueKind, numbers: Sequence[str]) -> str:
        """Define a number, or a table of numbers if there are several."""
        raise NotImplementedError

    def shuffled(self, a: Value, b: Value, lanes: Sequence[int]) -> Value:
        """Return four lanes of two vectors: 0 to 3 are lanes of `a`, 4 to 7 lanes of `b`."""
        raise NotImplementedError

    # --- forms that the shader languages share ---------------------------------------------------

    def named(self, name: str) -> Value:
        """Return a constant of the module `functions`."""
        return Value(f"PT_{name}", UINT, 0)

    def operation(self, sign: str, level: int, a: Value, b: Value, is_chained: bool) -> Value:
        """Return an operation; `is_chained` is True if `a` is the same bitwise operation."""
        if level == BITWISE and a.lanes != b.lanes and not self.mixes:
            a, b = map(self.spread, (a, b))
        left = a.inside(UNARY if level == BITWISE and not is_chained else level)
        right = b.inside(UNARY if level == BITWISE else level + 1)
        return Value(f"{left} {sign} {right}", a.kind, max(a.lanes, b.lanes), level)

    def unary(self, sign: str, value: Value) -> Value:
        """Change the sign of a number, invert its bits (~), or negate a truth value (!)."""
        if sign == "-" and value.kind == UINT:
            return Value(f"0u - {value.inside(PRODUCT)}", UINT, value.lanes, SUM)
        return Value(f"{sign}{value.inside(PRIMARY)}", value.kind, value.lanes, UNARY)

    def element(self, table: Value, index: Value) -> Value:
        """Return an element of a table for each lane."""
        lanes = self.lanes
        indices = [index] if lanes == 1 else map(index.lane, "xyzw")
        texts = ", ".join([f"{table.text}[{index.text}]" for index in indices])
        return Value(f"{self.types[table.kind, lanes]}({texts})", table.kind, lanes)

    def converted(self, value: Value, kind: ValueKind) -> Value:
        """Convert a number to another kind."""
        text = f"{self.types[kind, value.lanes]}({value.text})"
        return self.value(text, kind, value.lanes, uses=value.uses)

    def any(self, condition: Value) -> Value:
        """Return True if a condition holds for one of the lanes."""
        return condition if condition.lanes == 1 else Value(f"any({condition.text})", TRUTH, 1)

    def divided(self, a: Value, b: Value) -> Value:
        """Return the quotient of integers, rounded towards zero."""
        return Value(f"{a.inside(PRODUCT)} / {b.inside(UNARY)}", a.kind, self.lanes, PRODUCT)

    def native(self, name: str, values: Sequence[Value]) -> Value:
        """Call a function of the driver."""
        return Value(
            self.invoked(self.native_names.get(name, name), [value.text for value in values]),
            values[0].kind,
            self.lanes,
        )

    def invoked(self, name: str, operands: Sequence[str], further: Sequence[str] = ()) -> str:
        """Return the text of a call; `further` are the arguments for further results."""
        return f"{name}({', '.join([*operands, *further])})"

    def bounded(self, name: str, a: Value, b: Whole) -> Value:
        """Return the minimum ("min") or maximum ("max") of integers."""
        text = self.size(b) if isinstance(b, int) else b.text
        uses = a.uses if isinstance(b, int) else a.uses | b.uses
        return self.value(self.invoked(name, [a.text, text]), a.kind, a.lanes, uses=uses)

    def vector(self, kind: ValueKind, parts: Sequence[Whole]) -> Value:
        """Return all lanes, given each of them, some together, or one for all.

        A part with all lanes is converted to the kind.
        """
        texts, uses = [], 0
        for part in parts:
            if isinstance(part, int):
                texts.append(self.size(part))
            else:
                texts.append(part.text)
                uses |= part.uses
        text = self.invoked(self.types[kind, self.lanes], texts)
        return self.value(text, kind, self.lanes, uses=uses)

    def sum(self, terms: Sequence[tuple[Value, int]], offset: int) -> Value:
        """Return a sum of integers times their steps, plus an offset.

        It is one node: most time of writing shaders is spent on positions.
        """
        texts, uses = [], 0
        value = terms[-1][0]
        for term, step in terms:
            uses |= term.uses
            text = term.text if term.level >= (PRODUCT if step != 1 else SUM) else f"({term.text})"
            texts.append(text if step == 1 else f"{text} * {self.size(step)}")
        if len(texts) == 1 and texts[0] == value.text:
            return value + offset
        if offset:
            texts.append(self.size(offset))
        level = SUM if len(texts) > 1 else PRODUCT
        return self.value(" + ".join(texts), INT, value.lanes, level, uses)

    # --- statements ------------------------------------------------------------------------------

    reserved: ClassVar[frozenset[str]] = frozenset()
    """Words of the language that a variable, a letter and a number, may not be named."""
    names_operands = False
    """True if an operand that a formula uses more than once must be a variable."""

    def assigned(self, target: Value, value: Value, sign: str = "=") -> str:
        """Assign a variable."""
        return f"{target.text} {sign} {value.text};"

    def branch(self, condition: Value | None) -> tuple[str, str]:
        """Return head and end of statements that run on a condition, or always."""
        return (f"if ({condition.text}) {{" if condition is not None else "{"), "}"

    def repeat(
        self, label: str, counter: Value, start: Value, stop: Value, step: int = 1
    ) -> tuple[str, str]:
        """Return head and end of a loop while the counter is below `stop`."""
        return f"{self.loop(counter.text, start.text, stop.text, step)} {{", "}"

    def endless(self, label: str) -> tuple[str, str]:
        """Return head and end of a loop that statements leave."""
        return "for (;;) {", "}"

    def leave(self, how: str, label: str) -> str:
        """Leave a loop (`break`), or go on with its next iteration (`continue`)."""
        return f"{how};"

    def leave_if(self, condition: Value, how: str, label: str) -> str:
        """Leave a loop on a condition."""
        return f"if ({condition.text}) {{ {self.leave(how, label)} }}"

    def returned(self, values: Sequence[str]) -> Sequence[str]:
        """Return the statements that return values from a function."""
        further = [
            f"{self.further.format(f'result{number}')} = {text};"
            for number, text in enumerate(values[1:], 1)
        ]
        return [*further, f"return {values[0]};"]

    def function_text(self, head: str, lines: Sequence[str]) -> str:
        """Return the text of a function, given its head and statements."""
        body = "\n".join(lines)
        return f"{head} {{ {body.strip()} }}" if len(lines) == 1 else f"{head} {{\n{body}\n}}"

    mixes = True
    """True if bitwise operations take a vector and a number."""
    special = "{}"
    """Form of the constants NAN and INF."""
    further = "{}"
    """Variable of a further result in the function that assigns it."""

    # --- values ---------------------------------------------------------------------------------

    def of_kind(self, value: Value, kind: ValueKind) -> Value:
        """Give a whole number a kind, and change the form of truth values."""
        if value.kind == kind:
            return value
        if value.kind == LITERAL:
            suffix = {FLOAT: ".0", UINT: "u", MASK: "u"}.get(kind, "")
            return self.value(value.text + suffix, kind, value.lanes)
        if {value.kind, kind} in ({TRUTH, MASK}, {UINT, MASK}):
            wanted = self.types[kind, self.lanes]
            if wanted == self.types[value.kind, self.lanes]:
                return value.of(kind)
            return self.value(f"{wanted}({value.text})", kind, self.lanes, uses=value.uses)
        raise TypeError(f"{value.text} is of kind {value.kind}, not {kind}")

    def spread(self, value: Value) -> Value:
        """Give a value all lanes."""
        if value.lanes == self.lanes:
            return value
        text = f"{self.types[value.kind, self.lanes]}({value.text})"
        return self.value(text, value.kind, self.lanes, uses=value.uses)

    def whole(self, number: Whole, kind: ValueKind = INT) -> Value:
        """Return a whole number as a value."""
        if isinstance(number, Value):
            return number
        text = self.size(number, kind)
        return self.value(text, kind, 1, PRIMARY if number >= 0 else UNARY)
