"""Random kernels with shared arrays give the same as groups of threads that wait at barriers."""

from __future__ import annotations

import random

import numpy as np
from helpers import assert_values

import py_tensor as pt

GROUP = 8


class GroupProgram:
    """Writer of a function whose elements write p and q between barriers, each its own part."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = [
            "def f(i, x, out):",
            f"    p, q = pt.shared({GROUP}, 'int32'), pt.shared({GROUP + 1}, 'int32')",
            "    k = pt.local_index()",
            "    s = t = 0",
        ]
        self.block(["i", "k", "s", "t"], 1)
        self.lines += ["    pt.barrier()", "    out[i // 3] += p[k] - q[k + 1]", "    return s + t"]

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def whole(self, names: list[str], depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice([*names, str(self.random.randint(-3, 5))])
        a, b = self.whole(names, depth - 1), self.whole(names, depth - 1)
        return self.random.choice([f"({a} + {b})", f"({a} * {b}) % 9", f"min({a}, {b})", f"x[{a}]"])

    def block(self, names: list[str], depth: int) -> None:
        """Append phases: writes, a barrier, and reads followed by a barrier."""
        indent, choice = "    " * depth, self.random.choice
        for _ in range(self.random.randint(1, 3)):
            if depth < 3 and choice((True, False, False)):
                counter = f"n{depth}"
                loops = (f"for {counter} in range(3):", f"for {counter} in (1, 4):")
                self.lines.append(indent + choice(loops))
                self.block([*names, counter], depth + 1)
                continue
            for name in choice(("p", "q", "pq")):
                place = choice(("k", f"{GROUP - 1} - k", f"(k + 3) % {GROUP}"))
                write = f"{name}[{place}] {choice(('=', '+=', '-='))} {self.whole(names)}"
                if choice((True, False)):
                    self.lines.append(f"{indent}if {self.whole(names)} > {self.whole(names)}:")
                    write = f"    {write}"
                self.lines.append(indent + write)
            self.lines.append(f"{indent}pt.barrier()")
            read = f"p[{self.whole(names)}] - q[{self.whole(names, 1)}] + {self.whole(names)}"
            if choice((True, False)):
                self.lines.append(f"{indent}if k % 2 == 0 or {self.whole(names, 1)} > 2:")
                read = f"({read}) % 11"
                self.lines.append(f"{indent}    {choice('st')} {choice(('=', '+='))} {read}")
            else:
                self.lines.append(f"{indent}{choice('st')} = ({read}) % 50")
            self.lines.append(f"{indent}pt.barrier()")


class Memory:
    """Array whose reads are clamped, and whose writes outside of it are ignored."""

    def __init__(self, values) -> None:
        self.values = [int(value) for value in values]

    def __getitem__(self, at: int) -> int:
        return self.values[min(max(at, 0), len(self.values) - 1)]

    def __setitem__(self, at: int, value: int) -> None:
        if 0 <= at < len(self.values):
            self.values[at] = value


class Group:
    """Functions of groups for one group of threads."""

    def __init__(self) -> None:
        self.arrays: list[Memory] = []
        self.local = 0
        self.asked = 0

    def shared(self, length: int, dtype: str) -> Memory:
        self.asked += 1
        if len(self.arrays) < 2:
            self.arrays.append(Memory([0] * length))
        return self.arrays[(self.asked - 1) % 2]

    def local_index(self) -> int:
        return self.local


def run_threads(text: str, x: np.ndarray, out: np.ndarray) -> tuple[list[int], list[int]]:
    """Run a function with one thread for each element, group by group."""
    source = text.replace("pt.barrier()", "yield")
    results, memory = [0] * len(x), Memory(out)
    for first in range(0, len(x), GROUP):
        group = Group()
        space = {"pt": group}
        exec(source, space)
        waiting = {
            i: space["f"](i, Memory(x), memory) for i in range(first, min(first + GROUP, len(x)))
        }
        while waiting:
            for i, thread in [*waiting.items()]:
                group.local = i - first
                try:
                    next(thread)
                except StopIteration as stop:
                    results[i] = stop.value
                    del waiting[i]
    return results, memory.values


def test_random_groups(request):
    for seed in range(max(6, request.config.getoption("examples") // 20)):
        text = GroupProgram(seed).text()
        space = {"pt": pt}
        exec(text, space)
        kernel = pt.kernel(space["f"], shape=lambda x, out: x.shape, workgroup=GROUP, source=text)
        rng = np.random.default_rng(seed)
        x, out = rng.integers(-3, 9, (16, 21)[seed % 2]), rng.integers(-3, 9, 7)
        results, written = run_threads(text, x, out)
        got = kernel(*[pt.asarray(part.astype("int32")) for part in (x, out)])
        assert_values(got[0], np.asarray(results, "int32"), what=text)
        assert_values(got[1], np.asarray(written, "int32"), what=text)
