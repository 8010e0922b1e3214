"""Put the bodies of functions in the place of their calls, which browsers' compilers do not do.

Input: the text of functions, callees before callers. Output: the text of those that are left.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

NEW_LINE = "\\"
"""Word for the end of a line, which is kept for readers."""
LONGEST = 400
"""Words of a body that is copied into its callers; those of longer ones take long to compile."""
_NAMING = (".local", ".set", ".tee", ".block", ".loop", ".br", ".br_if")
"""Words whose constant begins with a name of the function's own."""


class _Function(NamedTuple):
    """Head and body of a function, whose calls are replaced."""

    head: list[str]
    body: list[str]

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Names and types of the parameters."""
        signature = self.head[1 : self.head.index("->")]
        return [(name, kind) for name, _, kind in [part.partition(":") for part in signature]]

    @property
    def is_short(self) -> bool:
        """True if callers may have a copy: the body returns at its end only."""
        return len(self.body) <= LONGEST and ".return" not in self.body

    def copy(self, number: int) -> list[str]:
        """Return the body for one call, with names of its own; operands are on the stack."""
        names = {name for name, _ in self.parameters}
        declarations = (".local:", ".block:", ".loop:")
        names |= {word.split(":")[1] for word in self.body if word.startswith(declarations)}
        fresh = {name: f"{name}_{number}" for name in names}
        words = [f".local:{fresh[name]}:{kind}" for name, kind in self.parameters]
        words += [f".set:{fresh[name]}" for name, _ in reversed(self.parameters)]
        for word in self.body:
            kind, _, rest = word.partition(":")
            if kind in _NAMING:
                own, colon, after = rest.partition(":")
                word = f"{kind}:{fresh.get(own, own)}{colon}{after}"
            words.append(fresh.get(word, word))
        return words


def inlined(text: str) -> str:
    """Return the functions of a text, the last of which is kept, without calls of short ones."""
    numbers = count()
    functions: dict[str, _Function] = {}
    for part in text.split(".func:")[1:]:
        line, _, body = part.partition("\n")
        head = line.split()
        words: list[str] = []
        for word in body.replace("\n", f" {NEW_LINE} ").split():
            callee = functions.get(word[6:]) if word.startswith(".call:") else None
            if callee is None or not callee.is_short:
                words.append(word)
            else:
                words += callee.copy(next(numbers))
        while words and words[-1] in (".return", NEW_LINE):
            words.pop()
        functions[head[0]] = _Function(head, words)
    *_, last = functions
    lines: list[str] = []
    needed = {last}
    for name, function in reversed(functions.items()):
        if name in needed:
            needed |= {word[6:] for word in function.body if word.startswith(".call:")}
            body = " ".join(function.body).replace(NEW_LINE, "\n")
            lines += [body, f".func:{' '.join(function.head)}"]
    return "\n".join(lines[::-1])
