"""Read models from every kind of source, with failures of the network."""

from __future__ import annotations

import asyncio
import io
import random
import zipfile
from collections import Counter
from collections.abc import Awaitable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from file_server import FileServer, file_server
from work_limit import HANG_SECONDS

import py_tensor as pt
from py_tensor.display import bars
from py_tensor.display.places import Terminal
from py_tensor.errors import ArgumentError, BackendError, ModelError
from py_tensor.io import host_network, network
from py_tensor.io.file_cache import CachedFile, evicted
from py_tensor.models import loading, progress

START = b"PARTS\n"


def parse(data: Any) -> list[str]:
    """Return the names in a file of the tests' format: one in each line."""
    lines = bytes(data).decode().splitlines()
    if "broken" in lines:
        raise ModelError("load: not a valid test file; got broken; save it again")
    return lines[1:]


def read(parsed: list[str], files: Any) -> Any:
    return {name: bytes(files[name]) for name in parsed}


@pytest.fixture(autouse=True)
def a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a format whose models are the bytes of the files that they name."""
    matches = lambda data: bytes(memoryview(data)[: len(START)]) == START  # noqa: E731
    row = loading.Format(matches, parse, set, read)
    monkeypatch.setattr(loading, "FORMATS", {"parts": row, **loading.FORMATS})
    monkeypatch.setattr(network, "PAUSES", (0.01, 0.02))


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as server:
        yield server


def load(source: Any, **options: Any) -> Any:
    return asyncio.run(pt.models.load(source, **options))


SHARDS = {f"shard{number}.bin": bytes([number]) * 100_000 for number in range(1, 9)}
MODEL = START + "\n".join(SHARDS).encode()


def publish(server: FileServer, folder: str = "models/") -> str:
    server.files |= {folder + name: data for name, data in SHARDS.items()}
    server.files[f"{folder}model.txt"] = MODEL
    return f"{server.url}/{folder}model.txt"


# --- addresses ------------------------------------------------------------------------------------


def test_files_next_to_a_url(server, engine):
    url = publish(server)
    assert load(f"{url}?key=a%20b#part", headers={"X-Key": "secret"}) == SHARDS
    assert [seen.path for seen in server.seen[:1]] == ["/models/model.txt?key=a%20b"]
    assert sorted(server.requests()[1:]) == [f"/models/{name}?key=a%20b" for name in SHARDS]
    assert {seen.headers.get("x-key") for seen in server.seen} == {"secret"}


def test_four_files_are_read_at_a_time(server, engine):
    url = publish(server)
    server.next = {f"models/{name}": ["slow"] for name in SHARDS}

    async def loaded() -> tuple[Any, int]:
        task = asyncio.ensure_future(pt.models.load(url))
        while server.active < 4:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        at_a_time = server.active
        server.release.set()
        return await task, at_a_time

    assert asyncio.run(loaded()) == (SHARDS, 4)


def test_names_with_spaces(server, engine):
    server.files = {"my model.txt": START + "größe 1.bin".encode(), "größe 1.bin": b"x"}
    assert load(f"{server.url}/my model.txt") == {"größe 1.bin": b"x"}


def test_headers_are_not_sent_to_other_sites(server, engine):
    with file_server() as other:
        target = publish(other)
        server.files["a/model.txt"] = START
        server.next["a/model.txt"] = [302]
        server.headers = {"Location": target}
        with pytest.raises(BackendError, match=r"got 404 .*/a/shard\d\.bin"):
            load(f"{server.url}/a/model.txt", headers={"X-K": "1"})
        assert server.seen[0].headers["x-k"] == "1"
        assert other.requests() == ["/models/model.txt"]
        assert "x-k" not in other.seen[0].headers


@pytest.mark.parametrize("url", ["data:,PARTS%0Aa.bin", "data:,PARTS%0Aa.bin?b"])
def test_urls_of_a_single_file(url, engine):
    assert load(url.partition("%0Aa")[0] + "%0A") == {}
    with pytest.raises(ModelError, match=r'got "a\.bin.*" for a URL of a single file'):
        load(url)


# --- failures of the network ----------------------------------------------------------------------


@pytest.mark.parametrize("failures", [[503], [429, 500], [-70_000], [-1, -50], [-50, 500]])
def test_failures_are_tried_again(failures, server, engine):
    url = publish(server)
    server.next["models/shard3.bin"] = list(failures)
    assert load(url) == SHARDS
    assert server.requests().count("/models/shard3.bin") == len(failures) + 1


def test_the_fourth_try_is_not_made(server, engine):
    url = publish(server)
    server.next["models/shard3.bin"] = [503] * 3
    with pytest.raises(BackendError) as raised:
        load(url)
    assert str(raised.value) == (
        "load: request failed; got 503 Service Unavailable for "
        f"{server.url}/models/shard3.bin; try again later"
    )
    assert server.requests().count("/models/shard3.bin") == 3


@pytest.mark.parametrize(
    ("status", "advice"), [(404, "check the address"), (403, "pass headers or credentials")]
)
def test_refusals_are_not_tried_again(status, advice, server, engine):
    url = publish(server)
    server.next["models/model.txt"] = [status]
    with pytest.raises(BackendError, match=f"got {status} .*models/model.txt; .*{advice}"):
        load(url)
    assert server.requests() == ["/models/model.txt"]


@pytest.mark.parametrize(
    ("etag", "ranges"),
    [(None, [None, "bytes=70000-"]), ("", [None, None]), ('W/"weak"', [None, None])],
)
def test_a_try_continues_only_the_same_file(etag, ranges, server, engine):
    url = publish(server)
    if etag is not None:
        server.headers["ETag"] = etag or None
    server.next["models/shard3.bin"] = [-70_000]
    assert load(url) == SHARDS
    asked = [seen.headers.get("range") for seen in server.seen if "shard3" in seen.path]
    assert asked == ranges


def test_parts_of_two_versions_are_not_joined(server, engine):
    url = publish(server)
    server.next["models/shard3.bin"] = [-70_000, {"ETag": '"other"'}]
    assert load(url) == SHARDS
    asked = [seen.headers.get("range") for seen in server.seen if "shard3" in seen.path]
    assert asked == [None, "bytes=70000-", None]


def test_a_wrong_part_is_not_joined(server, engine):
    url = publish(server)
    wrong = {"Content-Range": "bytes 69999-99999/100000"}
    server.next["models/shard3.bin"] = [-70_000, wrong]
    assert load(url) == SHARDS
    asked = [seen.headers.get("range") for seen in server.seen if "shard3" in seen.path]
    assert asked == [None, "bytes=70000-", None]
    server.next["models/shard3.bin"] = [{"Content-Length": "200000", "Connection": "close"}]
    assert load(url) == SHARDS


def test_a_server_that_does_not_answer(engine):
    for url in ("http://127.0.0.1:9/model.onnx", "gopher://a/b", "http://[/b"):
        with pytest.raises(BackendError, match=r"load: no response; got .*; check the address"):
            load(url)


def test_files_larger_than_the_memory(server, engine):
    url = publish(server)
    server.next["models/model.txt"] = [{"Content-Length": str(1 << 62)}]
    with pytest.raises(BackendError, match=r"too large for the memory; got 46116.* bytes for http"):
        load(url)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\n<!DOCTYPE html><title>Files</title>", "a web page"),
        (b"\xef\xbb\xbf<HTML>", "a web page"),
        (b"<?xml version='1.0'?><Error/>", "an XML document"),
        (b"version https://git-lfs.github.com/spec/v1\noid 1", "a pointer of Git LFS"),
    ],
)
@pytest.mark.parametrize("name", ["model.txt", "shard3.bin"])
def test_pages_instead_of_files(name, body, kind, server, engine):
    url = publish(server)
    server.files[f"models/{name}"] = body
    with pytest.raises(ModelError) as raised:
        load(url)
    assert f"got {kind} for {server.url}/models/{name}; use the address" in str(raised.value)


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, weight=np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize(
    ("body", "kind", "fix"),
    [
        (b"GGUF\3\0\0\0", "a GGUF file, of llama.cpp", "read its weights"),
        (b"\x93NUMPY\1\0", "a .npy file", "pt.load"),
        (npz(), "an .npz file", "pt.load"),
        (b"\x10\0\0\0ORTM\0\0", "an ORT file, of ONNX Runtime", "load the ONNX file"),
        (b"<!DOCTYPE html>", "a web page", "use the address"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "a pointer of Git LFS",
            "use the address",
        ),
    ],
)
@pytest.mark.parametrize("source", ["bytes", "path", "folder", "blob", "address", "function"])
def test_files_that_are_not_models_say_what_they_are(
    source, body, kind, fix, server, engine, tmp_path
):
    server.files["other.bin"] = body
    (tmp_path / "other.bin").write_bytes(body)
    sources = {
        "bytes": body,
        "path": tmp_path / "other.bin",
        "folder": tmp_path,
        "blob": [Blob(body, "other.bin")],
        "address": f"{server.url}/other.bin",
        "function": lambda name: body,
    }
    with pytest.raises(ModelError) as raised:
        load(sources[source])
    assert f"got {kind}" in str(raised.value)
    assert fix in str(raised.value)


def test_a_kind_of_one_of_several_files_is_named(engine):
    with pytest.raises(ModelError, match=r"got a GGUF file, of llama\.cpp at b; read"):
        load({"a": b"text", "b": b"GGUF"})


def test_errors_of_the_file_have_the_address(server, engine):
    server.files = {"a.txt": START + b"broken", "b": b"GIF89a", "c.txt": START + b"x", "x": b""}
    with pytest.raises(ModelError, match=rf"got broken; save it again \({server.url}/a.txt\)"):
        load(f"{server.url}/a.txt")
    with pytest.raises(ModelError, match=rf"not a valid ONNX file.*\({server.url}/b\)"):
        load(f"{server.url}/b")
    with pytest.raises(ModelError, match=r"got broken; save it again \(c/a.txt\)"):
        load({"c/a.txt": START + b"broken", "x.bin": b""})


def test_a_cancelled_task_ends_its_requests(server, engine, monkeypatch):
    monkeypatch.setattr(host_network, "SECONDS", 2 * HANG_SECONDS)
    url = publish(server)
    server.next["models/shard3.bin"] = ["slow"]

    async def cancelled() -> list[str]:
        task = asyncio.ensure_future(pt.models.load(url))
        while server.requests().count("/models/shard8.bin") == 0:
            await asyncio.sleep(0.01)
        task.cancel()
        # The server answers no more, and the request is not given up before.
        await asyncio.wait([task], timeout=HANG_SECONDS)
        assert task.cancelled()
        assert await asyncio.to_thread(server.ended.wait, HANG_SECONDS)
        return [each.get_coro().__qualname__ for each in asyncio.all_tasks()]

    assert asyncio.run(cancelled()) == [
        "test_a_cancelled_task_ends_its_requests.<locals>.cancelled"
    ]


def test_an_error_ends_the_other_requests(server, engine):
    url = publish(server)
    server.next = {"models/shard1.bin": ["slow"], "models/shard2.bin": [404]}
    server.before["models/shard2.bin"] = server.started

    async def loaded() -> None:
        await asyncio.wait_for(pt.models.load(url), HANG_SECONDS)

    with pytest.raises(BackendError, match=r"got 404 .*shard2\.bin"):
        asyncio.run(loaded())
    assert server.ended.wait(HANG_SECONDS)


# --- several files --------------------------------------------------------------------------------

FILES = {"model.txt": MODEL, **SHARDS}


class Blob:
    """File object of a page."""

    def __init__(self, data: bytes, path: str, folder: str = "") -> None:
        self.name = path.rpartition("/")[2]
        self.webkitRelativePath = folder and f"{folder}/{path}"
        self.size = len(data)
        self._data = data

    def slice(self, start: int, end: int) -> Blob:
        return Blob(self._data[start:end], self.name)

    async def arrayBuffer(self) -> Any:
        return SimpleNamespace(to_bytes=lambda: self._data)

    def stream(self) -> Any:
        chunks = [self._data[at : at + 30_000] for at in range(0, len(self._data), 30_000)]

        async def read() -> Any:
            if not chunks:
                return SimpleNamespace(done=True)
            data = chunks.pop(0)
            return SimpleNamespace(done=False, value=SimpleNamespace(to_bytes=lambda: data))

        return SimpleNamespace(getReader=lambda: SimpleNamespace(read=read))


def packed(
    files: dict[str, bytes], folder: str = "", compression: int = zipfile.ZIP_DEFLATED
) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        archive.mkdir("empty")
        for name, content in files.items():
            archive.writestr(folder + name, content)
    return data.getvalue()


def sources(tmp_path: Any) -> dict[str, Any]:
    blobs = [Blob(data, name) for name, data in FILES.items()]
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    named = [io.BytesIO(data) for data in FILES.values()]
    for file, name in zip(named, FILES, strict=True):
        file.name = name  # type: ignore[attr-defined]
    (tmp_path / "model.zip").write_bytes(packed(FILES))

    async def fetched(name: str) -> Any:
        return SimpleNamespace(bytes=lambda: later(FILES[name or "model.txt"]))

    async def later(data: bytes) -> bytes:
        return data

    return {
        "dict": FILES,
        "dict with folders": {f"a/b/{name}": data for name, data in FILES.items()} | {"c": b"1"},
        "list of files of a page": blobs,
        "input element": SimpleNamespace(files=tuple(blobs)),
        "dropped folder": [Blob(data, name, "mine") for name, data in FILES.items()],
        "list of files of Python": named,
        "list of paths": [tmp_path / name for name in FILES],
        "folder": tmp_path,
        "path of a folder": str(tmp_path),
        "path": tmp_path / "model.txt",
        "archive": packed(FILES),
        "archive with a folder": packed(FILES, "mine/"),
        "path of an archive": tmp_path / "model.zip",
        "function of responses": fetched,
    }


def test_archives_are_loaded_from_bytes(engine):
    assert pt.models.loads(packed(FILES)) == SHARDS
    assert pt.models.loads(memoryview(packed({"relu.onnx": pt.models.EXAMPLE})))([-1.0]) == 0
    with pytest.raises(ModelError, match=r'got "b\.bin", which is not among a\.bin'):
        pt.models.loads(packed({"model.txt": START + b"b.bin", "a.bin": b""}))


PYTORCH_FILES = [p for p in (Path(__file__).parent / "pytorch").iterdir() if p.suffix != ".py"]


@pytest.mark.parametrize("file", sorted(PYTORCH_FILES), ids=lambda path: path.name)
def test_weights_of_pytorch_are_not_a_model(file, engine):
    for read in (pt.models.loads, load):
        with pytest.raises(ModelError, match=r"without a model.*load_weights.*load_torch_state_d"):
            read(file.read_bytes())


def kinds_of_sources() -> list[str]:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        return list(sources(Path(folder)))


@pytest.mark.parametrize("kind", kinds_of_sources())
def test_several_files(kind, tmp_path, engine):
    assert load(sources(tmp_path)[kind]) == SHARDS


def test_the_model_of_several_files_is_found_by_its_content(engine):
    assert load({"model.onnx": b"\0" * 9, "odd name": START + b"a", "a": b"1"}) == {"a": b"1"}
    assert load({"b.onnx": pt.models.EXAMPLE, "c": START + b"a", "a": b"1"}) == {"a": b"1"}
    assert load([Blob(START + b"deep/a.bin", "m"), Blob(b"2", "a.bin")]) == {"deep/a.bin": b"2"}


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"a": START, "b": START}, "several files are models; got a, b; pass the files of one"),
        ({"a": b"1", "b": b"2"}, "no file is a model of a supported format; got a, b; see"),
        ({}, "no file is a model of a supported format; got no files"),
        ({"a": START + b"x.bin", "b": b""}, 'got "x.bin", which is not among b; pass all files'),
        (
            {"a": START + b"x.bin", "c/x.bin": b"", "d/x.bin": b""},
            'got "x.bin", which is not among c/x.bin, d/x.bin; pass all files of the model',
        ),
        ([Blob(START + b"x.bin", "a")], 'got "x.bin", which is not among the files; pass all'),
        ({"a": START, "b": b"<!doctype html>"}, None),
        ({"a": START + b"b", "b": b"<!doctype html>"}, 'got a web page for "b"; use the address'),
    ],
)
def test_wrong_sets_of_files(files, text, engine):
    if text is None:
        assert load(files) == {}
        return
    with pytest.raises(ModelError) as raised:
        load(files)
    assert f"load: {text}" in str(raised.value) or text in str(raised.value)


def test_folders_with_too_many_files(tmp_path, monkeypatch, engine):
    from py_tensor.models import sources

    monkeypatch.setattr(sources, "MOST_FILES", 5)
    for number in range(6):
        (tmp_path / f"{number}.bin").touch()
    with pytest.raises(ModelError, match="folder has too many files; got more than 5 in"):
        load(tmp_path)


def test_links_out_of_a_folder_are_not_read(tmp_path, engine):
    (tmp_path / "secret.bin").write_bytes(b"secret")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "x.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "model.txt").write_bytes(START + b"x.bin")
    with pytest.raises(ModelError, match=r'got "x\.bin"'):
        load(folder)


def damaged(name: bytes) -> bytes:
    """Return an archive with a changed byte in the data of a file."""
    data = bytearray(packed(FILES))
    data[data.index(name) + len(name) + 5] ^= 255
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (packed(FILES)[:-30], "File is not a zip file"),
        (damaged(b"model.txt"), '"model.txt"'),
        (packed(FILES, "", zipfile.ZIP_LZMA), 'compression 14 of "model.txt"'),
        (packed({"a": START, "b": bytes(1 << 27)}), '"b" of 134,217,728 bytes'),
    ],
)
def test_malformed_archives(data, text, engine):
    with pytest.raises(ModelError, match="load: not a valid zip archive; got ") as raised:
        load(data)
    assert text in str(raised.value)


def test_mutated_archives_end_in_errors(engine):
    chance = random.Random(5)
    ends = Counter()
    for _ in range(500):
        data = bytearray(packed({"model.txt": START + b"a", "a": bytes(range(99))}))
        for _ in range(chance.choice((1, 2, 5))):
            at = chance.randrange(4, len(data) - 4)
            data[at : at + 4] = chance.choice((b"\xff\xff\xff\x7f", bytes(4), data[at : at + 3]))
        try:
            ends[len(load(bytes(data)))] += 1
        except ModelError:
            ends["error"] += 1
    assert ends["error"] > 300
    assert ends.keys() <= {0, 1, "error"}


@pytest.mark.parametrize("source", [7, None, lambda name: None, [1.5], {"a": 1}])
def test_other_sources_are_refused(source, engine):
    with pytest.raises(ArgumentError, match="load: source is not supported; got "):
        load(source)


def test_responses_that_failed_are_reported(engine):
    response = SimpleNamespace(ok=False, status=404, url="https://a/b")
    with pytest.raises(BackendError, match="load: request failed; got 404 for https://a/b"):
        load(lambda name: response)


def test_wrong_options_are_refused(engine):
    with pytest.raises(ArgumentError, match="credentials are unknown; got 'all'; use one of omit"):
        load(b"", credentials="all")
    with pytest.raises(ArgumentError, match="progress"):
        load(b"", progress=3)


# --- progress -------------------------------------------------------------------------------------


def test_progress_counts_bytes(server, engine):
    url = publish(server)
    server.next["models/shard3.bin"] = [-70_000, {"ETag": '"other"'}]
    steps: list[tuple[int, int | None, str]] = []
    load(url, progress=lambda *step: steps.append(step))
    whole = len(MODEL) + sum(map(len, SHARDS.values()))
    assert steps[0] == (len(MODEL), len(MODEL), "model.txt")
    assert {step[1] for step in steps[1:]} == {whole}
    assert steps[-1][0] == whole
    assert {step[2] for step in steps} == {"model.txt", *SHARDS}
    assert all(0 <= done <= whole for done, _, _ in steps)
    assert sorted(server.requests("HEAD")) == [f"/models/{name}" for name in SHARDS]


@pytest.mark.parametrize("kind", kinds_of_sources())
def test_progress_of_every_source_ends_at_all_bytes(kind, tmp_path, engine):
    steps: list[tuple[int, int | None, str]] = []
    source = sources(tmp_path)[kind]
    load(source, progress=lambda *step: steps.append(step))
    whole = sum(map(len, FILES.values()))
    if "archive" in kind:
        whole = len(source if isinstance(source, bytes) else source.read_bytes())
    assert steps[-1][:2] == (whole, whole)


def test_totals_that_servers_do_not_send(server, engine):
    url = publish(server)
    server.headers = {"Content-Length": None, "Connection": "close"}
    steps: list[tuple[int, int | None, str]] = []
    assert load(url, progress=lambda *step: steps.append(step)) == SHARDS
    assert steps[len(steps) // 2][1] is None
    server.headers["Content-Encoding"] = "identity"
    assert load(url) == SHARDS


def test_the_text_bar_prints_few_lines(engine, monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    monkeypatch.setattr(bars, "perf_counter", lambda: now[0])
    blobs = [Blob(data, name) for name, data in FILES.items()]

    def tick() -> int:
        now[0] += 0.1
        return 0

    original = Blob.stream
    monkeypatch.setattr(Blob, "stream", lambda self: tick() or original(self))
    load(blobs, progress=True)
    assert capsys.readouterr().out == "[====================] 0.8 of 0.8 MB: all files in 0.9 s\n"
    monkeypatch.setattr(Terminal, "__init__", lambda self: None)
    monkeypatch.setattr(Terminal, "rewrites", False, raising=False)
    monkeypatch.setattr(Terminal, "shows_start", False)
    monkeypatch.setattr(Terminal, "seconds", 0.35)
    load(blobs, progress=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0] == "[======              ] 0.2 of 0.8 MB: shard3.bin"


# --- the cache ------------------------------------------------------------------------------------


def test_there_is_no_cache_outside_of_pages(server, engine):
    url = publish(server)
    for _ in range(2):
        load(url)
    assert server.requests().count("/models/model.txt") == 2
    assert asyncio.run(pt.models.cache.list()) == []
    asyncio.run(pt.models.cache.clear())


def test_the_longest_unused_files_are_evicted():
    files = [CachedFile(name, 10, "", used) for name, used in (("b", 2), ("a", 1), ("c", 3))]
    for limit, names in ((30, ""), (29, "a"), (20, "a"), (10, "ab"), (9, "abc"), (-5, "abc")):
        assert "".join(file.url for file in evicted(files, limit)) == names


def test_limits_are_checked():
    assert pt.models.cache.limit == 1 << 30
    for limit in (-1, 1.5, True, "1 GB"):
        with pytest.raises(ArgumentError, match="cache: limit"):
            pt.models.cache.limit = limit
    assert pt.models.cache.limit == 1 << 30


def test_addresses_are_sent_as_a_browser_sends_them(server, engine):
    async def asked(url: str) -> None:
        response: Awaitable[Any] = host_network.open_url(f"{server.url}/{url}", "HEAD", {})
        (await response).close()

    for url in ("a%20b/c?d=[1]&e=%2F", "x+y~z", "ä"):
        asyncio.run(asked(url))
    assert server.requests("HEAD") == ["/a%20b/c?d=[1]&e=%2F", "/x+y~z", "/%C3%A4"]
