"""Load models and weights from repositories of a hub, with the failures of its servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from decoder_weights import weights_of
from file_server import FileServer, file_server
from hub_server import COMMIT, publish, storage_path

import py_tensor as pt
from py_tensor.errors import BackendError, ModelError
from py_tensor.io import network
from py_tensor.models import readers, web_files
from py_tensor.models.weights import loading


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "PAUSES", (0.01, 0.02))
    monkeypatch.setattr(loading, "PART", 10_000)
    monkeypatch.setattr(readers, "LEAST", 20)


@pytest.fixture
def storage() -> Iterator[FileServer]:
    with file_server() as server:
        yield server


@pytest.fixture
def hub(storage: FileServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    with file_server() as server:
        monkeypatch.setattr(web_files, "HUB", server.url)
        yield server


def numbers(*names: str) -> dict[str, np.ndarray]:
    return weights_of(dict.fromkeys(names, (40, 100)))


FIRST, SECOND = numbers("a.0", "a.1", "b.0"), numbers("c.0", "c.1")
PARTS = {
    "model-1.safetensors": pt.io.to_bytes(FIRST, {"format": "pt"}),
    "model-2.safetensors": pt.io.to_bytes(SECOND),
}
INDEX = dict.fromkeys(FIRST, "model-1.safetensors") | dict.fromkeys(SECOND, "model-2.safetensors")
FILES = {
    "README.md": b"# A model",
    "model.safetensors.index.json": json.dumps({"weight_map": INDEX}).encode(),
    **PARTS,
}


def loaded(source: str, **options: Any) -> dict[str, Any]:
    return asyncio.run(pt.models.load_weights(source, **options))


def check(tensors: dict[str, Any], wanted: dict[str, np.ndarray]) -> None:
    assert tensors.keys() == wanted.keys()
    for name, values in wanted.items():
        np.testing.assert_array_equal(tensors[name].numpy(), values)


def spans(server: FileServer, data: bytes) -> list[str]:
    path = f"/{storage_path(data)}?signed=1"
    return [seen.headers["range"] for seen in server.seen if seen.path == path]


def test_parts_of_a_repository_are_read_and_checked(hub, storage, engine):
    publish(hub, storage, FILES)
    steps: list[Any] = []
    tensors = loaded(
        "hf://owner/name",
        headers={"Authorization": "Bearer secret"},
        progress=lambda *step: steps.append(step),
    )
    check(tensors, FIRST | SECOND)
    # The hub gets the token with each request, and its storage never; all files are of one commit.
    assert {seen.headers["authorization"] for seen in hub.seen} == {"Bearer secret"}
    assert not any("authorization" in seen.headers for seen in storage.seen)
    assert all("/main" not in path for path in hub.requests()[1:])
    # The whole size is known before the first part arrives.
    sizes = sum(len(FILES[name]) for name in FILES if name != "README.md")
    assert {total for _, total, name in steps if name in PARTS} == {sizes}
    assert steps[-1][0] == sizes
    assert [done for done, _, _ in steps] == sorted(done for done, _, _ in steps)


def test_only_the_tensors_of_a_prefix_are_read(hub, storage, engine):
    publish(hub, storage, {"model.safetensors": PARTS["model-1.safetensors"]})
    check(loaded("hf://owner/name", prefix="a."), {"0": FIRST["a.0"], "1": FIRST["a.1"]})
    data = PARTS["model-1.safetensors"]
    start = len(data) - 3 * 16_000
    assert spans(storage, data) == [
        "bytes=0-19",
        f"bytes=20-{start - 1}",
        f"bytes={start}-{start + 15_999}",
        f"bytes={start + 16_000}-{start + 31_999}",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "hf://owner/name@v1/other.safetensors",
        "hf://owner/name@refs%2Fpr%2F1/deep/other.safetensors",
        "{hub}/owner/name/resolve/v1/other.safetensors",
    ],
)
def test_revisions_and_files_are_named(source, hub, storage, engine):
    data = PARTS["model-2.safetensors"]
    for revision in ("v1", "refs/pr/1"):
        files = FILES | {"other.safetensors": data, "deep/other.safetensors": data}
        publish(hub, storage, files, revision=revision)
    check(loaded(source.format(hub=hub.url)), SECOND)
    assert hub.requests()[0].startswith("/api/models/owner/name/revision/")
    assert all(COMMIT in path for path in hub.requests()[1:])


def test_servers_without_a_list_of_files_send_whole_files(hub, storage, engine):
    publish(hub, storage, FILES, commit="main")
    del hub.files["api/models/owner/name/revision/main"]
    url = f"{hub.url}/owner/name/resolve/main/model.safetensors.index.json"
    check(loaded(url), FIRST | SECOND)
    assert not any("range" in seen.headers for seen in storage.seen)


def test_models_and_decoders_are_found_by_name(hub, storage, engine):
    publish(hub, storage, {"README.md": b"x", "config.json": b"{}", "m.onnx": pt.models.EXAMPLE})
    assert asyncio.run(pt.models.load("hf://owner/name"))([-1.0, 2.0]).tolist() == [0, 2]
    with pytest.raises(ModelError, match="model is of an unknown family; got None"):
        asyncio.run(pt.models.load_transformer("hf://owner/name"))


@pytest.mark.parametrize(
    "failures",
    [[503], [429, 500], [(429, {"Retry-After": "1"})], [-5_000], [-5_000, -9_000], [-1, 503]],
)
def test_failures_continue_at_the_byte_where_they_were(failures, hub, storage, engine):
    data = PARTS["model-2.safetensors"]
    publish(hub, storage, {"model.safetensors": data})
    storage.next[storage_path(data)] = [{}, {}, *failures]
    check(loaded("hf://owner/name"), SECOND)
    start = len(data) - 2 * 16_000
    asked = spans(storage, data)[2:-1]
    done = 0
    for failure, span in zip([0, *failures], asked, strict=True):
        done = done - failure if isinstance(failure, int) and failure < 0 else done
        assert span == f"bytes={start + done}-{start + 15_999}"


def test_servers_say_how_long_to_wait(hub, storage, engine, monkeypatch):
    pauses: list[float] = []

    async def slept(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(network.asyncio, "sleep", slept)
    publish(hub, storage, FILES)
    hub.next["api/models/owner/name/revision/main"] = [
        (429, {"Retry-After": "7"}),
        (503, {"Retry-After": "100000"}),
    ]
    check(loaded("hf://owner/name"), FIRST | SECOND)
    assert pauses == [7, network.LONGEST_PAUSE]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_refusals_are_not_tried_again(status, hub, storage, engine):
    hub.next["api/models/owner/name/revision/main"] = [status]
    with pytest.raises(BackendError, match=rf"got {status} .*/api/models/owner/name/revision/main"):
        loaded("hf://owner/name")
    assert len(hub.seen) == 1


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_files_with_another_digest_are_refused(name, hub, storage, engine):
    data = PARTS["model-2.safetensors"]
    publish(hub, storage, {name: data})
    changed = data[:-1] + bytes([data[-1] ^ 1])
    if name == "config.json":
        hub.files[f"owner/name/resolve/{COMMIT}/config.json"] = changed
    else:
        storage.files[storage_path(data)] = changed
    with pytest.raises(BackendError, match="file is not the one that the hub lists; got digest"):
        loaded(f"hf://owner/name/{name}")


def test_files_of_another_size_are_refused(hub, storage, engine):
    data = PARTS["model-2.safetensors"]
    publish(hub, storage, {"model.safetensors": data})
    storage.files[storage_path(data)] = data[:-20_000]
    with pytest.raises(BackendError, match="part of a file has another size; got"):
        loaded("hf://owner/name")
    storage.files[storage_path(data)] = b"<!doctype html>" + data[15:]
    with pytest.raises(ModelError, match="file is not part of a model; got a web page"):
        loaded("hf://owner/name")


def test_servers_that_send_no_parts_are_named(hub, storage, engine):
    publish(hub, storage, {"model.safetensors": PARTS["model-2.safetensors"]})
    storage.refuses_ranges = True
    with pytest.raises(BackendError, match="got the whole file for a part of it"):
        loaded("hf://owner/name")


@pytest.mark.parametrize(
    ("source", "files", "message"),
    [
        ("hf://name", {}, "address of a repository is not valid; got 'hf://name'"),
        ("hf://owner/name/x", {}, 'no such file; got "x" for owner/name at main; it has a.bin, b'),
        ("hf://owner/name", {}, "several files that may be the model; got a.bin, b.bin; name one"),
        ("hf://owner/name", {"a.bin": b"", "b.bin": b"", "c": b"1"}, "may be the model; got c; na"),
        (
            "hf://owner/name",
            {"x.safetensors.index.json": b'{"weight_map": {"w": "y.safetensors"}}'},
            'no such file; got "y.safetensors"',
        ),
    ],
)
def test_missing_files_are_named(source, files, message, hub, storage, engine):
    published = {"a.bin": b"1", "b.bin": b"2"} | files
    publish(hub, storage, {name: data for name, data in published.items() if data})
    with pytest.raises(ModelError, match=message):
        loaded(source)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"[]",
        b"<html>",
        b'{"sha": "1", "siblings": [{"rfilename": "a", "size": -1, "blobId": "'
        + b"a" * 40
        + b'"}]}',
        b'{"sha": "1", "siblings": [{"rfilename": "a", "size": 1, "blobId": "x"}]}',
        b'{"sha": "1", "siblings": [{"rfilename": "a"}]}',
        b"[" * 100_000,
    ],
)
def test_other_answers_of_hubs_are_refused(answer, hub, storage, engine):
    hub.files["api/models/owner/name/revision/main"] = answer
    with pytest.raises(ModelError, match=r"load: .*got .*/api/models/owner/name/revision/main"):
        loaded("hf://owner/name")
