"""Libraries for arrays of the array API standard give the same results with tensors."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from library_calls import LIBRARIES, importable_calls, library_of
from library_calls.call import Call, of
from library_calls.exceptions import EXCEPTIONS, REASONS
from library_calls.results import compare

import py_tensor as pt

CALLS = importable_calls()
WORKING = [call for call in CALLS if call.name not in REASONS]
FAILING = [call for call in CALLS if call.name in REASONS]
STRIDE = 14
"""On WebGL2, one of so many calls is tried: some compile dozens of shaders."""
GUIDE = Path(__file__).parent.parent / "docs" / "libraries.md"


def name_of(call: Call) -> str:
    return call.name


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    on_numpy = metafunc.config.option.backend == "numpy"
    if "working" in metafunc.fixturenames:
        metafunc.parametrize("working", WORKING[:: 1 if on_numpy else STRIDE], ids=name_of)
    if "failing" in metafunc.fixturenames:
        metafunc.parametrize("failing", FAILING if on_numpy else FAILING[:1], ids=name_of)


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """Ignore warnings of the libraries, which NumPy's arrays cause, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_result_is_the_same_as_with_numpy(working):
    compare(working)


def test_calls_that_are_listed_as_exceptions_fail(failing):
    with pytest.raises(Exception):  # noqa: B017
        compare(failing)


def test_names_are_unique_and_exceptions_are_calls():
    names = [call.name for call in CALLS]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    libraries = set(map(library_of, CALLS))
    missing = [name for name in REASONS if name not in names]
    assert [name for name in missing if library_of(of(name, abs)) in libraries] == []


def test_results_that_differ_are_found():
    wrong = [
        lambda xp: xp.full(2, 1.0 if xp is pt else 1.1),
        lambda xp: xp.ones(1 if xp is pt else 2),
        lambda xp: xp.ones(2, dtype=xp.int32 if xp is pt else xp.float32),
        lambda xp: np.ones(2),
        lambda xp: {"a" if xp is pt else "b": 1.0},
        lambda xp: "a" if xp is pt else "b",
        lambda xp: [],
    ]
    for run in wrong:
        with pytest.raises(AssertionError):
            compare(Call("wrong", run))
    compare(Call("right", lambda xp: xp.ones(2)))
    with pytest.raises(AssertionError):
        compare(Call("tensor", lambda xp: xp.ones(2), host=True))
    compare(Call("array", lambda xp: np.ones(2), host=True))


def table() -> dict[str, str]:
    """Return the rows of the guide's table, by library."""
    tried, work = Counter(map(library_of, CALLS)), Counter(map(library_of, WORKING))
    host = Counter(library_of(call) for call in WORKING if call.host)
    rows = {}
    for library in sorted(tried, key=str.lower):
        reasons = "; ".join(
            f"{count}: {reason}"
            for reason, names in EXCEPTIONS.items()
            if (count := sum(library_of(of(name, abs)) == library for name in names))
        )
        counts = f"{tried[library]} | {work[library]} | {host[library]}"
        rows[library] = f"| {library} | {counts} | {reasons} |"
    return rows


def test_the_table_of_the_guide_is_up_to_date():
    lines = GUIDE.read_text().splitlines()
    rows = table()
    assert [row for row in rows.values() if row not in lines] == []
    written = {m[1] for line in lines if (m := re.match(r"\| ([\w-]+) \| \d+ \|", line))}
    assert written == set(LIBRARIES.values())


@pytest.mark.parametrize("order", ["import einops, py_tensor", "import py_tensor, einops"])
def test_einops_knows_tensors_in_either_order_of_imports(order):
    script = (
        f"{order}\nx = py_tensor.arange(6)\n"
        "assert einops.rearrange(x, '(a b) -> b a', a=2).tolist() == [[0, 3], [1, 4], [2, 5]]"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
