"""Text of a function body: unique names, local variables, loops and addresses.

Input: instructions as text in the notation of `language.wasm_text`. Output: the text of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def total(first: str, *terms: tuple[str, int], constant: int = 0) -> str:
    """Return the text of the sum of `first`, of products with constants, and of a constant.

    An empty text stands for 0.
    """
    parts = [first] if first else []
    for text, factor in terms:
        if text.startswith("i32.const:") and " " not in text:
            constant += int(text.removeprefix("i32.const:")) * factor
        elif text and factor:
            parts.append(text if factor == 1 else f"{text} i32.const:{factor} i32.mul")
    if constant or not parts:
        parts.append(f"i32.const:{constant}")
    return " i32.add ".join([" ".join(parts[:2]), *parts[2:]]) + " i32.add" * (len(parts) > 1)


class FunctionText:
    """Text of a function body. Its names start with `prefix`."""

    def __init__(self, prefix: str = "p") -> None:
        self.prefix = prefix
        self.words: list[str] = []
        self.count = 0

    @property
    def text(self) -> str:
        return "\n".join(self.words)

    def add(self, *words: str) -> None:
        self.words += words

    def name(self, of: str = "") -> str:
        """Return a name that no other part of the function has."""
        self.count += 1
        return f"{self.prefix}{of}{self.count}"

    def let(self, text: str, kind: str = "i32", of: str = "", name: str = "") -> str:
        """Assign to a local variable, a new one if no name is given, and return its name."""
        name = f"{self.prefix}_{name}" if name else self.name(of)
        self.add(f".local:{name}:{kind} {text} .set:{name}")
        return name

    def step(self, name: str, size: int) -> None:
        if size:
            self.add(f"{name} i32.const:{size} i32.add .set:{name}")

    @contextmanager
    def loop(self, stop: int | str, step: int = 1, start: int | str = 0) -> Iterator[str]:
        """Repeat what is written in the block; yield the name of the counter, or a constant.

        If `stop` is a number, at least one pass is necessary.
        """
        if isinstance(stop, int) and isinstance(start, int) and stop - start <= step:
            yield f"i32.const:{start}" if start else ""
            return
        first, end = (f"i32.const:{n}" if isinstance(n, int) else n for n in (start, stop))
        counter, label = self.let(first, of="i"), self.name("l")
        guarded = isinstance(stop, str) or isinstance(start, str)
        if guarded:
            self.add(f"{counter} {end} i32.lt_s .if")
        self.add(f".loop:{label}")
        yield counter
        self.step(counter, step)
        self.add(f"{counter} {end} i32.lt_s .br_if:{label} .end")
        if guarded:
            self.add(".end")

    @contextmanager
    def steps(self, count: int, *pointers: tuple[str, int]) -> Iterator[None]:
        """Repeat what is written in the block, and add bytes to pointers after each pass.

        A pointer tells the end, which takes one instruction less than a counter.
        """
        moving = [pointer for pointer in pointers if pointer[1]]
        end = label = ""
        if moving and count > 1:
            end = self.let(total(moving[0][0], constant=count * moving[0][1]), of="e")
            label = self.name("l")
            self.add(f".loop:{label}")
        with self.loop(1 if label else count):
            yield
            for name, size in moving:
                self.step(name, size)
        if label:
            self.add(f"{moving[0][0]} {end} i32.ne .br_if:{label} .end")
