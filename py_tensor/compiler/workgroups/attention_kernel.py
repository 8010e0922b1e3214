"""Generate attention: a workgroup computes a block of queries, over blocks of keys.

The scores of a block of keys stay in registers. Their exponentials, relative to the largest score
so far, go to shared memory and are multiplied with the values. If a later block has a larger score,
the sums before are scaled. An invocation has four queries, `down` apart, and every `across`-th key
or group of four features of the values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ...dtypes import float32
from ...ir.node import OpInstance
from ...language.tree import FLOAT, INT, Value, Whole
from ...ops.index_map import View, row_major
from ..codegen.indices import Index
from ..codegen.positions import Axes
from ..codegen.types import KIND, converted, number, wrapped
from .attention import KEYS, SCORES, attention_block, causal_fill, keys_by_row
from .workgroup_writer import WorkgroupWriter

DEPTH = 32
"""Features of queries and keys in a panel."""
PITCH = DEPTH // 4 + 1
"""Groups of four from a key of a panel to the next; odd, so that reads are of other banks."""
ZERO_WEIGHT = -110.0
"""Difference of two scores up to which the weight of the lower one is zero."""


def write_attention(writer: WorkgroupWriter) -> None:
    """Write the statements of attention."""
    _Attention(writer).write()


class _Functions:
    """Writer of the functions of attention that read operands, make scores and store results."""

    def __init__(self, writer: WorkgroupWriter) -> None:
        self.writer = writer
        self.code = writer.code
        self.root = writer.kernel.root
        nodes = writer.nodes
        self.call: OpInstance = nodes.calls[self.root]
        self.scores, self.values = nodes.edges[self.root]
        self.shape = self.call.specs[0].shape
        """Shape of the scores."""
        self.groups, self.keys, self.features = self.call.specs[1].shape
        self.queries = self.call.spec.shape[-2]
        self.is_split = self.shape[-2] == self.queries
        """True if an axis of the scores is that of the queries, and the ones before are groups."""
        self.parts: int = self.call.arg or 1
        self.product = next((at for at, _ in enumerate(nodes.calls) if nodes.op(at) is SCORES), -1)
        """Node of the products of queries and keys; -1 if the scores are stored."""
        self.inner = 0
        if self.product >= 0:
            self.inner = nodes.calls[self.product].specs[0].shape[2]
        is_whole = self.parts == 1 and self.is_split
        self.fill = causal_fill(nodes, self.scores) if is_whole else None
        """Scalar for scores of keys after a query's position, if attention is causal."""
        self.block = attention_block(self.groups, self.queries, self.features)

    def _functions(self) -> None:
        """Define the functions that read operands, and the one that makes scores of products."""
        nodes = self.writer.nodes
        if self.product >= 0:
            queries, rows = nodes.edges[self.product][0], (self.queries, self.inner)
            self._function("pt_query", "gmk", lambda g, m, k: self._four(queries, rows, g, m, k))
            self._function("pt_key", "gmk", self._key)
        shape = (self.keys, self.features)
        self._function("pt_value", "gmk", lambda g, m, k: self._four(self.values, shape, g, m, k))
        self._function("pt_score", "gmk", self._score, ", v: vec4<f32>")
        if self.fill is not None:
            fill, only = self.fill, self.writer.only
            self._function("pt_fill", "", lambda: self.writer.value(fill, only))

    def _function(
        self, name: str, parameters: str, value: Callable[..., Value], more: str = ""
    ) -> None:
        """Define a function of whole numbers that returns four elements."""
        code = self.code
        with code.separate() as chunk:
            # Nothing is computed outside of the function.
            chunk.scope.branch = len(code.scopes) - 1
            chunk.finish(value(*[code.local(own, INT, 1) for own in parameters]))
        *lines, result = chunk.text.split("\n")
        head = ", ".join([f"{own}: i32" for own in parameters])
        body = [f"fn {name}({head}{more}) -> vec4<f32> {{", *lines, f"  return {result};", "}"]
        self.writer.definitions.append("\n".join(body))

    def _group(self, g: Value) -> Axes:
        """Return the coordinates of a group."""
        lengths = self.shape[:-2] if self.is_split else (self.groups,)
        return tuple(
            [
                (self._let(g // step % n if axis else g // step), n)
                for axis, (n, step) in enumerate(zip(lengths, row_major(lengths), strict=True))
            ]
        )

    def _let(self, whole: Whole) -> Value:
        return self.code.let(self.code.printer.whole(whole), "k")

    def _key(self, g: Value, m: Value, k: Value) -> Value:
        """Return four features of a key."""
        at = self.writer.nodes.edges[self.product][1]
        view = keys_by_row(self.writer.nodes.spec(at).shape)
        return self._four(at, (self.keys, self.inner), g, m, k, view)

    def _four(
        self,
        at: int,
        shape: tuple[int, int],
        g: Value,
        m: Value,
        k: Value,
        view: View | None = None,
    ) -> Value:
        """Return four neighbours along the rows, of a shape, of a group of an operand."""
        rows, columns = shape
        first = self._let(self._let(g * rows + m) * columns + k)
        axes = (*self._group(g), (m, rows), (k, columns))
        index = Index(self.groups * rows * columns, first, axes=axes)
        if view is not None:
            index = index.through(view)
        value = self.writer.value(at, index)
        return converted(self.code, value, self.writer.nodes.spec(at).dtype, float32)

    def _score(self, g: Value, m: Value, k: Value) -> Value:
        """Return the scores of four queries from m on, and a key, given products `v`."""
        code = self.code
        apart = code.printer.constant_sizes.multiples(self.block.down)
        rows, key = code.let(m + apart, "m"), code.let(code.vector(INT, k), "n")
        lanes = code.let(code.vector(INT, g * self.queries) + rows, "i")
        lanes = code.let(code.printer.whole(lanes * self.keys) + key, "i")
        axes = (*self._group(g), (rows, self.queries), (key, self.keys))
        index = Index(math.prod(self.shape), lanes=lanes, axes=axes)
        if self.product >= 0:
            self.writer.fixed[self.product] = code.local("v", FLOAT, 4)
        value = self.writer.value(self.scores, index)
        self.writer.fixed.pop(self.product, None)
        return value

    def _keep(self) -> None:
        """Write the function that stores four features of a query."""
        code, writer = self.code, self.writer
        g, m, k, v = (code.value(name, INT, 1) for name in "gmkv")
        width = self.features if self.parts == 1 else self.features + 4
        first = code.let(self._let(g * self.queries + m) * width + k, "e")
        group = code.let(first // 4, "t")
        writer.positions.numbers[first] = group
        writer.fetches.number = group
        dtype = self.call.spec.dtype
        value = wrapped(code, v.of(KIND[dtype.kind]), dtype)
        writer.fixed[self.root] = code.let(code.value(value.text, FLOAT))
        writer.result(first)
        writer.head = "fn pt_keep(g: i32, m: i32, k: i32, v: vec4<f32>) {"


class _Attention(_Functions):
    """Writer of the kernel of attention."""

    def write(self) -> None:
        """Write the kernel."""
        writer, block = self.writer, self.block
        self._functions()
        self._keep()
        writer.workgroup = (block.down * block.across,)
        writer.grid = (-(-self.queries // block.queries), self.groups, self.parts)
        writer.main = "\n".join([f"  {line}" for line in self._main()])

    def size(self, number: int) -> str:
        return self.code.printer.size(number)

    def _main(self) -> Iterator[str]:
        down, across = self.block
        lowest = f"vec4<f32>({number(self.code, -math.inf, float32).text})"
        self.code.apply("exp(x)", FLOAT, self.code.value("v", FLOAT))  # it is included
        # Queries, then weights; keys, then values, or what the invocations of a query share.
        self.left = self.writer.share(FLOAT, KEYS * down)
        panel = KEYS * (PITCH if self.product >= 0 else 0)
        self.right = self.writer.share(FLOAT, max(panel, KEYS * across, down * across))
        yield f"let across = l % {across};"
        yield f"let down = l / {across};"
        yield f"let row = i32(W.x) * {self.block.queries};"
        yield "let g = i32(W.y);"
        yield f"var best = {lowest};"
        yield "var total = vec4<f32>(0.0);"
        for row in range(4):
            for chunk in self._chunks():
                yield f"var o{row}_{chunk} = vec4<f32>(0.0);"
        start = "0"
        if self.parts > 1:
            share = -(-self.keys // (self.parts * KEYS)) * KEYS
            yield f"let begin = i32(W.z) * {self.size(share)};"
            yield f"let result = i32(W.z) * {self.size(self.groups)} + g;"
            yield f"var end = min(begin + {self.size(share)}, {self.size(self.keys)});"
            start = "begin"
        else:
            yield "let result = g;"
            yield f"var end = {self.size(self.keys)};"
        if self.fill is not None:
            yield f"end = min(end, row + {self.block.queries});"
        yield f"for (var first = {start}; first < end; first += {KEYS}) {{"
        yield from ("  " + line for line in self._products())
        yield from ("  " + line for line in self._weights(lowest))
        yield from ("  " + line for line in self._sums())
        if self.fill is not None:
            yield from ("  " + line for line in self._rest())
        yield "}"
        yield from self._shared("total", "+")
        yield from self._results()

    def _results(self) -> Iterator[str]:
        """Yield the statements that store the results of the queries."""
        down, block = self.block.down, self.block
        for row, lane in enumerate("xyzw"):
            place = f"row + {row * down} + down"
            inside = f"{place} < {self.size(self.queries)}"
            yield f"if ({inside}) {{"
            for chunk in self._chunks():
                column = f"{chunk * block.width} + across * 4"
                value = f"o{row}_{chunk}" if self.parts > 1 else f"o{row}_{chunk} / total.{lane}"
                text = f"pt_keep(result, {place}, {column}, {value});"
                if self.features % block.width:
                    text = f"if ({column} < {self.size(self.features)}) {{ {text} }}"
                yield f"  {text}"
            if self.parts > 1:
                value = f"vec4<f32>(best.{lane}, total.{lane}, 0.0, 0.0)"
                text = f"pt_keep(result, {place}, {self.size(self.features)}, {value});"
                yield f"  if (across == 0) {{ {text} }}"
            yield "}"

    def _rest(self) -> Iterator[str]:
        """Yield the statements that go on with hidden keys if their weights are not zero.

        That is the case if the scores of all keys that a query may attend to are as low.
        """
        down = self.block.down
        zero, one = "vec4<f32>(0.0)", "vec4<f32>(1.0)"
        self.writer.shared.append("var<workgroup> more: u32;")
        yield f"if (first + {KEYS} >= end && end < {self.size(self.keys)}) {{"
        yield f"  let places = vec4<i32>(row + down) + {down} * vec4<i32>(0, 1, 2, 3);"
        yield f"  let queries = vec4<i32>({self.size(self.queries)});"
        yield f"  let open = !(pt_fill() - best < vec4<f32>({ZERO_WEIGHT})) & (places < queries);"
        yield f"  if (across == 0) {{ {self.right}[down] = select({zero}, {one}, open); }}"
        yield "  workgroupBarrier();"
        yield "  if (l == 0) {"
        yield f"    var count = {self.right}[0];"
        yield f"    for (var i = 1; i < {down}; i++) {{ count += {self.right}[i]; }}"
        yield "    more = u32(any(count > vec4<f32>(0.0)));"
        yield "  }"
        yield f"  if (workgroupUniformLoad(&more) != 0u) {{ end = {self.size(self.keys)}; }}"
        yield "}"

    def _chunks(self) -> range:
        return range(-(-self.features // self.block.width))

    def _each(self, count: int) -> Iterator[tuple[str, str]]:
        """Yield the texts of the numbers, below `count`, of an invocation, with heads of blocks."""
        invocations = self.block.down * self.block.across
        for start in range(0, count, invocations):
            is_whole = start + invocations <= count
            yield f"l + {start}", "{" if is_whole else f"if (l + {start} < {count}) {{"

    def _products(self) -> Iterator[str]:
        """Yield the statements that multiply the queries with a block of keys."""
        (down, across), steps = self.block, DEPTH // 4
        for key in self.block.own_keys:
            yield f"var s{key} = vec4<f32>(0.0);"
        if self.product < 0:
            return
        yield f"for (var start = 0; start < {self.size(self.inner)}; start += {DEPTH}) {{"
        zero = "vec4<f32>(0.0)"
        for text, head in self._each(self.block.queries * steps):
            yield f"  {head} let i = ({text}) / {steps}; let k = ({text}) % {steps};"
            load = self._inside("pt_query(g, row + i, start + k * 4)", zero)
            yield f"    {self.left}[i * {steps} + k] = {load}; }}"
        for text, head in self._each(KEYS * steps):
            yield f"  {head} let i = ({text}) / {steps}; let k = ({text}) % {steps};"
            load = self._inside("pt_key(g, first + i, start + k * 4)", zero)
            yield f"    {self.right}[i * {PITCH} + k] = {load}; }}"
        yield "  workgroupBarrier();"
        yield f"  for (var k = 0; k < {steps}; k++) {{"
        for row in range(4):
            yield f"    let a{row} = {self.left}[({row * down} + down) * {steps} + k];"
        for key in self.block.own_keys:
            yield f"    let b{key} = {self.right}[({key * across} + across) * {PITCH} + k];"
            dots = ", ".join([f"dot(a{row}, b{key})" for row in range(4)])
            yield f"    s{key} += vec4<f32>({dots});"
        yield "  }"
        yield "  workgroupBarrier();"
        yield "}"

    def _inside(self, text: str, zero: str) -> str:
        """Return features, which are zeros after the last one."""
        if self.inner % DEPTH == 0:
            return text
        return f"select({zero}, {text}, start + k * 4 < {self.size(self.inner)})"

    def _weights(self, lowest: str) -> Iterator[str]:
        """Yield the statements that share the exponentials of scores, and scale the sums."""
        down, across = self.block
        for key in self.block.own_keys:
            place = f"first + {key * across} + across"
            score = f"pt_score(g, row + down, {place}, s{key})"
            if self.keys % KEYS:
                score = f"select({lowest}, {score}, {place} < {self.size(self.keys)})"
            yield f"s{key} = {score};"
        tops = "s0"
        for key in self.block.own_keys[1:]:
            tops = f"max({tops}, s{key})"
        yield f"var top = {tops};"
        yield from self._shared("top", "max")
        yield "top = max(top, best);"
        # Rows without a finite score so far have weights of zero.
        yield f"let shift = select(top, vec4<f32>(0.0), top == {lowest});"
        yield "let scale = pt_exp(best - shift);"
        yield "best = top;"
        yield "total *= scale;"
        for key in self.block.own_keys:
            yield f"s{key} = pt_exp(s{key} - shift);"
            yield f"total += s{key};"
            yield f"{{ let i = {key * across} + across;"
            yield f"  {self.left}[i * {down} + ((down + i) & {down - 1})] = s{key}; }}"
        for row, lane in enumerate("xyzw"):
            for chunk in self._chunks():
                yield f"o{row}_{chunk} *= scale.{lane};"

    def _shared(self, name: str, how: str) -> Iterator[str]:
        """Yield the statements that combine a value of all invocations of the same queries."""
        across = self.block.across
        other = f"{self.right}[down * {across} + i]"
        yield f"{self.right}[l] = {name};"
        yield "workgroupBarrier();"
        yield f"{name} = {self.right}[down * {across}];"
        text = f"max({name}, {other})" if how == "max" else f"{name} + {other}"
        yield f"for (var i = 1; i < {across}; i++) {{ {name} = {text}; }}"

    def _sums(self) -> Iterator[str]:
        """Yield the statements that add the weighted values of a block of keys."""
        down, across = self.block
        zero = "vec4<f32>(0.0)"
        for chunk in self._chunks():
            yield "workgroupBarrier();"
            for text, head in self._each(KEYS * across):
                yield f"{head} let i = ({text}) / {across}; let k = ({text}) % {across};"
                load = f"pt_value(g, first + i, {chunk * self.block.width} + k * 4)"
                if self.keys % KEYS:
                    # A weight of zero does not hide a value after the end that is NaN.
                    load = f"select({zero}, {load}, first + i < {self.size(self.keys)})"
                yield f"  {self.right}[i * {across} + k] = {load}; }}"
            yield "workgroupBarrier();"
            yield f"for (var i = 0; i < {KEYS}; i++) {{"
            yield f"  let p = {self.left}[i * {down} + ((down + i) & {down - 1})];"
            yield f"  let v = {self.right}[i * {across} + across];"
            for row, lane in enumerate("xyzw"):
                yield f"  o{row}_{chunk} += p.{lane} * v;"
            yield "}"
        yield "workgroupBarrier();"
