"""The value of a node at an index, as GLSL statements, each computed once.

An `Index` says which four elements are meant: a base position for each lane, then views. What is
known of the base decides how an operand is read, cheapest first: *same* (the fragment's own texel),
*aligned* (one fetch gives four lanes), *splat* (one element for all lanes), *pairs* (every other
element: two fetches, or one for lanes that are pairs), *strided* (four fetches, from one position
on), *lanes* (four fetches).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ..indexing import (
    Shape,
    Stack,
    View,
    broadcast_view,
    contiguous,
    make_view,
    push,
    row_major,
    steps,
)
from ..nodes import Call, Scalar
from ..ops.rows import (
    Cast,
    Concat,
    Elementwise,
    Gather,
    Interleave,
    Pad,
    Reduction,
    Source,
    ViewRow,
)
from ..schedule.kernel import Kernel
from ..schedule.program import Constant, Program
from .integers import quotient, remainder
from .positions import (
    Axes,
    by_axes,
    coordinate,
    keeps_texels,
    mapped,
    reads_pairs,
    splats,
    total,
)
from .strided import fetched
from .tiles import Tiling
from .types import UNIFORM, VECTOR, converted, kept, literal, wrapped


@dataclass(frozen=True)
class Index:
    """Four positions in a row-major space of `size` elements, seen through `stack`.

    `first` names an int holding the position of lane 0 where the lanes are neighbours and that
    position is a multiple of 4; `lanes` names an ivec4 of all positions; `own` says that they are
    the fragment's own texel. One of `first` and `lanes` is always given. Where it is known, `axes`
    has the coordinates of that position, outermost first, as (name, length); the lanes of `first`
    are then neighbours along the last axis. `pair` names an int, a multiple of 4, where the lanes
    are half of it twice and its neighbour twice, as parts of two complex numbers have it.
    """

    size: int
    first: str = ""
    lanes: str = ""
    own: bool = False
    stack: Stack = ()
    axes: Axes = ()
    pair: str = ""

    def through(self, view: View) -> Index:
        return self if view.is_identity else replace(self, stack=push(self.stack, view))

    def spread(self, shape: Shape, out: Shape) -> Index:
        """Where an operand of `shape` is read for a result of shape `out`."""
        return self if shape == out else self.through(broadcast_view(shape, out))


_DECLARED = re.compile(r"\w+ (\w+) = ")
_COUNTER = re.compile(r"^for \(int (\w+) = ")
_NAME = re.compile(r"(?<![.\w])[a-z]\w*(?!\w|\()")
"""Variables in GLSL: no function, no type, no component."""


@dataclass
class _Scope:
    """Statements between braces, and the names of the values they have computed."""

    loop: bool = False
    lines: list[str] = field(default_factory=list)
    values: dict[tuple[object, ...], str] = field(default_factory=dict)


class Writer:
    """Writes statements of one kernel; `modes` records how each operand was read."""

    def __init__(self, program: Program, kernel: Kernel, tilings: dict[int, Tiling]) -> None:
        self.program = program
        self.kernel = kernel
        self.tilings = tilings
        self.scopes = [_Scope()]
        self.level: dict[str, int] = {}
        self.count = 0
        self.uniforms: dict[str, list[int]] = {"F": [], "I": [], "U": []}
        self.modes: dict[int, set[str]] = {}
        self.fixed: dict[int, str] = {}
        self.texels: dict[str, str] = {}
        """The number of its texel, by the name of a position that starts one."""
        self.offered: list[str] = []

    # --- statements -----------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        return self.scopes[0].lines

    def line(self, text: str, level: int = -1) -> None:
        level %= len(self.scopes)
        self.scopes[level].lines.append("  " * (level + 1) + text)
        declared = _DECLARED.match(text)
        if declared is not None:
            self.level[declared[1]] = level

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Statements inside braces: names made there are forgotten behind them."""
        self.scopes.append(_Scope(loop=head.startswith("for ")))
        self.level |= dict.fromkeys(_COUNTER.findall(head), len(self.scopes) - 1)
        yield
        inside = self.scopes.pop()
        self.line(f"{head} {{")
        self.scopes[-1].lines += inside.lines
        self.line("}")

    @contextmanager
    def _out_at(self, level: int) -> Iterator[None]:
        """Statements further out than those written now."""
        inside = self.scopes[level + 1 :]
        del self.scopes[level + 1 :]
        yield
        self.scopes += inside

    def _level_of(self, expression: str) -> int:
        """How far out an expression can be computed: not out of a condition, but out of loops."""
        level = max((self.level.get(name, 0) for name in _NAME.findall(expression)), default=0)
        last = len(self.scopes) - 1
        return max([level, *(at for at in range(last + 1) if at and not self.scopes[at].loop)])

    def known(self, key: tuple[object, ...]) -> str | None:
        for scope in reversed(self.scopes):
            if key in scope.values:
                return scope.values[key]
        return None

    def keep(self, key: tuple[object, ...], name: str) -> None:
        """Remembers the name of a value as long as the name lives."""
        self.scopes[self.level.get(name, len(self.scopes) - 1)].values[key] = name

    def let(self, key: tuple[object, ...], kind: str, prefix: str, expression: str) -> str:
        """A name for the expression, made at its first use."""
        name = self.known(key)
        if name is None:
            name = self.name(prefix)
            self.line(f"{kind} {name} = {expression};", self._level_of(expression))
            self.keep(key, name)
        return name

    def offer(self, kind: str, name: str, expression: str) -> None:
        """Declares a name that may remain unused; `prune` drops it then."""
        self.offered.append(name)
        self.line(f"{kind} {name} = {expression};")

    def prune(self) -> None:
        """Drops the offered names that nothing uses, the last first: they use each other."""
        for name in reversed(self.offered):
            uses = [at for at, text in enumerate(self.lines) if re.search(rf"\b{name}\b", text)]
            if len(uses) == 1:
                del self.lines[uses[0]]

    def own_texel(self) -> None:
        """Names the fragment's texel by number, `t`, and the position of its first element, `e`."""
        # A product takes half as long as a shift where a processor draws.
        self.offer("int", "t", f"P.y * {self.program.texture_row(self.kernel.output)} + P.x")
        self.offer("int", "e", "t * 4")
        self.texels["e"] = "t"

    def result(self) -> None:
        """The fragment's texel of the kernel's output becomes y0; the last statement."""
        spec = self.program.spec(self.kernel.output)
        value = self.value(self.kernel.output, Index(spec.size, first="e", own=True))
        self.line(f"y0 = {kept(value, spec.dtype)};")
        self.prune()

    # --- values ---------------------------------------------------------------------------------

    def value(self, at: int, index: Index) -> str:
        """The name of four lanes holding node `at` at `index`."""
        order = [(at, index)]
        # Operands first, with a stack of our own: graphs are deeper than Python's.
        while order:
            node, where = order[-1]
            if self.known((node, where)) is not None:
                order.pop()
                continue
            needed = [pair for pair in self._needs(node, where) if self.known(pair) is None]
            if needed:
                order.extend(reversed(needed))
                continue
            order.pop()
            self.keep((node, where), self._write(node, where))
        return self._written(at, index)

    def _written(self, at: int, index: Index) -> str:
        name = self.known((at, index))
        assert name is not None
        return name

    def _inlined(self, at: int) -> bool:
        return (
            at not in self.fixed
            and type(self.program.calls[at]) is Call
            and (at == self.kernel.output or at not in self.kernel.inputs)
            and at not in self.kernel.tiles
        )

    def _needs(self, at: int, index: Index) -> list[tuple[int, Index]]:
        if not self._inlined(at):
            return []
        call = self.program.calls[at]
        edges = self.program.edges[at]
        if isinstance(call.row, ViewRow):
            return [(edges[0], index.through(call.row.view(call.specs[0].shape, call.arg)[1]))]
        if isinstance(call.row, Elementwise):
            return [
                (src, index.spread(spec.shape, call.spec.shape))
                for src, spec in zip(edges, call.specs, strict=True)
            ]
        if isinstance(call.row, Gather):
            return [self._places(at, index)]
        return []

    def _places(self, at: int, index: Index) -> tuple[int, Index]:
        """Which of a gather's places are read, as an operand and an index in it."""
        call, whole = self.program.calls[at], self._aligned_first(index)
        if not index.stack:
            own = index
        elif whole is not None:
            own = Index(call.spec.size, first=whole)
        else:
            own = Index(call.spec.size, lanes=self.lanes(index))
        shape, axis = call.specs[0].shape, call.arg
        frame = (math.prod(shape[:axis]), call.specs[1].size, row_major(shape)[axis])
        return self.program.edges[at][1], own.through(make_view(frame, (0, 1, 0)))

    def _write(self, at: int, index: Index) -> str:
        call = self.program.calls[at]
        if at in self.fixed:
            return self.fixed[at]
        if type(call) is Scalar:
            return self._scalar(at, call)
        if type(call) is Constant:
            dtype = call.spec.dtype
            return f"{VECTOR[dtype.kind]}({literal(call.value, dtype)})"
        if not self._inlined(at):
            return self._read(at, index)
        row = call.row
        if isinstance(row, ViewRow):
            return self._written(*self._needs(at, index)[0])
        if isinstance(row, Elementwise):
            return self._elementwise(at, index)
        if isinstance(row, Pad):
            return self._pad(at, index)
        if isinstance(row, Concat):
            return self._concat(at, index)
        if isinstance(row, Gather):
            return self._gather(at, index)
        if isinstance(row, Interleave):
            return self._interleave(at, index)
        if isinstance(row, Reduction):
            return self._reduced(at, index)
        assert isinstance(row, Source)
        return self.lanes(index)

    def _scalar(self, at: int, call: Scalar) -> str:
        kind = call.spec.dtype.kind
        uniform = UNIFORM[kind]
        slots = self.uniforms[uniform]
        position = self.kernel.scalars.index(at)
        if position not in slots:
            slots.append(position)
        return f"{VECTOR[kind]}({uniform}[{slots.index(position)}])"

    def _elementwise(self, at: int, index: Index) -> str:
        call = self.program.calls[at]
        operands = []
        for (src, where), dtype in zip(self._needs(at, index), call.operands, strict=True):
            name = self._written(src, where)
            operands.append(converted(name, self.program.spec(src).dtype, dtype))
        if isinstance(call.row, Cast):
            expression = operands[0]
        else:
            glsl = call.row.glsl
            # The last operand decides: the first of a choice is its condition.
            last = call.operands[-1]
            text = glsl if isinstance(glsl, str) else glsl.get(last.name) or glsl[last.kind]
            expression = text.format(*operands)
            if "{" not in text and operands:
                expression = f"{VECTOR[call.spec.dtype.kind]}({expression})"
            if call.row.wraps:
                expression = wrapped(expression, call.spec.dtype)
        return self._named(expression, VECTOR[call.spec.dtype.kind])

    def _named(self, expression: str, kind: str) -> str:
        if expression.isidentifier():
            return expression
        name = self.name("v")
        self.line(f"{kind} {name} = {expression};", self._level_of(expression))
        return name

    def _pad(self, at: int, index: Index) -> str:
        call = self.program.calls[at]
        src, fill = self.program.edges[at]
        shape, inner = call.spec.shape, call.specs[0].shape
        inner_strides = row_major(inner)
        last = max((axis for axis, width in enumerate(call.arg) if any(width)), default=-1)
        tail = row_major(shape)[last] if last >= 0 else 4
        whole = self._aligned_first(index)
        together = whole is not None and tail % 4 == 0
        kind = "int" if together else "ivec4"
        size = self.program.spec(src).size
        if size == 0:
            return self._filler(fill, call)
        places = self._coordinates(index, shape, together)
        tests, terms = [], []
        for axis, (c, (low, high, interior)) in enumerate(zip(places, call.arg, strict=True)):
            c = f"{c} - {low}" if low else c
            c = self.let((at, index, axis), kind, "c", c if together else f"ivec4({c})")
            if low or high or interior:
                tests.append((c, inner[axis], interior + 1))
            places[axis] = f"({c} / {interior + 1})" if interior else c
            step = inner_strides[axis]
            terms.append(f"{places[axis]} * {step}" if step != 1 else places[axis])
        source = self.let((at, index, "source"), kind, "j", " + ".join(terms) or f"{kind}(0)")
        axes = tuple((c, n) for c, n in zip(places, inner, strict=True) if n != 1)
        filler = self._filler(fill, call)
        result = VECTOR[call.spec.dtype.kind]
        name = self.name("v")
        if together:
            condition = " && ".join(
                f"{c} >= 0 && {c} < {(n - 1) * step + 1}"
                + (f" && {c} % {step} == 0" if step > 1 else "")
                for c, n, step in tests
            )
            self.line(f"{result} {name} = {filler};")
            with self.block(f"if ({condition or 'true'})"):
                # Lanes that go on in the next row are not neighbours along the last axis.
                known = axes if axes and axes[-1][1] % 4 == 0 else ()
                below = Index(size, first=source, axes=known)
                self.line(f"{name} = {self.value(src, below)};")
            return name
        condition = " & ".join(
            f"uvec4(lessThan(uvec4({c}), uvec4({(n - 1) * step + 1}u)))"
            + (f" & uvec4(equal({c} % {step}, ivec4(0)))" if step > 1 else "")
            for c, n, step in tests
        )
        mask = self.let((at, index, "mask"), "uvec4", "m", condition or "uvec4(1u)")
        kept = self.let((at, index, "kept"), "ivec4", "j", f"{source} * ivec4({mask})")
        inside = self.value(src, Index(size, lanes=kept))
        self.line(f"{result} {name} = pt_pick(bvec4({mask}), {inside}, {filler});")
        return name

    def _filler(self, fill: int, call: Call) -> str:
        value = self.value(fill, Index(1, lanes="ivec4(0)"))
        return converted(value, self.program.spec(fill).dtype, call.spec.dtype)

    def _concat(self, at: int, index: Index) -> str:
        call = self.program.calls[at]
        axis, shape = call.arg, call.spec.shape
        tail = row_major(shape)[axis]
        widths = [spec.shape[axis] * tail for spec in call.specs]
        row = shape[axis] * tail
        whole = self._aligned_first(index)
        together = whole is not None and all(width % 4 == 0 for width in widths)
        kind = "int" if together else "ivec4"
        position = whole if together else self.lanes(index)
        outer = self.let((at, index, "outer"), kind, "u", quotient(str(position), row))
        inner = self.let((at, index, "inner"), kind, "c", f"{position} - {outer} * {row}")
        result = VECTOR[call.spec.dtype.kind]
        name = self.name("v")
        self.line(f"{result} {name} = {result}(0);")
        start = 0
        for src, spec, width in zip(self.program.edges[at], call.specs, widths, strict=True):
            if width == 0:
                continue
            local = f"{inner} - {start}" if start else inner
            place = f"{outer} * {width} + {local}"
            key = (at, index, start)
            inside = f"lessThan(uvec4({local}), uvec4({width}u))"
            test = f"{inner} >= {start} && {inner} < {start + width}"
            with self.block(f"if ({test if together else f'any({inside})'})"):
                if together:
                    below = Index(spec.size, first=self.let((*key, "j"), "int", "j", place))
                else:
                    mask = self.let((*key, "m"), "uvec4", "m", f"uvec4({inside})")
                    place = f"({place}) * ivec4({mask})"
                    below = Index(spec.size, lanes=self.let((*key, "j"), "ivec4", "j", place))
                value = converted(self.value(src, below), spec.dtype, call.spec.dtype)
                picked = value if together else f"pt_pick(bvec4({mask}), {value}, {name})"
                self.line(f"{name} = {picked};")
            start += width
        return name

    def _gather(self, at: int, index: Index) -> str:
        call = self.program.calls[at]
        shape, axis = call.specs[0].shape, call.arg
        length, tail, count = shape[axis], row_major(shape)[axis], call.specs[1].size
        whole = self._aligned_first(index)
        place = f"pt_place({self._written(*self._places(at, index))}, {length})"
        together = whole is not None and tail % 4 == 0
        kind, position = ("int", str(whole)) if together else ("ivec4", self.lanes(index))
        source = f"{place}.x" if together else place
        if math.prod(shape[:axis]) > 1:
            source = f"({quotient(position, count * tail)} * {length} + {source})"
        if tail > 1:
            source = f"{source} * {tail} + {remainder(position, tail)}"
        source = self.let((at, index, "source"), kind, "j", source)
        size = call.specs[0].size
        below = Index(size, first=source) if together else Index(size, lanes=source)
        return self.value(self.program.edges[at][0], below)

    def _interleave(self, at: int, index: Index) -> str:
        re, im = self.program.edges[at]
        size = self.program.spec(re).size
        whole = self._aligned_first(index)
        if whole is not None:
            lanes = self.known((at, index, "pairs"))
            if lanes is None:
                lanes = self.name("i")
                self.offer("ivec4", lanes, f"({whole} >> 1) + ivec4(0, 0, 1, 1)")
                self.keep((at, index, "pairs"), lanes)
            own = index.own and not index.stack
            below = Index(size, lanes=lanes, pair=whole, own=own)
            x, y = self.value(re, below), self.value(im, below)
            return self._named(f"vec4({x}.x, {y}.x, {x}.z, {y}.z)", "vec4")
        position = self.lanes(index)
        lanes = self.let((at, index, "halves"), "ivec4", "i", f"{position} >> 1")
        x, y = (self.value(part, Index(size, lanes=lanes)) for part in (re, im))
        return self._named(f"mix({x}, {y}, equal({position} & 1, ivec4(1)))", "vec4")

    def _reduced(self, at: int, index: Index) -> str:
        """A short reduction, computed where it is read: of four results, or of the one for all."""
        call, src = self.program.calls[at], self.program.edges[at][0]
        row, shape, axes, dtype = call.row, call.specs[0].shape, call.arg, call.operands[0]
        order = [axis for axis in range(len(shape)) if axis not in axes] + list(axes)
        strides = row_major(shape)
        view = make_view([shape[axis] for axis in order], [strides[axis] for axis in order])
        length = math.prod(shape[axis] for axis in axes)
        splat = self._splat(index) if axes == (self.program.lane_axis(src),) else None
        together = splat is not None and length % 4 == 0
        position = splat if together else self.lanes(index)
        acc, k, q = self.name("r"), self.name("n"), self.name("q")
        with self._out_at(self._level_of(str(position))):
            self.line(f"{VECTOR[dtype.kind]} {acc} = {VECTOR[dtype.kind]}({row.identity(dtype)});")
            with self.block(f"for (int {k} = 0; {k} < {length}; {k} += {4 if together else 1})"):
                self.line(f"{'int' if together else 'ivec4'} {q} = {position} * {length} + {k};")
                first, lanes = (q, "") if together else ("", q)
                below = Index(self.program.spec(src).size, first, lanes).through(view)
                value = converted(self.value(src, below), call.specs[0].dtype, dtype)
                self.line(f"{acc} = {row.combine.format(acc, value)};")
            for swap in ("zwxy", "yxwz") if together else ():
                self.line(f"{acc} = {row.combine.format(acc, f'{acc}.{swap}')};")
        return acc

    # --- positions ------------------------------------------------------------------------------

    def lanes(self, index: Index) -> str:
        """The name of an ivec4 of positions behind the index's views."""
        if not index.stack:
            if index.lanes:
                return index.lanes
            return self.let((index, "lanes"), "ivec4", "i", f"{index.first} + ivec4(0, 1, 2, 3)")
        view = index.stack[-1]
        if view.is_constant:
            return self.let((index, "lanes"), "ivec4", "i", f"ivec4({view.offset})")
        known = by_axes(view, index.axes) if len(index.stack) == 1 else None
        if known is not None:
            if index.first and known and known[-1][0] == index.axes[-1][0]:
                name, step = known.pop()
                known.append((f"({name} + ivec4(0, 1, 2, 3))", step))
            return self.let((index, "lanes"), "ivec4", "i", f"ivec4({total(known, view.offset)})")
        before = self.lanes(replace(index, stack=index.stack[:-1], own=False))
        return self.let((index, "lanes"), "ivec4", "i", mapped(view, before))

    def _aligned_first(self, index: Index) -> str | None:
        """The name of an int, the position of lane 0 behind the views.

        None where lanes do not stay neighbours that start at a multiple of 4.
        """
        if not index.first or not all(map(keeps_texels, index.stack)):
            return None
        return self._first(index)

    def _first(self, index: Index) -> str:
        """The name of an int, the position of lane 0 behind the views."""
        if not index.stack:
            return index.first
        view = index.stack[-1]
        known = by_axes(view, index.axes) if len(index.stack) == 1 else None
        if known is not None:
            return self.let((index, "first"), "int", "i", total(known, view.offset))
        before = self._first(replace(index, stack=index.stack[:-1], own=False))
        return self.let((index, "first"), "int", "i", mapped(view, before))

    def _coordinates(self, index: Index, shape: Shape, together: bool) -> list[str]:
        """GLSL for the coordinates in `shape` behind the views: of lane 0, or of all lanes."""
        if index.axes and len(index.stack) <= 1 and (together or not index.first):
            view = index.stack[0] if index.stack else contiguous(shape)
            known = by_axes(view, index.axes)
            if known is not None:
                lengths = dict(index.axes)
                along = View(
                    tuple(lengths[name] for name, _ in known),
                    tuple(step for _, step in known),
                    view.offset,
                )
                found = steps(along, shape)
                if found is not None:
                    start, each = found
                    return [
                        total(
                            [(known[i][0], each[i][axis]) for i in range(len(known))], start[axis]
                        )
                        for axis in range(len(shape))
                    ]
        position = self._first(index) if together else self.lanes(index)
        return [coordinate(position, shape, axis) for axis in range(len(shape))]

    def _splat(self, index: Index) -> str | None:
        """The position that all lanes read behind the views, or None."""
        for depth, view in enumerate(index.stack):
            if view.is_constant:
                position = str(view.offset)
            elif index.first and splats(view):
                position = self._first(replace(index, stack=index.stack[: depth + 1], own=False))
            elif keeps_texels(view):
                continue
            else:
                return None
            for behind in index.stack[depth + 1 :]:
                position = mapped(behind, self.let((position,), "int", "i", position))
            known = position.isidentifier() or position.isdigit()
            return position if known else self.let((index, "splat"), "int", "i", position)
        return None

    def _read(self, at: int, index: Index) -> str:
        spec = self.program.spec(at)
        kind = spec.dtype.kind
        tiling = self.tilings.get(at) if at in self.kernel.tiles else None
        slot = self.kernel.inputs.index(at)
        modes = self.modes.setdefault(at, set())
        vector = VECTOR[kind]
        rows = self.program.texture_row
        alike = tiling is None and rows(at) == rows(self.kernel.output)
        if alike and index.own and not index.stack and not index.pair:
            modes.add("same")
            return self._named(f"texelFetch(x{slot}, P, 0)", vector)
        first = self._aligned_first(index)
        if first is not None and (tiling is None or tiling.whole_texels):
            modes.add("aligned")
            number = self._texel_of(first)
            if tiling is not None:
                return self._named(tiling.texel(slot, number, self._integer), vector)
            return self._named(f"pt_texel{slot}({number})", vector)
        if (
            index.pair
            and all(map(keeps_texels, index.stack))
            and (tiling is None or tiling.whole_texels)
        ):
            # Half of a texel, each element twice.
            first = self.let((index.pair, "texel"), "int", "i", f"({index.pair} >> 1) & ~3")
            texel = self.value(at, Index(index.size, first=first, stack=index.stack))
            return self._named(f"(({index.pair} & 4) == 0 ? {texel}.xxyy : {texel}.zzww)", vector)
        position = self._splat(index)
        if position is not None:
            modes.add("splat")
            return self._named(f"{vector}({self._element(slot, position, tiling)})", vector)
        pairs = None if tiling else self._pairs(slot, index, alike)
        if pairs is not None:
            modes.add("pairs")
            return self._named(pairs, vector)
        apart = None if tiling else self._strided(at, slot, index)
        if apart is not None:
            modes.add("strided")
            return self._named(apart, vector)
        modes.add("lanes")
        lanes = self.lanes(index)
        parts = [self._element(slot, f"{lanes}.{lane}", tiling) for lane in "xyzw"]
        return self._named(f"{vector}({', '.join(parts)})", vector)

    def _pairs(self, slot: int, index: Index, alike: bool) -> str | None:
        """Every other element from a texel on; for lanes that are pairs, each twice."""
        if not index.stack or not reads_pairs(index.stack[-1], 2 if index.pair else 4):
            return None
        view = index.stack[-1]
        odd = view.offset % 2
        # From here on both parts of complex numbers are read alike.
        even = replace(view, offset=view.offset - odd)
        if index.pair:
            if len(index.stack) > 1:
                return None
            if alike and index.own and even == View((index.size,), (2,)):
                return f"{self._texel(slot, '')}.{'yyww' if odd else 'xxzz'}"
            position = mapped(even, f"({index.pair} >> 1)")
            return f"{self._texel(slot, f'({position}) >> 2')}.{'yyww' if odd else 'xxzz'}"
        if self._aligned_first(replace(index, stack=index.stack[:-1], own=False)) is None:
            return None
        first = self._first(replace(index, stack=(*index.stack[:-1], even), own=False))
        a, b = (self._texel(slot, f"({first} >> 2){more}") for more in ("", " + 1"))
        lanes = "yw" if odd else "xz"
        return f"{self._vector(slot)}({a}.{lanes}, {b}.{lanes})"

    def _strided(self, at: int, slot: int, index: Index) -> str | None:
        """Four elements as far from each other as the last axis of the view says."""
        if not index.first or index.axes or not index.stack or index.stack[-1].shape[-1] % 4:
            return None
        before = self._aligned_first(replace(index, stack=index.stack[:-1], own=False))
        if before is None:
            return None
        texel = self._integer(self._texel_of(before))
        row = self.program.texture_row(at)
        fetches = fetched(index.stack[-1], texel, slot, row, self._integer)
        return f"{self._vector(slot)}({', '.join(fetches)})"

    def _integer(self, text: str) -> str:
        """A name for an int, or the text where that is short."""
        short = text.isidentifier() or text.isdigit()
        return text if short else self.let(("int", text), "int", "i", text)

    def _texel_of(self, first: str) -> str:
        """The number of the texel that starts at a position."""
        return self.texels.get(first, f"{first} >> 2")

    def _texel(self, slot: int, texel: str) -> str:
        """The name of a texel by number, or of the fragment's own."""
        place = f"texelFetch(x{slot}, P, 0)" if not texel else f"pt_texel{slot}({texel})"
        return self.let((slot, texel), self._vector(slot), "t", place)

    def _vector(self, slot: int) -> str:
        """The type of a texel of an input."""
        return VECTOR[self.program.spec(self.kernel.inputs[slot]).dtype.kind]

    def _element(self, slot: int, position: str, tiling: Tiling | None) -> str:
        if tiling is not None:
            return tiling.element(slot, position, self._integer)
        return f"pt_at{slot}({position})"
