"""Numbers that visitors of the analyser type for an input."""

from __future__ import annotations

import pytest
from typed_numbers import numbers_of

pytestmark = pytest.mark.host


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1, 2, 3\n4, 5, 6", (2, 3)),
        ("1\t2\t3\n\n4\t5\t6\n", (1, 2, 3)),
        ("1; 2; 3; 4; 5; 6", (6,)),
        ("1 2\n3 4\n5 6", (1, 3, 2)),
        ("1 2\n3 4\n5 6", (3, 1, 2)),
        ("[[1, 2, 3], [4, 5, 6]]", (2, 3)),
        ("[1, 2, 3, 4, 5, 6]", (1, 6)),
        ("1,2,3\n4,5,6\n", (1, 2, 1, 3)),
    ],
)
def test_table_or_json_fills_the_input(text, shape):
    assert numbers_of(text, shape, "f", "float32") == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_table_with_rows_of_the_last_axis_fills_more_axes():
    rows = "\n".join(f"{2 * row}, {2 * row + 1}" for row in range(6))
    assert numbers_of(rows, (2, 3, 2), "f", "float32") == list(range(12))


def test_numbers_have_the_kind_of_the_input():
    assert numbers_of("true, FALSE", (2,), "b", "bool") == [1, 0]
    assert numbers_of("1e2, -3", (2,), "i", "int32") == [100, -3]
    assert numbers_of("7", (), "f", "float32") == [7.0]
    assert all(isinstance(value, int) for value in numbers_of("1, 2", (2,), "u", "uint8"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1, 2", r"do not have the shape of the input; got \(1, 2\) for \(2, 3\); give 6 numbers"),
        ("1 2\n3 4\n5 6", r"got \(3, 2\) for \(2, 3\); give 6 numbers, in rows of 3"),
        ("", r"got \(0, 0\)"),
        ("1, 2, 3\n4, 5", "rows differ in length; got 2 cells in line 2 after 3"),
        ("1, 2, 3\n4, five, 6", "cell is no number; got 'five' in line 2, cell 2"),
        ("[[1, 2, 3], [4, 5]]", "lists differ in length; got 2 and 3"),
        ("[[1, 2, 3], [4, null, 6]]", "cell is no number; got None in place 4"),
        ("[1, 2", "JSON is not valid"),
        ("1, 2, 3\n4, 5, 300", "uint8 goes from 0 to 255; got 300"),
        ("1, 2, 3\n4, 5, 0.5", "uint8 has integers only; got 0.5"),
        ("1, 2, 3\n4, 5, nan", "uint8 has integers only; got nan"),
    ],
)
def test_wrong_text_is_explained(text, message):
    with pytest.raises(ValueError, match=f"^numbers: .*{message}"):
        numbers_of(text, (2, 3), "u", "uint8")
