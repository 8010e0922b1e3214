"""Test how the analyser opens models: by address, from files and drops, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from accessibility import faults
from analyser_driver import (
    GIVEN,
    AnalyserPage,
    blazeface_files,
    convolution,
    onnx_model,
    serve_files,
)
from conftest import SITE
from kept_files import kept_addresses
from onnx import TensorProto, helper
from playwright.sync_api import Browser, Locator, Page, Route
from server import serve
from text_model import CLASSES, LABELS, WORDS, sentence_vector, text_model, tokenizer_file
from waiting import eventually
from watched_page import PageErrors, SharedPage

import py_tensor as pt

MODELS = Path(__file__).parent.parent / "tests" / "models" / "data"


@pytest.fixture(scope="module")
def analyser_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[AnalyserPage]]:
    with SharedPage(chromium, lambda page: AnalyserPage(page, site_url)) as page:
        yield page


@pytest.fixture
def analyser(analyser_page: SharedPage[AnalyserPage]) -> AnalyserPage:
    """Page of the analyser that tests share, each of which opens a model."""
    return analyser_page.get()


def test_address_of_the_page_opens_a_model(page: Page, site_url: str) -> None:
    files = blazeface_files()
    serve_files(page, files)
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    analyser = AnalyserPage(page, site_url, "?model=../given/blazeface.json")
    analyser.wait()
    weights = json.loads(files["blazeface.json"])["weightsManifest"][0]["weights"]
    layers = int(analyser.card("layers"))
    rows = int(page.get_attribute("#rows table", "aria-rowcount") or "0")
    assert (analyser.card("format"), rows) == ("TensorFlow.js", layers + 1)
    assert analyser.card("producer").startswith("https://github.com/google/mediapipe")
    assert analyser.card("file") == f"{sum(map(len, files.values())) / 1e3:.1f} kB"
    assert analyser.card("bytes") == f"{len(files['blazeface.bin']) / 1e3:.1f} kB"
    assert len(weights) > 100
    assert page.inner_text("#ports tbody th >> nth=0") == "input"
    assert parse_qs(urlsplit(page.url).query) == {"model": ["../given/blazeface.json"]}
    here = (f"{site_url}/", f"blob:{site_url}/", "data:")
    assert [url for url in requests if not url.startswith(here)] == []


def test_picked_files_of_a_model_with_parts(analyser: AnalyserPage) -> None:
    analyser.open_files(blazeface_files())
    assert analyser.page.is_hidden("#open-problem"), analyser.problem()
    assert analyser.card("parameters") == "135 k"
    assert "?model=" not in analyser.page.url


def test_dropped_file(analyser: AnalyserPage) -> None:
    analyser.page.evaluate(
        """(bytes) => {
          document.getElementById('open-status').textContent = '';
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.onnx'));
          const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
          for (const kind of ['dragenter', 'dragover', 'drop'])
            document.body.dispatchEvent(new DragEvent(kind, options));
        }""",
        list(convolution([1, 3, 16, 16])),
    )
    analyser.wait()
    assert analyser.page.inner_text("#open-status").startswith("dropped.onnx was opened")
    assert (analyser.card("format"), analyser.card("producer")) == ("ONNX", "maker, 7")
    assert analyser.card("multiplyAdds") == "20.7 k"


def test_damaged_foreign_and_huge_files_are_explained(analyser: AnalyserPage) -> None:
    data = convolution([1, 3, 16, 16])
    analyser.open_files({"small.onnx": data})
    assert analyser.page.is_hidden("#open-problem"), analyser.problem()
    analyser.open_files({"half.onnx": data[: len(data) // 2]})
    assert f"half.onnx, {len(data) // 2:,} bytes: ONNX" in analyser.problem()
    assert "Supported" in analyser.problem()
    analyser.open_files({"photo.jpg": b"\xff\xd8\xff\xe0" + bytes(500)})
    assert "photo.jpg, 504 bytes: a JPEG picture" in analyser.problem()
    assert "open a model first; pictures and sounds are its input" in analyser.problem()
    analyser.open_files({"tokenizer.json": tokenizer_file()})
    assert "a tokenizer; open it together with its model" in analyser.problem()
    assert "ONNX file" not in analyser.problem()
    analyser.open_files({"keras.h5": b"\x89HDF\r\n\x1a\n" + bytes(99)})
    assert 'save the model again with model.save("model.keras")' in analyser.problem()
    analyser.page.evaluate(
        """() => {
          const part = new Blob([new Uint8Array(1 << 20)]);
          const file = new File(new Array(1100).fill(part), 'huge.onnx');
          const transfer = new DataTransfer();
          transfer.items.add(file);
          const input = document.getElementById('model-files');
          input.files = transfer.files;
          input.dispatchEvent(new Event('change'));
        }"""
    )
    analyser.page.wait_for_function(
        "document.getElementById('open-problem').textContent.includes('huge.onnx')"
    )
    assert "memory for models of at most 1000.0 MB" in analyser.problem()
    # The page goes on with the model before, and with the next one.
    assert analyser.card("format") == "ONNX"
    analyser.open_files({"small.onnx": data})
    assert analyser.page.is_hidden("#open-problem")


def test_weights_without_a_model_are_listed(analyser: AnalyserPage) -> None:
    weights = {"fc.weight": pt.ones((2, 3)), "fc.bias": pt.zeros(2, dtype="float16")}
    analyser.open_files({"weights.safetensors": pt.io.to_bytes(weights)})
    heading, caption = "#open-problem h3", "#open-problem caption"
    assert analyser.page.inner_text(heading) == "These are weights without a model"
    assert analyser.page.inner_text(caption) == "2 tensors, 8 elements, 28 B in memory"
    rows = analyser.page.locator("#open-problem tbody tr").all_inner_texts()
    assert "fc.weight\t2 \xd7 3\tfloat32\t24 B" in rows
    # Without its configuration, the file of a model is like one of `save_weights`.
    alone = (MODELS / "legacy.h5").read_bytes().replace(b"model_config", b"other_config")
    for name, data, row, advice in (
        (
            "weights.h5",
            alone,
            "model_weights/dense/sequential/dense/kernel\t3 \xd7 2\tfloat32\t24 B",
            'save the whole model with model.save("model.keras")',
        ),
        (
            "frozen.pb",
            (MODELS / "frozen.pb").read_bytes(),
            "dense/kernel\t3 \xd7 2\tfloat32\t24 B",
            "convert it with tensorflowjs_converter",
        ),
    ):
        analyser.open_files({name: data})
        assert analyser.page.inner_text(heading) == "These are weights without a model"
        assert row in analyser.page.locator("#open-problem tbody tr").all_inner_texts()
        assert advice in analyser.problem()
    for name, title in (("image.keras", "Keras"), ("legacy.h5", "Keras (HDF5)")):
        analyser.open_files({name: (MODELS / name).read_bytes()})
        assert analyser.page.is_hidden("#open-problem"), analyser.problem()
        assert analyser.card("format") == title


def difference(shape: list[int]) -> bytes:
    """Return an ONNX file of x - y."""
    x, y, z = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xyz")
    node = helper.make_node("Sub", ["x", "y"], ["z"], name="difference")
    graph = helper.make_graph([node], "difference", [x, y], [z])
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()


def numbers(page: Page) -> list[float]:
    """Return the first numbers of the output."""
    return [float(text) for text in page.locator("#output-numbers td").all_inner_texts()]


def test_numbers_are_typed_for_each_input(
    analyser_page: SharedPage[AnalyserPage], analyser: AnalyserPage
) -> None:
    page = analyser.page
    analyser.open_files({"difference.onnx": difference([2, 3])})
    page.evaluate("document.getElementById('output-numbers').open = true")
    page.evaluate("document.getElementById('input-values').open = true")
    page.wait_for_selector("#output-numbers td >> nth=5")
    # The inputs are not the same random numbers.
    assert all(value != 0 for value in numbers(page))
    first, second = (page.locator(".input-values fieldset").nth(at) for at in (0, 1))
    use = "button:text('Use these numbers')"
    first.locator("textarea").fill("1, 2, 3\n4, 5, 6.5")
    first.locator(use).click()
    second.locator("textarea").fill("[[1, 1, 1], [2, 2, 2]]")
    second.locator(use).click()
    eventually(page, lambda: expect_numbers(page, [0, 1, 2, 2, 3, 4.5]))
    assert second.locator("b").inner_text() == "your numbers"
    second.locator("textarea").fill("1, 2")
    second.locator(use).click()
    page.wait_for_selector(".input-values .status:text('got (1, 2) for (2, 3)')")
    analyser_page.errors.ignore()
    second.locator("button:text('As before')").click()
    eventually(page, lambda: expect_other_numbers(page, [0, 1, 2, 2, 3, 4.5]))
    assert [each.inner_text() for each in page.locator(".input-values b").all()] == [
        "your numbers",
        "random numbers",
    ]


def expect_numbers(page: Page, expected: list[float]) -> None:
    assert numbers(page) == expected


def expect_other_numbers(page: Page, before: list[float]) -> None:
    assert numbers(page)[0] != before[0]


def test_second_picture_has_the_sources_and_filters_of_the_first(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"pictures.onnx": difference([1, 3, 8, 8])})
    page.evaluate("document.getElementById('output-numbers').open = true")
    page.evaluate("document.getElementById('input-values').open = true")
    page.evaluate("document.getElementById('input-effects').open = true")
    ways = page.locator(".input-values b")
    assert ways.all_inner_texts() == ["what is chosen above", "random numbers"]
    page.wait_for_selector("#output-numbers td >> nth=5")
    assert any(value != 0 for value in numbers(page))
    page.click("[data-sample='cat.jpg']")
    page.wait_for_selector("[data-sample='cat.jpg'][aria-pressed=true]")
    page.select_option("#input-target", "y")
    page.wait_for_selector("#input-status:text('Random numbers')")
    assert page.locator("#input-samples [aria-pressed=true]").count() == 0
    page.click("[data-sample='cat.jpg']")
    eventually(page, lambda: expect_numbers(page, [0.0] * 192))
    assert ways.all_inner_texts() == ["what is chosen above"] * 2
    # The filters that are shown belong to the input that is chosen in the list.
    page.check("#input-filters [data-filter=flip] input[type=checkbox]")
    eventually(page, lambda: expect_some_numbers(page))
    page.select_option("#input-target", "x")
    page.wait_for_selector("#input-filters [data-filter=flip] input:not(:checked)")
    page.check("#input-filters [data-filter=flip] input[type=checkbox]")
    eventually(page, lambda: expect_numbers(page, [0.0] * 192))
    page.select_option("#input-target", "y")
    page.wait_for_selector("#input-filters [data-filter=flip] input:checked")
    page.click("#input-camera")
    page.wait_for_selector("#input-status:text('pixels of the camera')")
    page.select_option("#input-target", "x")
    page.click("[data-sample='astronaut.jpg']")
    page.wait_for_selector("[data-sample='astronaut.jpg'][aria-pressed=true]")
    # The camera goes on for the other input.
    assert page.get_attribute("#input-camera", "aria-pressed") == "true"
    page.select_option("#input-target", "y")
    page.wait_for_selector("#input-status:text('pixels of the camera')")
    page.click("#input-camera")
    page.wait_for_selector("#input-camera[aria-pressed=false]")


def expect_some_numbers(page: Page) -> None:
    assert any(value != 0 for value in numbers(page))


def tokens(page: Page) -> list[list[str]]:
    """Return the tokens that are shown, with their numbers."""
    return [each.splitlines() for each in page.locator(".tokens li").all_inner_texts()]


def test_text_becomes_tokens_masks_and_tables(analyser: AnalyserPage) -> None:
    page = analyser.page
    config = {"id2label": {str(at): label for at, label in enumerate(LABELS)}}
    files = {
        "tokenizer.json": tokenizer_file(),
        "config.json": json.dumps(config).encode(),
        "model.onnx": text_model(),
    }
    analyser.open_files(files)
    assert page.inner_text("#try-name") == "model.onnx."
    assert page.inner_text("#open-status").startswith("model.onnx with 2 more files was opened")
    page.fill("#text-first", "The fox jumps.")
    page.fill("#text-second", "A dog")
    page.click("#input-text button:text('Use this text')")
    ids = [2, 4, 5, 6, 7, 11, 3, 9, 10, 3]
    expected = [[WORDS[number], str(number)] for number in ids]
    eventually(page, lambda: expect_tokens(page, expected))
    assert "1 \xd7 10" in page.locator(".input-values p").all_text_contents()[0]
    vector = sentence_vector(ids, [0] * 7 + [1] * 3)
    table = page.locator("#output-tables table", has_text="sentence_embedding")
    eventually(page, lambda: expect_row(table.locator("tbody tr"), ["text", *vector]))
    rows = page.locator("#output-tables table", has_text="last_hidden_state").locator("tbody tr")
    assert rows.count() == len(ids)
    assert rows.nth(1).locator("th").inner_text() == "the"
    scores = np.exp(vector @ CLASSES)
    best = int(scores.argmax())
    name, _, share = page.inner_text("#output-bars li >> nth=0").rpartition("\n")
    assert name == LABELS[best]
    assert abs(float(share.strip(" %")) / 100 - scores[best] / scores.sum()) < 0.01
    ways = page.locator(".input-values b").all_text_contents()
    assert ways == ["the text above"] * 3
    page.evaluate("document.getElementById('input-code').open = true")
    code = page.inner_text("#input-code pre")
    assert 'pt.text.Tokenizer.load("tokenizer.json")' in code
    assert 'tokenizer.encode("The fox jumps.", "A dog")' in code


def expect_tokens(page: Page, expected: list[list[str]]) -> None:
    assert tokens(page) == expected


def expect_row(row: Locator, expected: list[Any]) -> None:
    """Compare a row of a table: a name, the length of a vector, and its elements."""
    name, length, *elements = row.locator("th, td").all_inner_texts()
    assert name == expected[0]
    np.testing.assert_allclose(float(length), np.linalg.norm(expected[1:]), rtol=1e-2)
    np.testing.assert_allclose([*map(float, elements)], expected[1:], rtol=1e-2, atol=1e-3)


def test_tokenizer_is_chosen_after_the_model(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"fixed.onnx": text_model(8)})
    page.wait_for_selector("#input-text .hint:text('add its tokenizer: tokenizer.json')")
    assert page.is_hidden("#text-first")
    ways = page.locator(".input-values b")
    filled = "filled in for a text without padding"
    assert ways.all_text_contents() == ["random numbers", filled, filled]
    choice = "#input-text input[type=file]"
    file = {"name": "spiece.model", "mimeType": "", "buffer": b"\n\x0e"}
    page.set_input_files(choice, file)
    page.wait_for_selector("#input-text .status:text('give the tokenizer.json of the same model')")
    vocabulary = "\n".join(WORDS).encode()
    page.set_input_files(choice, {"name": "vocab.txt", "mimeType": "", "buffer": vocabulary})
    page.wait_for_selector("#input-text .hint:text('made by vocab.txt')")
    page.fill("#text-first", "the fox")
    page.click("#input-text button:text('Use this text')")
    expected = [["[CLS]", "2"], ["the", "4"], ["fox", "5"], ["[SEP]", "3"]]
    eventually(page, lambda: expect_tokens(page, expected))
    assert "4 tokens; the model takes 8: the rest is padding" in page.inner_text("#input-text")
    # Padding is left out of the mean.
    table = page.locator("#output-tables table", has_text="sentence_embedding")
    vector = sentence_vector([2, 4, 5, 3], [0] * 4)
    eventually(page, lambda: expect_row(table.locator("tbody tr"), ["text", *vector]))
    page.fill("#text-first", "the fox jumps over a dog.")
    page.click("#input-text button:text('Use this text')")
    page.wait_for_selector("#input-text .status:text('2 more were cut off')")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        assert faults(page, "#try") == []


def test_tokenizer_is_dropped_after_the_model(analyser: AnalyserPage) -> None:
    page = analyser.page
    analyser.open_files({"small.onnx": convolution([1, 3, 16, 16])})
    analyser.open_files({"tokenizer.json": tokenizer_file()})
    assert "a tokenizer; open it together with its model" in analyser.problem()
    analyser.open_files({"fixed.onnx": text_model(8)})
    for name, data, expected in (
        ("vocab.txt", "\n".join(WORDS), "made by vocab.txt"),
        ("tokenizer.json", "{", "tokenizer.json is not JSON"),
    ):
        page.evaluate("scrollTo(0, 0)")
        page.evaluate(
            """([name, text]) => {
              const dataTransfer = new DataTransfer();
              dataTransfer.items.add(new File([text], name));
              document.body.dispatchEvent(
                new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
            }""",
            [name, data],
        )
        page.wait_for_selector(f"#open-status:text('{name} was given to the open model.')")
        page.wait_for_selector(f"#input-text :text('{expected}')")
        assert page.is_hidden("#open-problem")
        assert page.evaluate("document.getElementById('try').getBoundingClientRect().top") < 100
    # The vocabulary of before is still in use.
    assert tokens(page)[:2] == [["[CLS]", "2"], ["the", "4"]]


def test_result_of_an_opened_model_is_on_the_screen(analyser: AnalyserPage) -> None:
    analyser.page.evaluate("scrollTo(0, 0)")
    analyser.open_files({"small.onnx": convolution([1, 3, 16, 16])})
    top = analyser.page.evaluate("document.getElementById('try').getBoundingClientRect().top")
    assert 0 <= top < 100
    assert analyser.page.inner_text("#try-name") == "small.onnx."


def test_notice_of_a_model_without_pictures_ends_with_the_next_model(
    analyser: AnalyserPage,
) -> None:
    page = analyser.page
    analyser.open_files({"picture.onnx": convolution([1, 3, 16, 16])})
    page.wait_for_selector("#input-status:text('pixels')")
    pixels = page.inner_text("#input-status")
    numbers = onnx_model([helper.make_node("Relu", ["x"], ["y"])], [2, 5], {})
    analyser.open_files({"numbers.onnx": numbers})
    page.wait_for_selector("#input-status:text('takes no picture')")
    analyser.open_files({"picture.onnx": convolution([1, 3, 16, 16])})
    page.wait_for_selector("#input-panel[aria-busy=false]")
    assert page.inner_text("#input-status") == pixels


def test_page_opens_without_a_connection(chromium: Browser) -> None:
    context = chromium.new_context()
    page = context.new_page()

    def check() -> None:
        kept = " ".join(kept_addresses(page))
        for name in ("analyser/index.html", "analyser_worker-", "asm.wasm", "models-"):
            assert name in kept, kept

    with serve(SITE) as url:
        page.goto(f"{url}/analyser/index.html")
        page.wait_for_selector("[data-state=ready]")
        eventually(page, check)
    page.reload()
    page.wait_for_selector("[data-state=ready]")
    page.set_input_files(
        "#model-files",
        {"name": "a.onnx", "mimeType": "", "buffer": convolution([1, 3, 16, 16])},
    )
    page.wait_for_selector("#open-status:text('a.onnx was opened')")
    context.close()


def test_missing_address_is_explained(analyser_page: SharedPage[AnalyserPage]) -> None:
    analyser = analyser_page.get()
    serve_files(analyser.page, {})
    analyser.page.fill("#model-address", analyser.page.url.replace("analyser/", "given/"))
    analyser.page.evaluate("document.getElementById('open-status').textContent = ''")
    analyser.page.click("#model-open")
    analyser.wait()
    assert "404" in analyser.problem()
    analyser_page.errors.ignore()


def test_loading_is_cancelled(page: Page, site_url: str, page_errors: PageErrors) -> None:
    analyser = AnalyserPage(page, site_url)
    waiting: list[Route] = []
    page.route(GIVEN, lambda route: waiting.append(route))
    page.fill("#model-address", f"{site_url}/given/never.onnx")
    page.click("#model-open")
    page.click("#transfer-cancel")
    page.wait_for_function(
        "document.getElementById('open-status').textContent.startsWith('Cancelled')"
    )
    assert page.is_hidden("#transfer")
    page_errors.ignore()
    analyser.open_files({"small.onnx": convolution([1, 3, 16, 16])})
    assert page.is_hidden("#open-problem"), analyser.problem()
