"""Replace calls of functions by the functions' bodies, which browsers' compilers do not do.

Input: the text of functions, callees before callers. Output: the text of those that are left.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import count

_CALL = re.compile(r"\.call:(\w+)")
LONGEST = 400
"""Words of a body that is copied into its callers; those of longer ones take long to compile."""
_NAMING = (".local", ".set", ".tee", ".block", ".loop", ".br", ".br_if")
"""Words whose constant begins with a name of the function's own."""
_DECLARING = (".local:", ".block:", ".loop:")


class _Function:
    """Head and lines of a function, whose calls are replaced."""

    def __init__(self, head: list[str], lines: list[str]) -> None:
        self.head = head
        self.lines = lines
        signature = head[1 : head.index("->")]
        self.parameters = [part.split(":") for part in signature]

    @cached_property
    def words(self) -> list[str]:
        return " ".join(self.lines).split()

    @cached_property
    def is_short(self) -> bool:
        """True if callers may have a copy: the body returns at its end only."""
        return len(self.words) <= LONGEST and ".return" not in self.words

    @cached_property
    def names(self) -> set[str]:
        """Names of the function's own."""
        declared = {word.split(":")[1] for word in self.words if word.startswith(_DECLARING)}
        return declared.union([name for name, _ in self.parameters])

    def copy(self, number: int) -> str:
        """Return the body for one call, with names of its own; operands are on the stack."""
        fresh = {name: f"{name}_{number}" for name in self.names}
        words = [f".local:{fresh[name]}:{kind}" for name, kind in self.parameters]
        words += [f".set:{fresh[name]}" for name, _ in reversed(self.parameters)]
        for word in self.words:
            kind, _, rest = word.partition(":")
            if kind in _NAMING:
                own, colon, after = rest.partition(":")
                word = f"{kind}:{fresh.get(own, own)}{colon}{after}"
            words.append(fresh.get(word, word))
        return " ".join(words)


def inlined(text: str) -> str:
    """Return the functions of a text, the last of which is kept, without calls of short ones."""
    numbers = count()
    functions: dict[str, _Function] = {}

    def replaced(call: re.Match[str]) -> str:
        callee = functions.get(call[1])
        return callee.copy(next(numbers)) if callee and callee.is_short else call[0]

    for part in text.split(".func:")[1:]:
        line, _, body = part.partition("\n")
        head = line.split()
        body = _CALL.sub(replaced, body).rstrip().removesuffix(".return")
        functions[head[0]] = _Function(head, body.splitlines())
    *_, last = functions
    kept: list[str] = []
    needed = {last}
    for name, function in reversed(functions.items()):
        if name in needed:
            body = "\n".join(function.lines)
            needed |= {*_CALL.findall(body)}
            kept.append(f".func:{' '.join(function.head)}\n{body}")
    return "\n".join(kept[::-1])
