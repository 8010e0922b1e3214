"""Cases of onnx that py_tensor does not run, and the reasons; from `data/onnx_exceptions.txt`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "reference_data" / "onnx_exceptions.txt"


class Exceptions(NamedTuple):
    operators: dict[str, str]
    """Reasons by operator without an equivalent in py_tensor."""
    cases: dict[str, str]
    """Reasons by pattern of case names."""

    def patterns_of(self, case: str) -> list[str]:
        """Patterns that match a case's name; only those of expanded cases match one."""
        return [
            pattern
            for pattern in self.cases
            if fnmatchcase(case, pattern) and ("_expanded" in pattern) == ("_expanded" in case)
        ]


def read(text: str) -> Exceptions:
    """Parse blocks: comments give a reason, followed by the operators and patterns it covers."""
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
