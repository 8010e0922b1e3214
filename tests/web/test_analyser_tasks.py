"""The analyser's own decoding and preparation, without a page."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import file_kinds
import notes
import numpy as np
import photo_filters
import pytest
import sounds
import tasks
import text_lines
import token_inputs
import token_tables
from findings import Scene
from helpers import assert_values
from input_filters import FILTERS, filtered
from make_note_fixtures import frames_and_onsets
from preparation import SCALINGS, Options, code, compiled, guessed

import py_tensor as pt
from py_tensor.models.graph import ValueInfo

RECORDED = json.loads((Path(__file__).parent / "data" / "notes.json").read_text())


@pytest.mark.parametrize("seed", range(3))
def test_notes_as_basic_pitch(seed):
    events = notes.notes_of(*(each.tolist() for each in frames_and_onsets(seed)))
    expected = RECORDED["notes"][seed]
    assert len(expected) > 20
    assert [note[:3] for note in events] == [tuple(note[:3]) for note in expected]
    np.testing.assert_allclose([n[3] for n in events], [n[3] for n in expected], atol=2e-6)


def test_windows_of_a_sound_overlap():
    samples = pt.arange(60000).astype("float32")
    windows = sounds.windows(samples, sounds.MODEL_RATE).numpy()[..., 0]
    half, shared = sounds.OVERLAP // 2 * sounds.FRAME, sounds.OVERLAP * sounds.FRAME
    assert windows.shape == (2, sounds.WINDOW)
    assert windows[0, half] == 0
    assert windows[0, half + 7] == 7
    np.testing.assert_array_equal(windows[0, -shared:], windows[1, :shared])
    assert sounds.frames_of(60000, sounds.MODEL_RATE) == 234
    frames = pt.reshape(pt.arange(2 * 172 * 88), (2, 172, 88))
    kept = notes.joined(frames, sounds.OVERLAP, 200).numpy()
    np.testing.assert_array_equal(kept[:142], frames.numpy()[0, 15:157])
    np.testing.assert_array_equal(kept[142:], frames.numpy()[1, 15:73])


@pytest.fixture(autouse=True)
def clear_caches():
    yield
    photo_filters._row.cache_clear()


PICTURE = np.random.default_rng(0).integers(0, 256, (30, 60, 3)).astype("uint8")


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("fit", ["letterbox", "stretch"])
def test_prepared_pictures(scaling, fit):
    options = Options(16, 16, fit=fit, scaling=scaling, channels_first=True, bgr=True)
    x, matrix = compiled(code(options))(pt.asarray(PICTURE))
    assert x.shape == (1, 3, 16, 16)
    inner = x.numpy()[0, :, 4:12] if fit == "letterbox" else x.numpy()[0]
    size = inner.shape[1:]
    colors = pt.asarray(PICTURE.astype("float32"))
    resized = pt.vision.resize(colors, size).numpy()[..., ::-1]
    mean, deviation = {
        "bytes": (0.0, 1 / 255),
        "unit": (0.0, 1.0),
        "signed": (0.5, 0.5),
        "imagenet": (np.asarray([0.485, 0.456, 0.406]), np.asarray([0.229, 0.224, 0.225])),
    }[scaling]
    expected = ((resized / 255 - mean) / deviation).transpose((2, 0, 1))
    np.testing.assert_allclose(inner, expected, rtol=1e-4, atol=1e-4)
    corner = pt.vision.transform_points([[16.0, 12.0 if fit == "letterbox" else 16.0]], matrix)
    assert_values(corner, np.asarray([[60.0, 30.0]], "float32"), atol=1e-4)


def info(shape, dtype="float32"):
    return ValueInfo("x", pt.dtype(dtype) if hasattr(pt, "dtype") else getattr(pt, dtype), shape)


def test_guessed_options():
    keras = guessed(info((None, 224, 224, 3)), {"task": "classes", "fit": "stretch"})
    assert (keras.height, keras.scaling, keras.fit) == (224, "signed", "stretch")
    torch = guessed(info((1, 3, 224, 224)), {"task": "classes"})
    assert torch.channels_first
    assert torch.scaling == "imagenet"
    assert guessed(info((1, 192, 192, 3), "int32"), {"scaling": "unit"}).scaling == "bytes"
    assert guessed(info(("n", 3, "h", "w")), {}).height == 0
    sides = {"height": 256, "width": 128}
    assert guessed(info(("n", 3, "h", "w")), sides).width == 128
    assert guessed(info((1, 3, 32, 48)), sides).width == 48


@pytest.mark.parametrize(("shapes", "name"), [
    ([(1, 512, 16), (1, 512, 1), (1, 384, 16), (1, 384, 1)], "faces"),
    ([(None, 1404), (None, 1), (None, 266)], "face_mesh"),
    ([(None, 1, 1, 228)], "iris"),
    ([(1, 63), (1, 1), (1, 63), (1, 1)], "hand_points"),
    ([(1, 100), (1, 12804, 4), (1, 12804, 8), (1, 100, 4)], "hands"),
    ([(1, 1, 17, 3)], "pose"),
    ([(1, 33, 33, 17), (1, 33, 33, 34), (1, 33, 33, 32), (1, 33, 33, 32)], "pose_maps"),
    ([(1, 33, 33, 1), (1, 33, 33, 24), (1, 33, 33, 48), (1, 33, 33, 17)], "body_parts"),
    ([(1, 128, 128, 80), (1, 100, 6)], "objects"),
    ([(1, 10, 4), (1, 10), (1, 10), (1,)], "detections"),
    ([(None, 172, 264), (None, 172, 88), (None, 172, 88)], "notes"),
    ([("n", 1, "h", "w")], "text"),
    ([("n", "steps", 6625)], "text_line"),
    ([(1, 256, 256, 3)], "picture"),
    ([(1, 21, 512, 512)], "segments"),
    ([(None, 7)], "emotion"),
    ([(1, 1, 1, 1000)], "classes"),
    ([(1, 5), (1, 6)], "raw"),
])  # fmt: skip
def test_recognized_tasks(shapes, name):
    class Model:
        outputs = tuple(info(shape) for shape in shapes)

    assert tasks.recognized(Model()) == name


def scene(*outputs, size=(16, 16), **more):
    named = {str(at): pt.asarray(output) for at, output in enumerate(outputs)}
    matrix = pt.asarray([[60 / 16, 0.0, 0.0], [0.0, 30 / 16, 0.0]])
    return Scene(named, pt.asarray(PICTURE), matrix, size, **more)


def decoded(name, shown):
    return asyncio.run(tasks.decoded(name, shown))


def test_classes_are_probabilities():
    logits = np.asarray([[0.0, 2.0, 1.0]], "float32")
    findings = decoded("classes", scene(logits, labels=["a", "b", "c"]))
    parts = np.exp(logits[0]) / np.exp(logits[0]).sum()
    assert [name for name, _ in findings.bars] == ["b", "c", "a"]
    np.testing.assert_allclose([n for _, n in findings.bars], sorted(parts)[::-1], rtol=1e-5)
    unchanged = decoded("classes", scene(np.asarray([[0.25, 0.75]], "float32")))
    assert unchanged.bars == [("class 1", 0.75), ("class 0", 0.25)]


def test_boxes_of_objects():
    rows = np.zeros((1, 100, 6), "float32")
    rows[0, 3] = [2, 4, 8, 12, 0.9, 15]
    rows[0, 7] = [0, 0, 16, 16, 0.2, 0]
    findings = decoded("objects", scene(rows))
    assert [name for name, _ in findings.bars] == ["cat"]
    assert findings.labels[0][0] == "cat 90%"
    np.testing.assert_allclose(findings.boxes.numpy()[0], [7.5, 7.5, 22.5, 30.0], atol=1e-4)


def test_segments_over_the_picture():
    scores = np.zeros((1, 8, 8, 3), "float32")
    scores[..., 0], scores[0, :4, :, 2] = 0.5, 1.0
    mask = decoded("segments", scene(scores)).mask.numpy()
    assert mask.shape == (30, 60)
    assert (mask[:15] == 1).all()
    assert (mask[15:] == -1).all()


def test_emotions_are_sorted():
    findings = decoded("emotion", scene(np.asarray([[0, 0, 0.1, 0.7, 0, 0, 0.2]], "float32")))
    assert [name for name, _ in findings.bars[:2]] == ["happy", "neutral"]


def test_shapes_that_do_not_fit_a_task():
    with pytest.raises(ValueError, match=r"no output ends with the lengths \(228,\); got \(1, 7\)"):
        decoded("iris", scene(np.zeros((1, 7), "float32")))


def test_lines_are_cut_out_and_read():
    page = np.zeros((60, 80, 3), "uint8")
    page[20:30, 10:50] = 200
    corners = [[10.0, 20.0], [50.0, 20.0], [50.0, 30.0], [10.0, 30.0]]
    x = text_lines.line_input(pt.asarray(page), corners).numpy()
    width = text_lines.line_width(corners)
    assert (x.shape, width) == ((1, 3, 48, 320), 192)
    np.testing.assert_allclose(x[0, :, 5:43, 5 : width - 5], 200 / 127.5 - 1, atol=1e-5)
    assert (x[..., width:] == 0).all()
    down = [[10.0, 0.0], [20.0, 0.0], [20.0, 40.0], [10.0, 40.0]]
    assert text_lines.upright(down) == [down[1], down[2], down[3], down[0]]
    assert text_lines.upright(corners) == corners


@pytest.mark.parametrize("name", FILTERS)
def test_filters_keep_size_and_range(name):
    photo = np.concatenate([PICTURE, np.full((30, 60, 1), 255, "uint8")], axis=2)
    strength = {"flip": 1, "pixelate": 10, "rotate": 30, "crop": 0.5}.get(name, 0.5)
    result = filtered(pt.asarray(photo), [(name, strength)])
    assert (result.shape, result.dtype.name) == ((30, 60, 3), "uint8")
    seen = result.numpy()
    expected = {
        "flip": lambda: PICTURE[:, ::-1],
        "pixelate": lambda: np.kron(
            PICTURE.reshape((3, 10, 6, 10, 3)).mean((1, 3)), np.ones((10, 10, 1))
        ),
        "saturation": lambda: (PICTURE @ [[0.299], [0.587], [0.114]] + PICTURE) * 0.5,
    }.get(name)
    if expected:
        np.testing.assert_allclose(seen, expected(), atol=1.01)
    else:
        assert (seen != PICTURE).any()


def test_hue_turns_red_to_green():
    red = np.zeros((2, 2, 4), "uint8")
    red[..., [0, 3]] = 255
    assert filtered(pt.asarray(red), [("hue", 120.0)]).numpy()[0, 0].tolist() == [0, 255, 0]


@pytest.mark.host
@pytest.mark.parametrize(
    ("name", "head", "kind", "advice"),
    [
        ("tokenizer.json", b'{"model": {}}', "a tokenizer", "together with its model"),
        ("config.json", b"{}", "the settings of a model", "the file of the model"),
        ("model.json", b'{"format": "graph-model"}', "a model of TensorFlow.js", ""),
        ("old.pt", b"\x80\x02}q\x00.", "a pickle, for example of PyTorch", "torch.onnx.export"),
        ("a.safetensors", bytes([9, *[0] * 7]) + b'{"a":{', "a safetensors file", ""),
        ("m.onnx.gz", b"\x1f\x8b\x08", "a gzip archive", "unpack it"),
        ("m.onnx", b"version https://git-lfs.github.com", "a pointer of Git LFS", "download"),
        ("m.onnx", b"\x08\x07\x12\x04abcd", "ONNX, or something that begins like it", ""),
        ("photo.jpg", b"\xff\xd8\xff\xe0", "a JPEG picture", "under Try it"),
        ("m.keras", b"PK", "a file of Keras", "download the file again"),
        ("m.onnx", b"", "an empty file", "download the file again"),
    ],
)
def test_kind_of_a_file_says_what_to_do(name, head, kind, advice):
    found, what = file_kinds.kind_of(head, name)
    assert found == kind
    assert advice in what if advice else what == ""


@pytest.mark.host
@pytest.mark.parametrize(
    ("inputs", "roles"),
    [
        (
            [("input_ids", "int32"), ("attention_mask", "int32"), ("token_type_ids", "int32")],
            ["ids", "mask", "types"],
        ),
        ([("input_word_ids", "int32"), ("input_mask", "int32"), ("input_type_ids", "int32")],
         ["ids", "mask", "types"]),
        ([("input_ids", "int32"), ("position_ids", "int32")], ["ids", "positions"]),
        ([("decoder_input_ids", "int32"), ("input_ids", "int32")], [None, "ids"]),
        ([("anything", "int32")], ["ids"]),
        ([("x", "float32"), ("mask", "float32")], [None, None]),
    ],
)  # fmt: skip
def test_roles_of_inputs_of_tokens(inputs, roles):
    infos = [ValueInfo(name, getattr(pt, dtype), (1, "tokens")) for name, dtype in inputs]
    expected = {
        name: role for (name, _), role in zip(inputs, roles, strict=True) if role is not None
    }
    assert token_inputs.roles_of(infos) == expected


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"word{at}" for at in range(110))]


class Words:
    """Text of four tokens, as `TextInput` has it."""

    tokenizer = pt.text.Tokenizer("\n".join(WORDS).encode())
    ids = (2, 4, 5, 3)
    tokens = ("[CLS]", "word0", "word1", "[SEP]")


def found_in_text(**outputs):
    scene = Scene({name: pt.asarray(x) for name, x in outputs.items()}, None, None, (1, 1))
    scene.text = Words
    return asyncio.run(token_tables.found_in_text(scene))


def test_likeliest_tokens_are_shown_at_each_token():
    logits = np.zeros((1, 4, len(WORDS)), "float32")
    logits[0, 1, 9] = 20
    (table,) = found_in_text(logits=logits).tables
    assert table["rows"][1][:2] == ["word0", "word5 100%"]
    assert [row[0] for row in table["rows"]] == [*Words.tokens]


def test_answer_is_the_likeliest_span():
    start, end = np.zeros((2, 1, 4), "float32")
    start[0, 1], end[0, 2] = 9, 9
    # An end before the start is likelier, and no answer.
    end[0, 0] = 10
    findings = found_in_text(start_logits=start, end_logits=end)
    assert findings.texts == ["Answer: word0 word1"]
    assert findings.tables[0]["heads"] == ["Token", "start_logits", "end_logits"]


def test_vector_of_a_text_has_its_length():
    (table,) = found_in_text(pooler_output=np.array([[3, 4]], "float32")).tables
    assert table["rows"] == [["text", "5", "3", "4"]]
