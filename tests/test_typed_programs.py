"""Programs of users run; `make types` checks their types with mypy and pyright."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "typed_programs"
MISTAKES = PROGRAMS / "mistakes.py"


@pytest.mark.parametrize(
    "path", sorted(set(PROGRAMS.glob("*.py")) - {MISTAKES}), ids=lambda path: path.stem
)
def test_program_runs(path, engine):
    runpy.run_path(str(path))


@pytest.mark.parametrize("index", range(9))
def test_mistakes_fail_at_run_time_too(index, engine):
    mistakes = runpy.run_path(str(MISTAKES))["MISTAKES"]
    assert len(mistakes) == 9
    with pytest.raises(Exception, match=r"."):
        mistakes[index]()
