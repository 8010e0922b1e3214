"""CSV files become datasets of their rows, with inferred or given dtypes."""

from __future__ import annotations

import csv
import io
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from helpers import assert_raises, assert_spec, assert_values

import py_tensor as pt
from py_tensor import errors

pytestmark = pytest.mark.host

TABLE = """size,width,kind,round
1,0.5,cat,true
2,-1.5,dog,False

3,1e2,cat,TRUE
"""


def only_batch(dataset):
    [batch] = dataset.batch(100)
    return batch


def test_dtypes_are_inferred():
    batch = only_batch(pt.data.csv(TABLE))
    assert list(batch) == ["size", "width", "kind", "round"]
    assert_values(batch["size"], np.array([1, 2, 3], "int32"))
    assert_values(batch["width"], np.array([0.5, -1.5, 100], "float32"))
    assert_values(batch["round"], np.array([True, False, True]))
    assert batch["kind"] == ["cat", "dog", "cat"]
    assert len(pt.data.csv(TABLE)) == 3


def test_rows_one_by_one():
    first = next(iter(pt.data.csv(TABLE)))
    assert first["kind"] == "cat"
    assert_spec(first["size"], (), "int32")
    assert first["width"].item() == 0.5


@pytest.mark.parametrize("kind", ["path", "str", "text file", "binary file", "text"])
def test_sources(kind, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    if kind == "text file":
        with path.open() as file:
            dataset = pt.data.csv(file)
    elif kind == "binary file":
        with path.open("rb") as file:
            dataset = pt.data.csv(file)
    else:
        dataset = pt.data.csv({"path": path, "str": str(path), "text": TABLE}[kind])
    assert only_batch(dataset)["size"].tolist() == [1, 2, 3]


def test_spreadsheet_dialects():
    marked = b'\xef\xbb\xbfa;b\r\n1;"x;\r\ny"\r\n2;"say ""z"""\r\n'
    batch = only_batch(pt.data.csv(io.BytesIO(marked), delimiter=";"))
    assert batch["a"].tolist() == [1, 2]
    assert batch["b"] == ["x;\r\ny", 'say "z"']


def test_features_and_labels():
    x, y = only_batch(pt.data.csv(TABLE, features=["width", "size"], labels="size"))
    assert_values(x, np.array([[0.5, 1], [-1.5, 2], [100, 3]], "float32"))
    assert_values(y, np.array([1, 2, 3], "int32"))
    x = only_batch(pt.data.csv(TABLE, features="width"))
    assert_values(x, np.array([0.5, -1.5, 100], "float32"))
    dtypes = {"kind": ["cat", "dog"], "round": "bool"}
    x, y = only_batch(pt.data.csv(TABLE, labels=["kind", "round"], dtypes=dtypes))
    assert_values(x, np.array([[1, 0.5], [2, -1.5], [3, 100]], "float32"))
    assert_values(y, np.array([[0, 1], [1, 0], [0, 1]], "int32"))


def test_features_are_floats_by_default():
    text = "a,b,y\n1,2,0\n3,4,1\n"
    x, y = only_batch(pt.data.csv(text, labels="y"))
    assert_spec(x, (2, 2), "float32")
    assert_spec(y, (2,), "int32")
    x, y = only_batch(pt.data.csv(text, labels="y", dtypes="int16"))
    assert_values(x, np.array([[1, 2], [3, 4]], "int16"))
    assert_spec(y, (2,), "int16")
    x, _ = only_batch(pt.data.csv(text, labels="y", dtypes={"a": "uint8", "b": "int32"}))
    assert_spec(x, (2, 2), "int32")


def test_missing_and_large_values():
    batch = only_batch(pt.data.csv("a,b,c\n1,,5000000000\n,,2\n"))
    assert batch["a"].tolist()[0] == 1 and math.isnan(batch["a"].tolist()[1])
    assert all(map(math.isnan, batch["b"].tolist()))
    assert_values(batch["c"], np.array([5e9, 2], "float32"))


def test_headers_and_names():
    assert list(only_batch(pt.data.csv("1,2\n3,4\n", header=False))) == ["0", "1"]
    batch = only_batch(pt.data.csv("1,2\n3,4\n", header=False, names=["p", "q"]))
    assert batch["q"].tolist() == [2, 4]
    batch = only_batch(pt.data.csv("x, y\n1,2\n", names=["p", "q"]))
    assert batch["p"].tolist() == [1]
    assert list(next(iter(pt.data.csv(" x , y\n1,2\n")))) == ["x", "y"]


def test_a_table_without_rows():
    dataset = pt.data.csv("a,b\n")
    assert len(dataset) == 0 and list(dataset.batch(2)) == []


def test_a_written_table_is_read_back(rng):
    x = rng.normal(size=(50, 4)).astype("float32")
    file = io.StringIO()
    csv.writer(file).writerows([["a", "b", "c", "d"], *x.tolist()])
    file.seek(0)
    [batch] = pt.data.csv(file, features=list("abcd")).batch(50)
    assert_values(batch, x)


MISTAKES = {
    "ragged": (
        errors.ShapeError,
        lambda: pt.data.csv("a,b\n1,2\n3\n"),
        "csv: rows must have the same length; got 1 values in line 3 and 2 before; correct the "
        "file or pass its delimiter",
    ),
    "unknown column": (
        errors.ArgumentError,
        lambda: pt.data.csv(TABLE, labels="sort"),
        "csv: unknown column; got 'sort'; use one of size, width, kind, round",
    ),
    "another delimiter": (
        errors.ArgumentError,
        lambda: pt.data.csv("a;b\n1;2\n", labels="b"),
        "csv: unknown column; got 'b'; use one of a;b, or pass the file's delimiter",
    ),
    "spreadsheet": (
        errors.FormatError,
        lambda: pt.data.csv(io.BytesIO(b"PK\x03\x04\xff")),
        "csv: file is not text in UTF-8; got 'utf-8' codec can't decode byte 0xff in position 4: "
        "invalid start byte; save it as CSV in UTF-8, or read arrays of NumPy with pt.load and "
        "Parquet files with pt.data.parquet",
    ),
    "web page": (
        errors.FormatError,
        lambda: pt.data.csv("\n<!DOCTYPE html>\n<title>Not found</title>\n"),
        "csv: file is a web page, not a table; got '<!DOCTYPE html>\\n<title>Not "
        "found</title>\\n'; check the address",
    ),
    "web page without a type": (
        errors.FormatError,
        lambda: pt.data.csv('<html lang="en">\n'),
        "csv: file is a web page, not a table; got '<html lang=\"en\">\\n'; check the address",
    ),
    "dtype of an unknown column": (
        errors.ArgumentError,
        lambda: pt.data.csv(TABLE, dtypes={"sort": "int32"}),
        "csv: unknown column; got 'sort'; use one of size, width, kind, round",
    ),
    "text among numbers": (
        errors.DTypeError,
        lambda: pt.data.csv(TABLE, labels="size"),
        "csv: value in column \"kind\" cannot be converted; got 'cat' in row 0; correct it, or "
        'pass dtypes={"kind": ...} with a dtype or the list of texts to number',
    ),
    "unknown text": (
        errors.DTypeError,
        lambda: pt.data.csv(TABLE, dtypes={"kind": ["cat"]}),
        "csv: value in column \"kind\" cannot be converted; got 'dog' in row 1; correct it, or "
        'pass dtypes={"kind": ...} with a dtype or the list of texts to number',
    ),
    "too large": (
        errors.DTypeError,
        lambda: pt.data.csv("a\n300\n", dtypes="uint8"),
        'csv: column "a": value does not fit dtype uint8; got 300 at index (0,); uint8 holds 0 to '
        "255",
    ),
    "number of names": (
        errors.ArgumentError,
        lambda: pt.data.csv(TABLE, names=["a"]),
        "csv: column names must be unique, one per column; got ['a'] for 4 columns; rename or "
        "count the columns",
    ),
    "names twice": (
        errors.ArgumentError,
        lambda: pt.data.csv("a,a\n1,2\n"),
        "csv: column names must be unique, one per column; got ['a', 'a'] for 2 columns; rename "
        "or count the columns",
    ),
    "no source": (
        errors.ArgumentError,
        lambda: pt.data.csv(3),
        "csv: cannot read from int; got 3; pass a path, a file object or a text with line breaks",
    ),
    "no column": (
        errors.ArgumentError,
        lambda: pt.data.csv(TABLE, features=[]),
        "csv: at least one column is required; got []; name a column",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_misuse(name):
    error, call, text = MISTAKES[name]
    assert_raises(error, text, call)


@pytest.fixture
def address():
    """Serve a file with a byte order mark from a local server; yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            exists = self.path == "/table.csv"
            self.send_response(200 if exists else 404)
            self.end_headers()
            self.wfile.write("\ufeffa,b\n1,2.5\n3,4.5\n".encode() if exists else b"")

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_url_is_downloaded(address):
    rows = list(pt.data.csv(f"{address}/table.csv"))
    assert [row["a"].item() for row in rows] == [1, 3]
    assert [row["b"].item() for row in rows] == [2.5, 4.5]


def test_a_missing_url_is_named(address):
    assert_raises(
        errors.ArgumentError,
        f"csv: cannot read the URL; got {address}/none.csv: HTTP Error 404: Not Found; check the "
        "address and the network",
        lambda: pt.data.csv(f"{address}/none.csv"),
    )
