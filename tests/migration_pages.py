"""Rows of the pages for users of other libraries: the same expression in two libraries.

Scripts that record the other library's values import this module, too, so it needs no package.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parent.parent / "docs"
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|(?:(.*)\|)?$", re.MULTILINE)


class Page(NamedTuple):
    """A page and its tables.

    Args:
        sections: Text of each section by its heading.
        inputs: Assignments (other library, py_tensor) of the tensors that the expressions use.
        rows: Expression of py_tensor and heading of its section, by the other library's expression.
    """

    sections: dict[str, str]
    inputs: list[tuple[str, str]]
    rows: dict[str, tuple[str, str]]

    def variables(self, column: int, **names: Any) -> dict[str, Any]:
        """Return these names and new tensors for a column: 0 for the other library, 1 for ours."""
        for assignment in self.inputs:
            exec(assignment[column], names)
        return names


def read_page(name: str, without: tuple[str, ...]) -> Page:
    """Read a page of docs/; the sections in `without` have no rows to compare."""
    text = (DOCS / name).read_text()
    introduction, *parts = text.split("\n## ")
    sections = {part.partition("\n")[0]: part for part in parts}
    inputs = [(theirs, ours) for theirs, ours, _ in ROW.findall(introduction)]
    rows = {
        theirs: (ours, heading)
        for heading, section in sections.items()
        if heading not in without
        for theirs, ours, _ in ROW.findall(section)
    }
    return Page(sections, inputs, rows)
