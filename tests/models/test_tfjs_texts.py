"""Graph models of TensorFlow.js with texts and hash tables."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from helpers import assert_values
from test_tfjs_graphs import FLOAT, node, number

import py_tensor as pt
from py_tensor.errors import ArgumentTypeError, ModelError, ShapeError
from py_tensor.models.tfjs.operators.fingerprint import fingerprint

TEXT, INT, LONG = {"type": "DT_STRING"}, {"type": "DT_INT32"}, {"type": "DT_INT64"}
OPEN = {"shape": {"dim": [{"size": "-1"}]}}
TEXTS = node("x", "Placeholder", dtype=TEXT, shape=OPEN)
INTS = node("x", "Placeholder", dtype=INT, shape=OPEN)


def lengths(*shape: int) -> dict[str, Any]:
    return {"dim": [{"size": str(length)} for length in shape]}


def of_texts(name: str, *texts: str, shape: Any = None) -> dict[str, Any]:
    values = [base64.b64encode(text.encode()).decode() for text in texts]
    shape = lengths(*((len(texts),) if shape is None else shape))
    tensor = {"dtype": "DT_STRING", "tensorShape": shape, "stringVal": values}
    return node(name, "Const", dtype=TEXT, value={"tensor": tensor})


def of_ints(name: str, *numbers: int, shape: Any = None, dtype: Any = LONG) -> dict[str, Any]:
    field = "int64Val" if dtype is LONG else "intVal"
    shape = lengths(*((len(numbers),) if shape is None else shape))
    tensor = {"dtype": dtype["type"], "tensorShape": shape, field: list(map(str, numbers))}
    return node(name, "Const", dtype=dtype, value={"tensor": tensor})


def of_floats(name: str, *numbers: float) -> dict[str, Any]:
    shape = lengths(len(numbers))
    tensor = {"dtype": "DT_FLOAT", "tensorShape": shape, "floatVal": list(numbers)}
    return node(name, "Const", dtype=FLOAT, value={"tensor": tensor})


def document(
    *nodes: dict[str, Any],
    outputs: str,
    initializer: Any = (),
    inputs: Any = None,
    made: Any = None,
) -> dict[str, Any]:
    """Return a model; `made` are the outputs of the initializer's signature."""
    return {
        "modelTopology": {"node": list(nodes)},
        "signature": {
            "inputs": inputs or {"x": {"name": "x:0"}},
            "outputs": {name: {"name": name} for name in outputs.split()},
        },
        "modelInitializer": {"node": list(initializer)},
        "initializerSignature": {"outputs": made or {}},
        "weightsManifest": [],
    }


def loaded(*nodes: dict[str, Any], **options: Any) -> pt.models.Model:
    return pt.models.loads(json.dumps(document(*nodes, **options)).encode())


def table(name: str, keys: Any, values: Any) -> dict[str, Any]:
    return node(name, "HashTableV2", key_dtype=keys, value_dtype=values, shared_name={"s": "eA=="})


def listed(found: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.tolist() if isinstance(value, pt.Tensor) else value
        for name, value in found.items()
    }


def words() -> dict[str, Any]:
    """Return a model that looks up texts, with a table of the form of older converters."""
    return document(
        TEXTS,
        table("t", TEXT, LONG),
        of_ints("none", -1, shape=()),
        node("find", "LookupTableFindV2", "t", "x", "none", Tin=TEXT, Tout=LONG),
        node("y", "Neg", "find", T=LONG),
        node("n", "LookupTableSizeV2", "t"),
        outputs="y n",
        initializer=[
            table("t", TEXT, LONG),
            of_texts("keys", "a", "été", "b", "a"),
            of_ints("values", 3, 1, 2, 5, dtype=INT),
            node("y", "Cast", "values", SrcT=INT, DstT=LONG),
            node("import", "LookupTableImportV2", "t", "keys", "y", Tin=TEXT, Tout=LONG),
        ],
    )


def test_texts_become_numbers(engine):
    model = pt.models.loads(json.dumps(words()).encode())
    assert model.inputs == (pt.models.ValueInfo("x", pt.models.graph.TEXT, (None,)),)
    assert repr(model.inputs[0]) == "ValueInfo(name='x', dtype=str, shape=(None,))"
    for again in (model, pt.models.loads(pt.models.save(model))):
        for _ in range(2):
            found = again.run({"x": ["a", "b", "q", "été"]})
            assert_values(found["y"], np.int32([-5, -2, 1, -1]))
            assert found["n"].item() == 3
        assert again(np.array(["b"]))[0].tolist() == [-2]
        assert again([])[0].tolist() == []
    assert "LookupTableFindV2" in str(model.summary(["a", "b"]))
    for wrong, kind in ((3, ArgumentTypeError), ([["a"]], ShapeError), (["a", ["b"]], ShapeError)):
        with pytest.raises(kind, match=r'^model: .*"x"'):
            model(wrong)


def resources(keys: Any, values: Any, default: Any, dtype: Any) -> pt.models.Model:
    return pt.models.loads(json.dumps(numbered(keys, values, default, dtype)).encode())


def numbered(keys: Any, values: Any, default: Any, dtype: Any) -> dict[str, Any]:
    """Return a model with a table of the form of newer converters: a numbered input."""
    return document(
        INTS,
        node("t", "Placeholder", dtype={"type": "DT_RESOURCE"}),
        default,
        of_ints("one", 1, shape=(), dtype=INT),
        node("next", "AddV2", "x", "one", T=INT),
        node("y", "LookupTableFindV2", "t", "next", default["name"], Tin=INT, Tout=dtype),
        outputs="y",
        inputs={
            "t:0": {"name": "t:0", "dtype": "DT_RESOURCE", "resourceId": 7},
            "x": {"name": "x"},
        },
        initializer=[
            table("made", INT, dtype),
            node("same", "Identity", "made", "^made", T={"type": "DT_RESOURCE"}),
            keys,
            values,
            node("import", "InitializeTableV2", "same", keys["name"], values["name"]),
            node("out", "Identity", "same", T={"type": "DT_RESOURCE"}),
        ],
        made={"out": {"name": "out:0", "resourceId": "7"}},
    )


def test_numbers_are_looked_up_where_they_are(engine):
    values = of_floats("values", 0.5, 0.25, 0.75, 9.0)
    model = resources(of_ints("keys", 5, -1, 7, 5, dtype=INT), values, number("none", -2.0), FLOAT)
    assert [info.name for info in model.inputs] == ["x"]
    for _ in range(2):
        found = model(np.int32([4, -2, 6, 0, 90, -90]))
        assert_values(found, np.float32([9, 0.25, 0.75, -2, -2, -2]))
    assert not model._runner.eager
    # A table of one entry, and of none.
    keys = of_ints("keys", 5, dtype=INT)
    model = resources(keys, of_floats("values", 0.5), number("none", -2.0), FLOAT)
    assert model(np.int32([3, 4, 5])).tolist() == [-2, 0.5, -2]
    model = resources(of_ints("keys", dtype=INT), of_floats("values"), number("none", -2.0), FLOAT)
    assert model(np.int32([3, 4])).tolist() == [-2, -2]


def test_numbers_become_texts(engine):
    keys, values = of_ints("keys", 5, -1, dtype=INT), of_texts("values", "five", "minus")
    model = resources(keys, values, of_texts("none", "?", shape=()), TEXT)
    for again in (model, pt.models.loads(pt.models.save(model))):
        assert again(np.int32([4, -2, 6])) == ["five", "minus", "?"]
    assert model(np.int32([4])) == ["five"]


def test_a_table_that_is_not_initialized(engine):
    with pytest.raises(ModelError) as raised:
        loaded(
            TEXTS,
            table("t", TEXT, LONG),
            of_ints("none", -1, shape=()),
            node("y", "LookupTableFindV2", "t", "x", "none"),
            node("z", "AddV2", "x", "x", T=TEXT),
            node("lower", "StringLower", "x"),
            outputs="y z lower",
        )
    assert str(raised.value) == (
        "load: model needs what is not supported; got operator HashTableV2 without its keys and "
        'values in "t"; operator AddV2 of DT_STRING in "z"; operator StringLower in "lower"; '
        "export the model without them"
    )


def test_wrong_tables(engine):
    keys, values = of_ints("keys", 1, 2, dtype=INT), of_floats("values", 0.5)
    model = resources(keys, values, number("none", 0.0), FLOAT)
    with pytest.raises(ModelError, match=r'node "t" \(HashTable\).*2 keys for 1 values'):
        model(np.int32([1]))
    model = resources(of_texts("keys", "a"), values, number("none", 0.0), FLOAT)
    with pytest.raises(ModelError, match="keys of int32 in a table of str"):
        model(np.int32([1]))
    nodes = [table("t", TEXT, LONG), node("import", "LookupTableImportV2", "t")]
    with pytest.raises(ModelError, match=r'lacks inputs; got node "import"'):
        loaded(TEXTS, node("y", "Size", "x"), outputs="y", initializer=nodes)
    with pytest.raises(ModelError, match="number of a table is not valid; got 'many'"):
        loaded(
            TEXTS,
            node("y", "Size", "x"),
            outputs="y",
            inputs={"x": {"name": "x", "resourceId": "many"}},
        )


# --- texts ----------------------------------------------------------------------------------------


def test_texts_are_moved(engine):
    column = of_ints("column", 1, shape=(), dtype=INT)
    rows = of_ints("rows", 1, 2, dtype=INT)
    places = of_ints("places", 2, 0, shape=(2, 1), dtype=INT)
    model = loaded(
        TEXTS,
        column,
        rows,
        places,
        of_texts("c", "b", shape=()),
        node("wide", "ExpandDims", "x", "column", T=TEXT),
        node("tiled", "Tile", "wide", "rows", T=TEXT),
        node("picked", "GatherNd", "x", "places", Tparams=TEXT, Tindices=INT),
        node("other", "NotEqual", "x", "c", T=TEXT),
        node("where", "Where", "other"),
        node("left", "GatherNd", "x", "where", Tparams=TEXT, Tindices=LONG),
        node("both", "Pack", "x", "x", N={"i": "2"}, T=TEXT),
        node("count", "Shape", "both", T=TEXT),
        outputs="tiled picked other left both count",
    )
    assert listed(model.run({"x": ["a", "b", "ü"]})) == {
        "tiled": [["a", "a"], ["b", "b"], ["ü", "ü"]],
        "picked": ["ü", "a"],
        "other": [True, False, True],
        "left": ["a", "ü"],
        "both": [["a", "b", "ü"]] * 2,
        "count": [2, 3],
    }
    # More texts than numbers are computed at once on the host.
    many = [f"t{at}" for at in range(3000)]
    found = model.run({"x": many}, outputs=["both", "left"])
    assert found == {"both": [many, many], "left": many}


def test_operators_on_numbers_refuse_texts(engine):
    model = loaded(TEXTS, node("y", "Neg", "x"), outputs="y")
    with pytest.raises(ModelError, match=r'node "y" \(Neg\) with str\[2\].*texts instead of'):
        model(["a", "b"])
    model = loaded(
        INTS, node("y", "StringToHashBucketFast", "x", num_buckets={"i": "3"}), outputs="y"
    )
    with pytest.raises(ModelError, match="int32 instead of texts"):
        model(np.int32([1]))


FINGERPRINTS = {
    0: 11160318154034397263,
    1: 5161771770385946686,
    3: 1310518540512506342,
    4: 11711337669010882099,
    7: 11057383930293635020,
    8: 15263540642688558600,
    16: 4338871769482718964,
    17: 2791110717120146389,
    32: 15611977142726651112,
    33: 2327144085378135765,
    64: 17972783085266097327,
    65: 16987655963586098774,
    128: 17840400735072181966,
    129: 6325110817993080408,
    200: 18164905070465977064,
}
"""FarmHash of texts by their length, by tf.util.fingerPrint64; the lengths are those between which
the method changes."""


def test_fingerprints_are_those_of_tensorflow():
    for n, expected in FINGERPRINTS.items():
        assert fingerprint(bytes((at * 37 + n) % 256 for at in range(n))) == expected, n


def of_bytes(text: str) -> dict[str, str]:
    return {"s": base64.b64encode(text.encode()).decode()}


@pytest.mark.parametrize(
    ("delimiter", "skips", "places", "parts", "shape"),
    [
        (" ,", True, [0, 0, 0, 1, 0, 2, 2, 0], ["one", "two", "three", "ü"], [3, 3]),
        (" ,", False, [0, 0, 0, 1, 0, 2, 0, 3, 2, 0], ["one", "two", "", "three", "ü"], [3, 4]),
        (" ", True, [0, 0, 0, 1, 0, 2, 2, 0], ["one", "two,", "three", "ü"], [3, 3]),
    ],
)
def test_texts_are_split(delimiter, skips, places, parts, shape, engine):
    # The results are those of tf.string.stringSplit.
    model = loaded(
        TEXTS,
        of_texts("delimiter", delimiter, shape=()),
        node("places", "StringSplit", "x", "delimiter", skip_empty={"b": skips}),
        outputs="places places:1 places:2",
    )
    found = model.run({"x": ["one two, three", "", "ü"]})
    wanted = np.reshape(places, (-1, 2)).tolist()
    assert list(listed(found).values()) == [wanted, parts, shape]


@pytest.mark.parametrize(
    ("widths", "padding", "keeps", "grams", "limits"),
    [
        ([2], 1, False, "<+a a+> <+bc bc+d d+>", [0, 2, 5]),
        ([3], 0, True, "a bc+d", [0, 1, 2]),
        ([3], 0, False, "", [0, 0, 0]),
        ([1, 2], -1, False, "a <+a a+> bc d <+bc bc+d d+>", [0, 3, 8]),
        (
            *([4], 5, False),
            "<+<+<+a <+<+a+> <+a+>+> a+>+>+> <+<+<+bc <+<+bc+d <+bc+d+> bc+d+>+> d+>+>+>",
            [0, 4, 9],
        ),
        ([5], 1, True, "<+a+> <+bc+d+>", [0, 1, 2]),
    ],
)
def test_neighbours_are_joined(widths, padding, keeps, grams, limits, engine):
    # The results are those of tf.string.stringNGrams.
    model = loaded(
        TEXTS, of_ints("ends", 0, 1, 3), n_grams(widths, padding, keeps), outputs="g g:1"
    )
    found = model.run({"x": ["a", "bc", "d"]})
    assert list(listed(found).values()) == [grams.split(), limits]


def n_grams(widths: list[int], padding: int, keeps: bool) -> dict[str, Any]:
    return node(
        "g",
        "StringNGrams",
        *("x", "ends"),
        separator=of_bytes("+"),
        left_pad=of_bytes("<"),
        right_pad=of_bytes(">"),
        pad_width={"i": str(padding)},
        ngram_widths={"list": {"i": list(map(str, widths))}},
        preserve_short_sequences={"b": keeps},
        Tsplits=LONG,
    )


@pytest.mark.parametrize(
    ("ends", "widths", "padding", "message"),
    [
        ([0, 2], [2], 0, "3 texts with other limits"),
        ([0, 2, 1, 3], [2], 0, "3 texts with other limits"),
        ([0, 3], [10**9], 10**9, "texts of 1,000,000,000 parts"),
        ([0, 3], [10**5], 10**5, "parts|bytes"),
        ([0, 3], [0], 0, "texts of 0 parts"),
    ],
)
def test_wrong_rows_of_texts(ends, widths, padding, message, engine):
    model = loaded(TEXTS, of_ints("ends", *ends), n_grams(widths, padding, False), outputs="g")
    with pytest.raises(ModelError, match=message):
        model(["a", "bc", "d"])


def letters() -> dict[str, Any]:
    return document(
        TEXTS,
        of_texts("nothing", "", shape=()),
        node("y", "StringToHashBucketFast", "x", num_buckets={"i": "1000"}),
        node("parts", "StringSplit", "x", "nothing"),
        node("letters", "StringToHashBucketFast", "parts:1", num_buckets={"i": "7"}),
        outputs="y letters",
    )


def test_texts_are_put_into_buckets(engine):
    # The results are those of tf.string.stringToHashBucketFast.
    model = pt.models.loads(json.dumps(letters()).encode())
    found, hashed = model(["one two, three", "", "ü"])
    assert_values(found, np.int32([47, 263, 891]))
    parts = [bytes([byte]) for byte in "one two, threeü".encode()]
    assert hashed.tolist() == [fingerprint(part) % 7 for part in parts]


def examples() -> list[dict[str, Any]]:
    """Return models that mutated files are made of."""
    values = of_texts("values", "five", "minus")
    names = numbered(
        of_ints("keys", 5, -1, dtype=INT), values, of_texts("none", "?", shape=()), TEXT
    )
    grams = document(TEXTS, of_ints("ends", 0, 1, 2), n_grams([1, 2], 1, True), outputs="g g:1")
    return [words(), names, grams, letters()]
