"""Which of onnx's cases py_tensor is not asked, and why; read from `data/onnx_exceptions.txt`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "data" / "onnx_exceptions.txt"


class Exceptions(NamedTuple):
    operators: dict[str, str]
    """Reasons by operators that no function of ours stands for."""
    cases: dict[str, str]
    """Reasons by patterns of names of cases."""

    def patterns_of(self, case: str) -> list[str]:
        """The patterns that name a case."""
        return [pattern for pattern in self.cases if fnmatchcase(case, pattern)]


def read(text: str) -> Exceptions:
    """Blocks of a reason in comments and the operators and patterns it is the reason for."""
    found = Exceptions({}, {})
    for block in text.split("\n\n"):
        lines = block.splitlines()
        reason = " ".join(line.removeprefix("# ") for line in lines if line.startswith("#"))
        names = " ".join(line for line in lines if not line.startswith("#")).split()
        assert reason or not names, f"no reason: {block}"
        for name in names:
            kind = found.cases if name.startswith("test_") else found.operators
            assert name not in kind, f"{name} has two reasons"
            kind[name] = reason
    return found
