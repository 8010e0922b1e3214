"""Load weights of PyTorch and safetensors, and use them in modules."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import assert_values, finished

import py_tensor as pt
from py_tensor.errors import ArgumentError, ModelError, ShapeError
from py_tensor.models.weights import torch_files

FOLDER = Path(__file__).parent / "pytorch"


def loaded(source: Any, **options: Any) -> dict[str, pt.Tensor]:
    return finished(pt.models.load_weights(source, **options))


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["views.pt", "views_legacy.pt"])
def test_tensors_of_every_layout_and_dtype(file, engine):
    weights = loaded(FOLDER / file)
    views = {name: w for name, w in weights.items() if name.startswith("views.")}
    assert len(views) == 18
    for name, view in views.items():
        plain = weights[name.replace("views", "plain")]
        assert (view.shape, view.dtype) == (plain.shape, plain.dtype)
        assert view.tolist() == plain.tolist()
    assert views["views.transposed"].tolist() == np.arange(24.0).reshape(2, 3, 4).T.tolist()
    assert views["views.channels_last"][1, 2, 3, 4].item() == 119.0
    assert views["views.bfloat16"].tolist() == [1.5, -2.0, 0.25]
    assert views["views.int64"].tolist() == [[1, 2**31 - 1], [-(2**31), 4]]
    assert views["views.bool"].tolist() == [False, True]
    dtypes = {name.removeprefix("views."): view.dtype.name for name, view in views.items()}
    assert dtypes["float16"] == "float16" and dtypes["bfloat16"] == dtypes["float64"] == "float32"
    assert dtypes["int64"] == "int32" and dtypes["complex64"] == "complex64"
    assert weights["list.1.0"].tolist() == [0.0, 0.0]


def test_tensors_without_gaps_are_read_at_once(engine, monkeypatch):
    monkeypatch.setattr(torch_files, "ROWS", 0)
    for name in ("base", "transposed", "channels_last", "int64"):
        assert loaded(FOLDER / "views.pt", prefix=f"views.{name}")[""].size > 3
    with pytest.raises(ModelError, match="too scattered"):
        loaded(FOLDER / "views.pt", prefix="views.sliced")


def test_equal_views_are_one_tensor(engine):
    data = torch_file({"a": ("float", "0", 0, (2,), (1,)), "b": ("float", "0", 0, (2,), (1,))})
    weights = loaded(data)
    assert weights["a"] is weights["b"]


def test_numbers_of_numpy_are_left_out(engine):
    numbers = {"best": np.float64(0.5), "mean": np.float32([1, 2]), "seen": np.int64(3)}
    extra = pickle.dumps(numbers, 2)[2:-1]
    view = tensor("float", "0", 0, (2,), (1,))
    content = pickled({"a": view})[:-1] + b"X\x05\x00\x00\x00extra" + extra + b"u."
    weights = loaded(zipped(content, {"0": np.float32([1, 2]).tobytes()}))
    assert {name: w.tolist() for name, w in weights.items()} == {"a": [1.0, 2.0]}


def test_a_prefix_selects_tensors(engine):
    weights = loaded(FOLDER / "tagger.pt", prefix="model.module.")
    assert "gru.weight_ih_l1" in weights and "scale" in weights
    assert not [name for name in weights if name.startswith(("data", "model"))]


def test_safetensors_in_parts(engine, tmp_path):
    parts = {"a.safetensors": {"x": pt.ones(2)}, "sub/b.safetensors": {"y": pt.zeros((2, 1))}}
    index = {"weight_map": {n: file for file, part in parts.items() for n in part}}
    files = {file: pt.io.to_bytes(part) for file, part in parts.items()}
    files[""] = json.dumps({"metadata": {"total_size": 16}, **index}).encode()
    asked = []

    def read(name: str) -> bytes:
        asked.append(name)
        return files[name]

    weights = loaded(read)
    assert {name: w.tolist() for name, w in weights.items()} == {"x": [1, 1], "y": [[0], [0]]}
    assert asked == ["", "a.safetensors", "sub/b.safetensors"]
    files["sub/b.safetensors"] = files["a.safetensors"]
    with pytest.raises(ModelError, match="name is in two parts; got 'x'"):
        loaded(read)
    (tmp_path / "sub").mkdir()
    (tmp_path / "model.safetensors.index.json").write_bytes(files[""])
    (tmp_path / "a.safetensors").write_bytes(files["a.safetensors"])
    with pytest.raises(ModelError, match="No such file"):
        loaded(tmp_path / "model.safetensors.index.json")


@pytest.mark.parametrize(
    "name", ["../a", "/etc/passwd", "a//b", "..", "", "C:\\a", "http://a/b", 3]
)
def test_parts_outside_of_the_folder_are_refused(name, engine):
    index = json.dumps({"weight_map": {"x": name}}).encode()
    with pytest.raises(ModelError, match="part must be a file in the index's folder"):
        loaded(lambda name: index)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"{}", b'{"weight_map": 3}', b"[" * 100_000, bytes(100), b"PK\x03\x04", b"\n{"],
)
def test_other_files_are_refused(data, engine):
    with pytest.raises(ModelError, match="load_weights: not a valid"):
        loaded(data)


def test_integers_must_fit(engine):
    data = torch_file({"n": ("long", "0", 0, (1,), (1,))}, {"0": struct.pack("<q", 2**40)})
    with pytest.raises(ModelError, match=r'tensor does not fit its dtype; got .*"n"'):
        loaded(data)


# --- modules --------------------------------------------------------------------------------------


class Classifier(pt.nn.Module):
    features: pt.nn.Sequential
    head: pt.nn.Dense

    def __init__(self) -> None:
        self.features = pt.nn.Sequential(
            pt.nn.Conv2D(2, 4, 3, padding=1),
            pt.nn.BatchNorm(4, epsilon=1e-5),
            pt.relu,
            pt.nn.DepthwiseConv2D(4, 3, bias=False),
            pt.nn.GroupNorm(2, 4),
            pt.nn.PReLU(4),
            pt.nn.ConvTranspose2D(4, 3, 2, stride=2),
            pt.nn.MaxPool2D(2),
        )
        self.head = pt.nn.Dense(3 * 4 * 6, 5)

    def forward(self, x, *, training=False):
        y = self.features(x.permute_dims((0, 2, 3, 1)), training=training)
        return self.head(y.reshape((y.shape[0], -1)))


class Tagger(pt.nn.Module):
    embedding: pt.nn.Embedding
    gru: pt.nn.GRU
    lstm: pt.nn.Bidirectional
    rnn: pt.nn.RNN
    norm: pt.nn.LayerNorm
    scale: pt.Tensor

    def __init__(self) -> None:
        self.embedding = pt.nn.Embedding(11, 6)
        self.gru = pt.nn.GRU(6, 4, layers=2)
        self.lstm = pt.nn.Bidirectional(pt.nn.LSTM(4, 3), pt.nn.LSTM(4, 3))
        self.rnn = pt.nn.RNN(6, 4)
        self.norm = pt.nn.LayerNorm(4)
        self.scale = pt.zeros(4)

    def forward(self, x, *, training=False):
        x, _ = self.gru(self.embedding(x))
        x, _ = self.lstm(x)
        x, _ = self.rnn(x)
        return self.norm(x) * self.scale


class Transformer(pt.nn.Module):
    encoder: pt.nn.TransformerEncoderLayer
    decoder: pt.nn.TransformerDecoderLayer
    attention: pt.nn.MultiHeadAttention

    def __init__(self) -> None:
        self.encoder = pt.nn.TransformerEncoderLayer(8, 2, hidden=16)
        self.decoder = pt.nn.TransformerDecoderLayer(8, 2, hidden=16, norm_first=True)
        self.attention = pt.nn.MultiHeadAttention(8, 2, key_inputs=6, value_inputs=5)

    def forward(self, x, *, training=False):
        y = self.decoder(x, self.encoder(x))
        return y + self.attention(y, x[..., :6], x[..., :5])


@pytest.mark.parametrize(
    ("kind", "file", "options"),
    [
        (Classifier, "classifier.pth", {"flattened": {"head": (3, 4, 6)}}),
        (Tagger, "tagger.pt", {}),
        (Transformer, "transformer.bin", {}),
    ],
)
def test_modules_give_the_numbers_of_pytorch(kind, file, options, engine):
    model, weights = kind(), loaded(FOLDER / file)
    data = {name: weights.pop(f"data.{name}") for name in "xy"}
    unmatched = pt.models.load_torch_state_dict(model, weights, prefix="model.module.", **options)
    assert unmatched == ((), ())
    assert_values(model(data["x"]), data["y"].numpy(), rtol=1e-5, atol=1e-6)
    # Weights of safetensors have the same names.
    again, state = kind(), pt.io.from_bytes(pt.io.to_bytes(weights))
    pt.models.load_torch_state_dict(again, state, prefix="model.module.", **options)
    assert_values(again(data["x"]), data["y"].numpy(), rtol=1e-5, atol=1e-6)


def linear(prefix: str = "") -> dict[str, Any]:
    return {
        f"{prefix}weight": pt.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        f"{prefix}bias": [7.0, 8.0],
    }


def test_missing_and_unexpected_names(engine):
    model = pt.nn.Sequential(pt.nn.Dense(3, 2), pt.nn.BatchNorm(2))
    state = {**linear("0."), "1.num_batches_tracked": 3, "head.weight": [1.0]}
    before = model.state_dict()["layers.0.weight"].tolist()
    with pytest.raises(
        ArgumentError, match=r"names differ; got 'head.weight' instead of '1.weight'"
    ):
        pt.models.load_torch_state_dict(model, state)
    assert model.state_dict()["layers.0.weight"].tolist() == before
    unmatched = pt.models.load_torch_state_dict(model, state, strict=False)
    assert unmatched.missing == ("1.weight", "1.bias", "1.running_mean", "1.running_var")
    assert unmatched.unexpected == ("head.weight",)
    assert model[0].weight.tolist() == [[1, 4], [2, 5], [3, 6]]


@pytest.mark.parametrize(
    "rename",
    [{"net.old.": "0."}, lambda name: name.replace("net.old", "0")],
    ids=["dict", "function"],
)
def test_names_can_be_changed(rename, engine):
    model = pt.nn.Sequential(pt.nn.Dense(3, 2))
    pt.models.load_torch_state_dict(model, linear("net.old."), rename=rename)
    assert model[0].bias.tolist() == [7, 8]
    with pytest.raises(ArgumentError, match="two names become one; got 'x'"):
        pt.models.load_torch_state_dict(model, linear(), rename=lambda name: "x")


def test_shapes_must_fit(engine):
    model = pt.nn.Sequential(pt.nn.Dense(2, 3))
    with pytest.raises(ShapeError, match=r"got \(2, 3\) of '0.weight' for \(2, 3\)"):
        pt.models.load_torch_state_dict(model, linear("0."))
    with pytest.raises(ShapeError, match=r"got \(2,\) of '0.weight' for \(2, 3\)"):
        pt.models.load_torch_state_dict(model, {"0.weight": [1.0, 2.0], "0.bias": [1.0, 2.0, 3.0]})
    model = pt.nn.Sequential(pt.nn.Dense(3, 2))
    with pytest.raises(ShapeError, match=r"got \(2, 2\) for \(2, 3\) of '0.weight'"):
        pt.models.load_torch_state_dict(model, linear("0."), flattened={"0": (2, 2)})


def test_assigned_tensors_keep_their_dtype(engine):
    model = pt.nn.Dense(3, 2)
    half = {name: pt.asarray(w).astype("float16") for name, w in linear().items()}
    pt.models.load_torch_state_dict(model, half)
    assert model.weight.dtype is pt.float32
    pt.models.load_torch_state_dict(model, half, assign=True)
    assert model.weight.dtype is pt.float16
    assert model(pt.ones(3, dtype="float16")).tolist() == [13, 23]


def test_layers_with_their_own_projections(engine):
    """Attention of other libraries has one linear layer for each projection."""
    model = pt.nn.MultiHeadAttention(2, 1)
    state = {
        f"{name}.{kind}": np.float32([[1, 2], [3, 4]] if kind == "weight" else [5, 6])
        for name in ("query", "key", "value", "output")
        for kind in ("weight", "bias")
    }
    pt.models.load_torch_state_dict(model, state)
    assert model.value.weight.tolist() == [[1, 3], [2, 4]]


# --- files that are refused -----------------------------------------------------------------------


class Id:
    """A persistent id in a pickle."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Call:
    """A call in a pickle, of a function that is only named."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self.name, self.arguments = name, arguments


def pickled(value: Any) -> bytes:
    """Write a pickle with calls of any function, by hand."""
    if isinstance(value, Call):
        module, _, name = value.name.rpartition(".")
        return f"c{module}\n{name}\n".encode() + pickled(value.arguments) + b"R"
    if isinstance(value, Id):
        return pickled(value.value) + b"Q"
    if isinstance(value, Name):
        module, _, name = value.rpartition(".")
        return f"c{module}\n{name}\n".encode()
    if isinstance(value, dict):
        return b"}(" + b"".join(pickled(k) + pickled(v) for k, v in value.items()) + b"u"
    if isinstance(value, tuple):
        return b"(" + b"".join(map(pickled, value)) + b"t"
    if isinstance(value, list):
        return b"](" + b"".join(map(pickled, value)) + b"e"
    return pickle.dumps(value, 2)[2:-1]


class Name(str):
    """A function that is not called."""


CODES = {"float": "FloatStorage", "long": "LongStorage", "byte": "ByteStorage"}
SIZES = {"float": 4, "long": 8, "byte": 1}


def storage(kind: str, key: Any, count: Any) -> Id:
    return Id(("storage", Name(f"torch.{CODES[kind]}"), key, "cpu", count))


def tensor(kind: str, key: Any, offset: Any, shape: Any, strides: Any, count: Any = 2) -> Call:
    return Call(
        "torch._utils._rebuild_tensor_v2",
        storage(kind, key, count),
        offset,
        shape,
        strides,
        False,
        None,
    )


def zipped(content: bytes, files: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        archive.writestr("archive/data.pkl", content)
        for name, part in files.items():
            archive.writestr(f"archive/data/{name}", part)
    return data.getvalue()


def torch_file(tensors: dict[str, Any], files: dict[str, bytes] | None = None) -> bytes:
    """A file with tensors (dtype, key, offset, shape, strides)."""
    parts = {"0": np.float32([1, 2]).tobytes()} if files is None else files
    found = {}
    for name, (kind, key, *rest) in tensors.items():
        count = len(parts.get(key, bytes(8))) // SIZES[kind]
        found[name] = tensor(kind, key, *rest, count=count)
    return zipped(b"\x80\x02" + pickled(found) + b".", parts)


@pytest.mark.parametrize(
    "value",
    [
        Call("os.system", "touch /tmp/py_tensor_was_here"),
        Call("builtins.eval", "1"),
        Call("builtins.exec", "1"),
        Call("builtins.getattr", Name("os"), "system"),
        Call("builtins.__import__", "os"),
        Call("torch.load", "x"),
        Call("torch.nn.modules.linear.Linear", 1, 1),
        Call("operator.attrgetter", "system"),
        Call("torch.hub.load", "x"),
        Call("_codecs.decode", b"x", "zip"),
        Call("copyreg._reconstructor", Name("subprocess.Popen"), Name("builtins.object"), None),
        Call("torch._tensor._rebuild_from_type_v2", Name("os.system"), Name("x.y"), ("ls",), None),
        Call("collections.OrderedDict.__class__"),
        Call("torch.Size.__init__", (1,)),
        {"model": {"a": Call("os.system", "ls")}},
        Call("collections.OrderedDict", [[[], 1]]),
        Call("torch.Size", 3),
        Call("torch.Size", (1,), (2,)),
        Call("torch._utils._rebuild_parameter", 3, True, None),
        Call("torch._utils._rebuild_tensor_v2"),
    ],
    ids=lambda value: value.name if isinstance(value, Call) else "nested",
)
def test_pickles_that_call_functions_are_refused(value, engine):
    data = zipped(b"\x80\x02" + pickled(value) + b".", {})
    with pytest.raises(ModelError, match=r"load_weights: (file builds an object|not a valid)"):
        loaded(data)
    assert not Path("/tmp/py_tensor_was_here").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"\x82\x01.", b"\x83\x01\x00.", b"\x84\x01\x00\x00\x00.",  # extension codes
        b"cos\nsystem\n(X\x02\x00\x00\x00lst\x81.",  # NEWOBJ
        b"cos\nsystem\n(X\x02\x00\x00\x00lst}\x92.",  # NEWOBJ_EX
        b"(X\x02\x00\x00\x00lsios\nsystem\n.",  # INST
        b"(cos\nsystem\nX\x02\x00\x00\x00lso.",  # OBJ
        b"X\x02\x00\x00\x00osX\x06\x00\x00\x00system\x93(X\x02\x00\x00\x00lstR.",  # STACK_GLOBAL
        b"]]\x93.", b"K\x01K\x02R.", b"}cos\nsystem\nb.", b"cos\nsystem\n}b.",
        b"Pmodule\n.", b"\x97.", b"\x98.",  # persistent text, buffers
        b"", b".", b"(", b"0.", b"t.", b"u.", b"h\x05.", b"\x85.", b"N}b.", b"](Na.", b"}Ns.",
        b"}]Ns.", b"}(K\x01tNs.", b"X\xff\xff\xff\xff.", b"\x8b\xff\xff\xff\xff.", b"\x8bx.",
        b"\x8d" + b"\xff" * 8 + b".", b"Ix\n.", b"Sx\n.", b"I" + b"1" * 6000 + b"\n.", b"\xff.",
        b"I" + b"1" * 4900 + b"\n.",
        b"}\x8a\x0a" + b"\x01" * 10 + b"Ns.",
    ],
)  # fmt: skip
def test_malformed_pickles_are_refused(content, engine):
    with pytest.raises(ModelError, match=r"load_weights: .*data\.pkl"):
        loaded(zipped(content, {}))


def test_pickles_with_too_many_operations_are_refused(engine):
    with pytest.raises(ModelError, match="more than 2,000,000 operations"):
        loaded(zipped(b"N" * 2_000_001, {}))


@pytest.mark.parametrize(
    "given",
    [
        3, "0", (), ("storage",), [1, 2, 3, 4, 5],
        ("module", Name("torch.FloatStorage"), "0", "cpu", 2),
        ("storage", "torch.FloatStorage", "0", "cpu", 2),
        ("storage", Name("os.system"), "0", "cpu", 2),
        ("storage", Name("torch.FloatStorage"), 0, "cpu", 2),
        ("storage", Name("torch.FloatStorage"), "0", "cpu", -1),
        ("storage", Name("torch.FloatStorage"), "0", "cpu", 2.0),
        ("storage", Name("torch.FloatStorage"), "0", "cpu", True),
        ("storage", Name("torch.FloatStorage"), "0", "cpu", 2, ("view", 0, 1)),
    ],
)  # fmt: skip
def test_wrong_persistent_ids_are_refused(given, engine):
    with pytest.raises(ModelError, match=r"persistent id|storage|number of elements"):
        loaded(zipped(pickled({"a": Id(given)}) + b".", {"0": bytes(8)}))


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (("float", "0", 1, (2,), (1,)), "goes past the end"),
        (("float", "0", 0, (2, 2), (2, 1)), "goes past the end"),
        (("float", "0", 0, (2**62, 2**62), (0, 1)), "overlap too much"),
        (("float", "0", 0, (2**40,), (0,)), "overlap too much"),
        (("byte", "0", 0, (1,) * 33, (0,) * 33), "33 and 33 axes"),
        (("byte", "0", 0, (2,) * 21, (0,) * 21), "too scattered"),
        (("float", "0", 0, (2,), (1, 1)), "1 and 2 axes"),
        (("float", "0", 0, [2], (1,)), "a tensor needs"),
        (("float", "0", -1, (2,), (1,)), "-1 is not a number of elements"),
        (("float", "0", 0, (-2,), (1,)), "-2 is not a number of elements"),
        (("float", "0", 0, (2**80,), (1,)), "is not a number of elements"),
        (("float", "1", 0, (2,), (1,)), "storage is missing"),
        (("float", "../../etc/passwd", 0, (2,), (1,)), "storage is missing"),
    ],
)
def test_tensors_outside_of_their_storage_are_refused(spec, text, engine):
    with pytest.raises(ModelError, match=text):
        loaded(torch_file({"a": spec}))


def test_storages_must_have_their_size(engine):
    value = {"a": tensor("float", "0", 0, (2,), (1,), count=3)}
    with pytest.raises(ModelError, match="storage has another size"):
        loaded(zipped(pickled(value) + b".", {"0": bytes(8)}))


def test_programs_of_torchscript_are_named(engine):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model/data.pkl", b"\x80\x02}.")
        archive.writestr("model/code/__torch__/net.py", "x = 1\n" * 100)
        archive.writestr("model/constants.pkl", b"\x80\x02).")
    with pytest.raises(ModelError, match="program of TorchScript"):
        loaded(data.getvalue())


def test_compressed_entries_are_refused(engine):
    bomb = zipped(pickled({}) + b".", {"0": bytes(1 << 24)}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 1 << 16
    with pytest.raises(ModelError, match="compressed or encrypted"):
        loaded(bomb)


def test_declared_sizes_must_fit_the_file(engine):
    data = torch_file({"a": ("float", "0", 0, (2,), (1,))})
    at = data.rindex(b"PK\x01\x02")
    huge = struct.pack("<II", 1 << 31, 1 << 31)
    with pytest.raises(ModelError, match="goes past the end"):
        loaded(data[: at + 20] + huge + data[at + 28 :])
    with pytest.raises(ModelError, match="zip file is damaged"):
        loaded(data[: at + 42] + struct.pack("<I", 3) + data[at + 46 :])


@pytest.mark.parametrize(
    "content",
    [
        b"]q\x00h\x00a.",  # a list in itself
        b"}q\x00X\x01\x00\x00\x00ah\x00s.",  # a dict in itself
        b"]" * 100 + b"a" * 99 + b".",
        b"N" + b"\x85" * 100_000 + b".",
    ],
    ids=["list", "dict", "deep", "tuples"],
)
def test_cyclic_and_deep_containers_are_refused(content, engine):
    with pytest.raises(ModelError, match="cyclic or nested too deeply"):
        loaded(zipped(content, {}))


def test_containers_that_repeat_each_other_are_refused(engine, monkeypatch):
    """Ten lists of ten lists of ten lists ..., each stored once."""
    monkeypatch.setattr(torch_files, "VISITED", 10_000)
    content = b"]q\x00" + b"".join(
        b"](" + b"h" + bytes([at]) + (b"h" + bytes([at])) * 9 + b"eq" + bytes([at + 1])
        for at in range(30)
    )
    with pytest.raises(ModelError, match="too many elements"):
        loaded(zipped(content + b".", {}))


def test_names_must_be_unique(engine):
    view = tensor("float", "0", 0, (2,), (1,))
    for value in ({"a": {"b": view}, "a.b": view}, {"a" * 2000: view}):
        with pytest.raises(ModelError, match="not unique, too long or too many"):
            loaded(zipped(pickled(value) + b".", {"0": bytes(8)}))


def test_modules_are_refused_with_advice(engine):
    with pytest.raises(
        ModelError, match=r"got '__main__.Classifier' at byte .*save the state_dict"
    ):
        loaded(FOLDER / "module.pt")


def test_a_legacy_file_that_is_cut_off_names_the_place(engine):
    data = (FOLDER / "views_legacy.pt").read_bytes()
    for end in range(30, len(data), len(data) // 40):
        with pytest.raises(ModelError, match="got "):
            loaded(data[:end])
