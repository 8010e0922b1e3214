"""Random functions for `pt.kernel` that write two arrays of integers, in branches and loops."""

from __future__ import annotations

import random

PARAMETERS = "x, a, b"


class WriteProgram:
    """Writer of a function of a vector x that writes the vector a and the matrix b."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rank = self.random.choice((1, 2))
        self.lines: list[str] = []
        self.indices = ["i", "j"][: self.rank]

    def text(self) -> str:
        """Return the text of the function."""
        self.lines = [f"def f({', '.join(self.indices)}, {PARAMETERS}):", "    s = t = 0"]
        self.block([*self.indices, "s", "t"], 1, in_loop=False)
        self.lines.append("    a[1] += i")
        return "\n".join(self.lines) + "\n"

    def whole(self, names: list[str], depth: int = 2) -> str:
        """Return an expression of integers."""
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice([*names, str(self.random.randint(-3, 5))])
        p, q = self.whole(names, depth - 1), self.whole(names, depth - 1)
        number = self.random.choice((2, 3, -3))
        return self.random.choice(
            [f"({p} {sign} {q})" for sign in "+-*&"]
            + [f"({p} // {number})", f"({p} % {number})", f"min({p}, {q})", f"x[{p}]"]
        )

    def write(self, names: list[str]) -> str:
        name, rank = self.random.choice((("a", 1), ("b", 2)))
        indices = [self.whole(names, 1) for _ in range(rank)]
        if rank <= self.rank and self.random.random() < 0.3:
            indices = self.indices[:rank]
        sign = self.random.choice(("=", "+=", "-="))
        return f"{name}[{', '.join(indices)}] {sign} {self.whole(names)}"

    def block(self, names: list[str], depth: int, *, in_loop: bool) -> None:
        """Append statements, indented for a depth of branches and loops."""
        indent, choice = "    " * depth, self.random.choice
        for _ in range(self.random.randint(1, 4)):
            kind = choice(("write", "write", "variable", "if", "for", "leave"))
            if kind == "variable":
                value = self.whole(names)
                self.lines.append(f"{indent}{choice('st')} {choice(('=', '+='))} {value} % 7")
            elif kind == "if" and depth < 4:
                self.branch(names, depth, lambda: self.block(names, depth + 1, in_loop=in_loop))
                if choice((True, False)):
                    self.lines.append(f"{indent}else:")
                    self.block(names, depth + 1, in_loop=in_loop)
            elif kind == "for" and depth < 4:
                counter = f"k{depth}"
                limits = choice(("3", "2", "1, 4", "5, 0, -2"))
                self.lines.append(f"{indent}for {counter} in range({limits}):")
                self.block([*names, counter], depth + 1, in_loop=True)
            elif kind == "leave":
                leave = choice(("break", "continue", "return") if in_loop else ("return",))
                self.branch(names, depth, lambda leave=leave: self.append(depth + 1, leave))
            else:
                self.lines.append(indent + self.write(names))

    def append(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def branch(self, names: list[str], depth: int, body) -> None:
        """Append a branch whose condition depends on the element."""
        sign = self.random.choice(("<", ">", "==", "!="))
        self.append(depth, f"if x[i] + {self.whole(names, 1)} {sign} {self.whole(names, 1)}:")
        body()
