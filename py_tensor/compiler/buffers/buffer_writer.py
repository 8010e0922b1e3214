"""Write the statements of a kernel in linear memory, four neighbouring elements at a time.

Input: the nodes of a kernel, and coordinates in their values. Output: statements that load
operands, compute and store results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from ...ir.node import Scalar
from ...language.printer import Printer
from ...language.tree import INT, Value, Whole
from ...ops.index_map import View, contiguous, row_major
from ...ops.op_def import OpDef
from ..codegen.indices import Index
from ..codegen.kernel_nodes import KernelNodes
from ..codegen.positions import Axes, by_axes, total
from ..codegen.writer import Expression, Writer
from .storage import GROUP, ElementForm, stored

WHOLE = View((), ())
"""Map of positions to themselves."""


class LoadMode(StrEnum):
    """Way in which a kernel reads an input; `pt.explain` prints its value."""

    NEIGHBOURS = "neighbours"
    """One load for four lanes."""
    SPLAT = "splat"
    """One element for all lanes."""
    CROSSED = "crossed"
    """Four loads for four vectors, whose lanes are apart while the vectors are neighbours."""
    STRIDED = "strided"
    """Four loads at constant distances from one position."""
    LANES = "lanes"
    """Four loads at separate positions."""


class BufferReader(Writer):
    """Writer of values that are read from linear memory. `in0`, `in1`, ... are addresses."""

    def __init__(
        self, nodes: KernelNodes, expressions: Mapping[type[OpDef], Expression], printer: Printer
    ) -> None:
        super().__init__(nodes, expressions, printer)
        self.modes: dict[int, set[LoadMode]] = {}
        self.runs: dict[str, Value] = {}
        """First of four neighbouring coordinates, by the text of the vector of all."""
        self.crossed: dict[str, tuple[Value, int]] = {}
        """First of four coordinates, and the number of this one, by its text."""
        self.later: dict[str, tuple[Value, int]] = {}
        """Counter and number to add to it, by the text of the sum, for loads and stores."""
        self.firsts: dict[str, Whole] = {}
        """First coordinate of each vector of coordinates, by its text."""
        self.results = len(nodes.kernel.outputs)
        """Outputs that `result` stores; the others are stored where they are computed."""
        self.pairs = False
        """True if loads of four neighbours come in pairs, so that one load serves two of them."""
        self.has_fma = False
        """True if products and sums may be rounded once."""
        self.updates: int | None = None
        """Number of the input whose memory the output may have."""
        self.scratch = 0
        """Bytes of memory that the kernel needs besides its inputs and outputs."""

    # --- loops ----------------------------------------------------------------------------------

    def neighbours(self, first: Value, after: int = 0) -> Value:
        """Return a vector of four coordinates, of which the first one is `first + after`."""
        first = self.moved(first, after)
        lanes: Value = self.code.let(self.positions.spread(first, 1), "i")
        self.runs[lanes.text] = self.firsts[lanes.text] = first
        return lanes

    def moved(self, counter: Value, after: int) -> Value:
        """Return a coordinate after a counter, which loads and stores add to their offsets."""
        if not after:
            return counter
        first = self.code.printer.whole(counter + after)
        self.later[first.text] = counter, after
        return first

    def coordinates(self, at: int, index: Index) -> list[Value] | None:
        """Return four elements' coordinates in a node, or None if the loops do not count them."""
        shape = self.nodes.spec(at).shape
        if index.stack or by_axes(View(shape, row_major(shape)), index.axes) is None:
            return None
        parts = self.positions.coordinates(index, shape, index.first is not None)
        if index.first is not None:
            # Axes of length 1 after the one along the lanes are in no loop.
            last = max(axis for axis, length in enumerate(shape) if length > 1)
            parts[last] = self.neighbours(self.code.let(self.code.printer.whole(parts[last]), "c"))
        vectors = [self.code.printer.spread(self.code.printer.whole(part)) for part in parts]
        return [self.code.let(vector, "c") for vector in vectors]

    def run_of(self, lanes: Value) -> Value | None:
        return self.runs.get(lanes.text)

    def last_ones(self, first: int, length: int) -> Value:
        """Return a vector of coordinates from `first` on, of which the last one is repeated."""
        numbers = ",".join([str(min(first + lane, length - 1)) for lane in range(GROUP)])
        lanes: Value = self.code.let(self.code.value(f"i32x4.const:{numbers}", INT), "i")
        self.firsts[lanes.text] = first
        return lanes

    def crossing(self, first: Value) -> list[Value]:
        """Return four neighbouring coordinates along the crossed axis, one for each vector."""
        coordinates = [self.code.let(first + lane, "j") for lane in range(1, GROUP)]
        for lane, coordinate in enumerate(coordinates, 1):
            self.crossed[coordinate.text] = first, lane
        self.crossed[first.text] = first, 0
        return [first, *coordinates]

    def whole_groups(self, length: int, step: int = GROUP) -> Any:
        """Return a loop over the first elements of whole groups of an axis."""
        return self.code.loop(0, length // step * step, step)

    def groups(self, length: int) -> Iterator[tuple[Whole, Value, int]]:
        """Write the statements in a loop over an axis, first for whole groups, then for the rest.

        Yield the first coordinate, the coordinates of the lanes, and the number of lanes.
        """
        if length >= GROUP:
            with self.whole_groups(length) as k:
                yield k, self.neighbours(k), GROUP
        if rest := length % GROUP:
            yield length - rest, self.last_ones(length - rest, length), rest

    def index(self, size: int, axes: Axes) -> Index:
        """Return the index of four elements, given the coordinates along the axes of a value."""
        strides = row_major(tuple([length for _, length in axes]))
        terms = list(zip([c for c, _ in axes], strides, strict=True))
        last, length = axes[-1] if axes else (None, 1)
        first = self.runs.get(last.text) if last is not None else None
        are_rows = all(isinstance(c, int) or c.lanes == 1 for c, _ in axes[:-1])
        if first is not None and length % GROUP == 0 and are_rows:
            # Its position is a multiple of four, since the coordinates before it count whole rows.
            terms[-1] = (first, 1)
            own = (*axes[:-1], (first, length))
            position = self.code.let(self.code.printer.whole(total(terms, 0)), "e")
            return Index(size, position, axes=own)
        lanes = self.code.printer.spread(self.code.printer.whole(total(terms, 0)))
        return Index(size, lanes=self.code.let(lanes, "e"), axes=axes)

    # --- reads ----------------------------------------------------------------------------------

    def read(self, at: int, index: Index) -> Value:
        """Return the four lanes of an input at an index, read in the cheapest way."""
        form = stored(self.nodes.spec(at).dtype)
        slot = self.kernel.inputs.index(at)
        terms = self._terms(index)
        if terms is not None:
            mode, value = self._by_terms(slot, form, *terms)
        elif (first := self.positions.aligned_first(index)) is not None:
            mode, value = LoadMode.NEIGHBOURS, self._loaded(form, self._address(slot, form, first))
        elif (only := self.positions.splat(index)) is not None:
            mode, value = LoadMode.SPLAT, self._splat(form, self._address(slot, form, only))
        else:
            mode, base = LoadMode.LANES, self.code.printer.spread(self._base(slot))
            lanes = self.code.let(base + self.positions.lanes(index) * form.size, "p")
            value = self._each(form, [(lanes.lane(name), 0) for name in "xyzw"])
        self.modes.setdefault(at, set()).add(mode)
        return value

    def _terms(self, index: Index) -> tuple[list[tuple[Value, int]], int, int] | None:
        """Return coordinates with their steps, the offset, and the distance of the lanes.

        None is returned if the positions do not follow from coordinates, or if the lanes have no
        constant distance.
        """
        if len(index.stack) > 1 or not index.axes:
            return None
        view = index.stack[0] if index.stack else contiguous(tuple([n for _, n in index.axes]))
        known = [] if view.is_constant else by_axes(view, index.axes)
        if known is None:
            return None
        apart, terms = 0, []
        last = index.axes[-1][0]
        for coordinate, step in known:
            if coordinate.lanes == 1:
                if coordinate is last and index.first is not None:
                    apart = step
                terms.append((coordinate, step))
            elif coordinate.text in self.runs:
                apart += step
                terms.append((self.runs[coordinate.text], step))
            else:
                return None
        return terms, view.offset, apart

    def _by_terms(
        self, slot: int, form: ElementForm, terms: list[tuple[Value, int]], offset: int, apart: int
    ) -> tuple[LoadMode, Value]:
        """Return the way of reading, and the lanes at coordinates times their steps."""
        base = self._base(slot)
        if apart not in (0, 1):
            for at, (coordinate, step) in enumerate(terms):
                if step == 1 and coordinate.text in self.crossed:
                    first, lane = self.crossed[coordinate.text]
                    terms = [*terms[:at], (first, 1), *terms[at + 1 :]]
                    return LoadMode.CROSSED, self._block(slot, form, terms, offset, apart)[lane]
        scaled = [(coordinate, step * form.size) for coordinate, step in terms]
        address, start = self._summed(base, scaled, offset * form.size)
        if apart == 0:
            return LoadMode.SPLAT, self._splat(form, address, start)
        if apart == 1:
            return LoadMode.NEIGHBOURS, self._loaded(form, address, start)
        step = apart * form.size
        if start + 3 * step < 0 or start < 0:
            address, start = self.code.let(address + start), 0
        parts = []
        for lane in range(GROUP):
            away = start + lane * step
            parts.append((address, away) if away >= 0 else (address + away, 0))
        return LoadMode.STRIDED, self._each(form, parts)

    def _block(
        self, slot: int, form: ElementForm, terms: list[tuple[Value, int]], offset: int, apart: int
    ) -> list[Value]:
        """Return four vectors whose lanes are apart, of which each is next to the one before."""
        code = self.code
        key = slot, tuple([(coordinate.text, step) for coordinate, step in terms]), offset, apart
        block: list[Value] | None = code.known(key)
        if block is None:
            rows = []
            for lane in range(GROUP):
                scaled = [(coordinate, step * form.size) for coordinate, step in terms]
                base = self._base(slot)
                place = self._summed(base, scaled, (offset + lane * apart) * form.size)
                rows.append(code.let(self._loaded(form, *place)))
            block = self._transposed(rows)
            code.keep(key, block[0])
            code.values[key] = block
        return block

    def _transposed(self, rows: Sequence[Value]) -> list[Value]:
        """Return the columns of four vectors."""
        let, printer = self.code.let, self.code.printer
        low, high = (0, 4, 1, 5), (2, 6, 3, 7)
        a, b, c, d = rows
        pairs = [
            let(printer.shuffled(p, q, lanes)) for lanes in (low, high) for p, q in ((a, c), (b, d))
        ]
        halves = (pairs[0], pairs[1]), (pairs[2], pairs[3])
        return [let(printer.shuffled(p, q, lanes)) for p, q in halves for lanes in (low, high)]

    def _summed(
        self, base: Value, terms: Sequence[tuple[Whole, int]], start: int
    ) -> tuple[Value, int]:
        """Return an address, and bytes to add that are not negative.

        Terms that do not change in the innermost loop are added up before it, in one variable.
        """
        code = self.code
        changing = code.scopes[-1].declared if len(code.scopes) > 1 else 0
        outer, inner = [], []
        for coordinate, step in terms:
            if isinstance(coordinate, int):
                start += coordinate * step
                continue
            if coordinate.text in self.later:
                coordinate, after = self.later[coordinate.text]
                start += after * step
            if coordinate.uses & changing:
                inner.append((coordinate, step))
            else:
                outer.append((coordinate, step))
        rest, start = min(start, 0), max(start, 0)
        if any(step < 0 for _, step in terms):
            # Instructions add offsets to addresses without a sign, which cannot be negative.
            rest, start = start, 0
        if outer or rest:
            base = code.let(code.printer.sum([(base, 1), *outer], rest), "p")
        if inner:
            base = code.let(base + code.let(total(inner, 0), "o"), "p")
        return base, start

    def _base(self, slot: int) -> Value:
        return self.code.value(f"in{slot}", INT, 1)

    def _address(self, slot: int, form: ElementForm, position: Whole) -> Value:
        """Return the address of an element of an input."""
        address: Value = self.code.let(self._base(slot) + position * form.size, "p")
        return address

    def _each(self, form: ElementForm, parts: Sequence[tuple[Value, int]]) -> Value:
        """Return four elements, given the address of each and bytes to add."""
        uses = 0
        for address, _ in parts:
            uses |= address.uses
        text = form.each([(address.text, start) for address, start in parts])
        return self.code.value(text, form.kind, uses=uses)

    def _splat(self, form: ElementForm, address: Value, start: int = 0) -> Value:
        return self.code.value(form.splat(address.text, start), form.kind, uses=address.uses)

    def _loaded(self, form: ElementForm, address: Value, start: int = 0) -> Value:
        if self.pairs and form.eight:
            half = start // GROUP % 2
            text = f"{address.text} {form.eight}:{start - GROUP * half}"
            eight = self.code.let(self.code.value(text, form.kind, uses=address.uses))
            text = f"{eight.text} {form.halves[half]}"
            return self.code.value(text, form.kind, uses=eight.uses)
        return self.code.value(form.load(address.text, start), form.kind, uses=address.uses)


class BufferWriter(BufferReader):
    """Writer of values in linear memory. `out0`, `out1`, ... are addresses."""

    # --- results --------------------------------------------------------------------------------

    def result(self, axes: Axes, lanes: int = GROUP, view: View = WHOLE) -> None:
        """Store four elements of each output, or the first ones, given their coordinates.

        The view maps the coordinates of a part of the output to positions in it.
        """
        for number, output in enumerate(self.kernel.outputs[: self.results]):
            index = self.index(self.nodes.spec(output).size, axes).through(view)
            self.store(number, self.value(output, index), axes, lanes, view)

    def store(
        self, number: int, value: Value, axes: Axes, lanes: int = GROUP, view: View = WHOLE
    ) -> None:
        """Store lanes of an output at their coordinates, of which one is a vector."""
        form = stored(self.nodes.spec(self.kernel.outputs[number]).dtype)
        address, start, apart = self.place(f"out{number}", form, axes, view)
        self.write(form, address, start, value, lanes, apart)

    def place(
        self, base: str, form: ElementForm, axes: Axes, view: View = WHOLE
    ) -> tuple[Value, int, int]:
        """Return the address of the first lane, bytes to add, and the distance of the lanes."""
        strides = view.strides or row_major(tuple([length for _, length in axes]))
        terms = [
            (c if isinstance(c, int) else self.firsts.get(c.text, c), step * form.size)
            for (c, _), step in zip(axes, strides, strict=True)
        ]
        apart = sum(
            step
            for (c, _), step in zip(axes, strides, strict=True)
            if not isinstance(c, int) and c.text in self.firsts
        )
        start = view.offset * form.size
        return *self._summed(self.code.value(base, INT, 1), terms, start), apart

    def write(
        self, form: ElementForm, address: Value, start: int, value: Value, lanes: int, apart: int
    ) -> None:
        """Write lanes of a value to elements at a distance."""
        code, uses = self.code, address.uses | value.uses
        if lanes == GROUP and apart == 1:
            code.line(form.store(address.text, start, value.text), uses)
            return
        packed = f"{value.text} {form.packed}".strip()
        whole = code.variable(code.value(packed, form.kind, uses=value.uses), "z")
        for lane in range(lanes):
            place = f"{form.store_lane}:{lane}:{start + lane * apart * form.size}"
            code.line(f"{address.text} {whole.text} {place}", address.uses | whole.uses)

    # --- scalars --------------------------------------------------------------------------------

    def _scalar(self, at: int, call: Scalar) -> Value:
        return self.code.let(super()._scalar(at, call), "u")

    def uniform(self, array: str, number: int) -> str:
        return f"{array}{number}"
