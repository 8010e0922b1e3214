"""Random functions for `pt.kernel`.

All numbers are integers or multiples of 1/4 of at most 64, so that every form is exact.
"""

from __future__ import annotations

import linecache
import math
import random


def quarter(x):
    return math.floor(x * 4.0) / 4.0


def limited(x):
    return min(max(x, -64), 64)


class Writer:
    """Writer of the text of a random function of x, y (floats), n, m (integers) and a tensor t."""

    def __init__(self, seed, indexed):
        self.random = random.Random(seed)
        self.indexed = indexed
        self.lines = []
        self.names = {"f": ["x", "y"], "i": ["n", "m", *(["i", "j"] if indexed else [])]}
        self.fresh = 0
        self.loops = 0

    def pick(self, *options):
        return self.random.choice(options)

    def real(self, depth):
        if depth <= 0:
            number = repr(self.random.randint(-12, 12) / 4)
            return self.pick(self.pick(*self.names["f"]), number, self.pick(*self.names["f"]))
        a, b = self.real(depth - 1), self.real(depth - 1)
        options = [
            f"({a} + {b})",
            f"({a} - {b})",
            f"limited(quarter({a} * {b}))",
            f"min({a}, {b})",
            f"max({a}, {b})",
            f"abs({a})",
            f"(-{a})",
            f"({a} if {self.truth(depth - 1)} else {b})",
            f"float({self.whole(depth - 1)})",
            f"({a} + {self.whole(depth - 1)})",
            f"({a} % {self.pick('2.0', '-1.5', '0.75')})",
            f"({a} // {self.pick('2.0', '-1.5', '0.75')})",
            f"helper({a}, {self.whole(0)})",
            f"({a}, {b}, 1.5)[{self.pick('0', '1', '-1')}]",
        ]
        if self.indexed:
            options += [f"t[{self.whole(depth - 1)}, {self.whole(0)}]"] * 3
            options += [f"t[{self.whole(0)}, j + {self.random.randint(-6, 6)}]"] * 3
        return self.pick(*options)

    def whole(self, depth):
        if depth <= 0:
            return self.pick(self.pick(*self.names["i"]), str(self.random.randint(-9, 9)))
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"({a} + {b})",
            f"({a} - {b})",
            f"limited({a} * {b})",
            f"({a} // {self.pick('3', '-4', '7')})",
            f"({a} % {self.pick('3', '-4', '7')})",
            f"min({a}, {b})",
            f"abs({a})",
            f"({a} & {b})",
            f"({a} ^ {b})",
            f"({a} >> {self.pick('1', '2')})",
            f"int({self.real(depth - 1)})",
            f"math.floor({self.real(depth - 1)})",
            f"round({self.real(depth - 1)})",
            f"({a} if {self.truth(depth - 1)} else {b})",
            f"int({self.truth(depth - 1)})",
        )

    def truth(self, depth):
        if depth <= 0:
            return self.pick(f"{self.real(0)} > {self.real(0)}", f"{self.whole(0)} != 0")
        return self.pick(
            f"({self.real(depth)} <= {self.real(depth - 1)})",
            f"({self.whole(depth)} == {self.whole(depth - 1)})",
            f"({self.whole(0)} < {self.whole(0)} <= {self.whole(0)})",
            f"(not {self.truth(depth - 1)})",
            f"({self.truth(depth - 1)} and {self.truth(depth - 1)})",
            f"({self.truth(depth - 1)} or {self.truth(depth - 1)})",
        )

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def assign(self, indent):
        kind = self.pick("f", "i")
        value = self.real(2) if kind == "f" else self.whole(2)
        name = self.pick(*[name for name in self.names[kind] if name not in ("i", "j", "k")])
        if self.random.random() < 0.3 and not self.loops and indent == 1:
            self.fresh += 1
            name = f"v{self.fresh}"
        value = f"limited({value})"
        if kind == "f":
            value = f"quarter({value})"
        self.line(indent, f"{name} = {value}")
        if name not in self.names[kind]:
            self.names[kind].append(name)

    def block(self, indent, count):
        for _ in range(count):
            self.statement(indent)

    def statement(self, indent):
        kind = self.random.random()
        if indent > 3 or kind < 0.4:
            self.assign(indent)
        elif kind < 0.6:
            self.line(indent, f"if {self.truth(1)}:")
            self.block(indent + 1, self.random.randint(1, 2))
            if self.random.random() < 0.5:
                self.line(indent, "else:")
                self.block(indent + 1, 1)
        elif kind < 0.75:
            self.loops += 1
            stop = self.pick("3", "5", "abs(n) % 4", "m & 7")
            self.line(indent, f"for k{self.loops} in range({stop}):")
            self.names["i"].append(f"k{self.loops}")
            self.body(indent + 1)
            self.names["i"].remove(f"k{self.loops}")
            self.loops -= 1
        elif kind < 0.82:
            self.loops += 1
            count = f"c{self.loops}{indent}"
            self.line(indent, f"{count} = {self.random.randint(1, 5)}")
            self.line(indent, f"while {count} > 0 and {self.truth(1)}:")
            self.line(indent + 1, f"{count} -= 1")
            self.body(indent + 1)
            self.loops -= 1
        elif kind < 0.9 and not self.loops:
            self.line(indent, "for p in (0.5, -1.25, 2.0):")
            self.names["f"].append("p")
            self.loops += 1
            self.body(indent + 1)
            self.loops -= 1
            self.names["f"].remove("p")
        elif kind < 0.95:
            self.line(indent, f"if {self.truth(1)}:")
            self.line(indent + 1, f"return {self.result()}")
        else:
            self.line(indent, f"if {self.truth(1)}:")
            self.line(indent + 1, self.pick("break", "continue") if self.loops else "pass")

    def body(self, indent):
        self.block(indent, self.random.randint(1, 2))
        if self.random.random() < 0.5:
            self.line(indent, f"if {self.truth(1)}:")
            self.line(indent + 1, self.pick("break", "continue"))
            self.assign(indent)

    def result(self):
        return f"limited({self.real(1)}), limited({self.whole(1)})"

    def text(self):
        self.block(1, self.random.randint(2, 5))
        self.line(1, f"return {self.result()}")
        head = "i, j, x, y, n, m, t" if self.indexed else "x, y, n, m"
        return f"def made({head}):\n" + "\n".join(self.lines) + "\n"


def helper(a, n):
    if n > 2:
        return a
    for k in range(3):
        if k > n:
            return quarter(a / 2.0)
    return -a


def function(text):
    """Return the function of a text; `inspect` finds its source."""
    file = f"<random kernel {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = dict(globals())
    exec(compile(text, file, "exec"), names)
    return names["made"]
