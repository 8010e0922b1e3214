"""Test pages that start from a copy of Python's memory with a program's own imports."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_python import ROOT, link_pages
from playwright.sync_api import Page
from server import serve
from started_python import run_again, run_started

PROGRAM = """\
import statistics
from js import document

import missing_package
import py_tensor as pt
from py_tensor import nn, optim

from area import square
"""
VALUES = """
    import json
    import random
    import statistics
    import sys
    import decimal

    import py_tensor as pt
    from area import square
    from py_tensor import nn, optim

    layer = nn.Dense(2, 1)
    json.dumps([
        statistics.mean([1, 2, 6]),
        square(3),
        list(layer(pt.ones((1, 2))).shape),
        [name for name in ("js", "missing_package", "py_tensor.snapshot") if name in sys.modules],
    ])
"""
RANDOM = """
    import random
    import py_tensor as pt

    f"{random.random()} {pt.random.uniform().item()}"
"""
MISSING = """
    try:
        import other
    except ModuleNotFoundError as error:
        text = str(error)
    text
"""
AREA = "def square(side):\n    return side * side\n"
BUILD_ID = 16
"""Position of the bytes in a snapshot that tell the build of Pyodide."""


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "py_tensor.snapshot", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


def write_program(folder: Path, program: str, **modules: str) -> Path:
    """Write a program and modules next to it; return the program's path."""
    folder.mkdir()
    for name, source in {"app": program, **modules}.items():
        (folder / f"{name}.py").write_text(source)
    return folder / "app.py"


@pytest.fixture(scope="module")
def folder(site_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a page with the site's Pyodide and a snapshot of a program."""
    folder = tmp_path_factory.mktemp("own")
    link_pages(folder)
    app = write_program(folder / "program", PROGRAM, area=AREA, other="")
    done = command(app, "--output", folder)
    assert done.returncode == 0, done.stderr
    left_out = [line for line in done.stdout.splitlines() if line.startswith("snapshot: left out")]
    assert left_out == [
        "snapshot: left out 'from js import document': "
        "cannot import name 'document' from 'js' (unknown location)",
        "snapshot: left out 'import missing_package': No module named 'missing_package'",
    ]
    assert sorted(path.name for path in app.parent.iterdir()) == ["app.py", "area.py", "other.py"]
    return folder


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serve(folder) as url:
        yield url


def options(url: str) -> dict[str, Any]:
    return {"folder": f"{url}/pyodide/", "snapshot": f"{url}/snapshot.json"}


def requests_of(page: Page) -> list[str]:
    """Return a list that gets the names of the files that the page requests."""
    names: list[str] = []
    page.context.on("request", lambda request: names.append(request.url.rpartition("/")[2]))
    return names


@pytest.mark.parametrize("thread", ["page", "worker"])
def test_imports_are_in_the_copy(page: Page, url: str, folder: Path, thread: str) -> None:
    snapshot = json.loads((folder / "snapshot.json").read_text())["file"]
    requests = requests_of(page)
    values = run_started(page, url, VALUES, thread, prefetch=False, **options(url))
    assert json.loads(values) == [3, 9, [1, 1], ["js"]]
    assert f"{snapshot}.gz" in requests
    assert [name for name in requests if name.endswith(".zip")] == []


def test_modules_that_are_not_in_the_copy_are_missing(page: Page, url: str) -> None:
    assert run_started(page, url, MISSING, **options(url)) == "No module named 'other'"


def test_two_starts_have_different_random_numbers(page: Page, url: str) -> None:
    first, second = (run_started(page, url, RANDOM, **options(url)).split() for _ in range(2))
    assert all(one != other for one, other in zip(first, second, strict=True))


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def of_another_build(data: bytes) -> bytes:
    changed = bytearray(data)
    changed[BUILD_ID] ^= 1
    return bytes(changed)


def shorter(data: bytes) -> bytes:
    return data[:-1]


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "Compressed input was truncated": truncated,
    "Snapshot build id mismatch": lambda packed: gzip.compress(
        of_another_build(gzip.decompress(packed)), 1
    ),
    " bytes; check": lambda packed: gzip.compress(shorter(gzip.decompress(packed)), 1),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_snapshot_is_not_used(page: Page, url: str, folder: Path, reason: str) -> None:
    entry = json.loads((folder / "snapshot.json").read_text())
    packed = (folder / f"{entry['file']}.gz").read_bytes()
    (folder / "snapshot-broken.bin").touch()
    (folder / "snapshot-broken.bin.gz").write_bytes(BROKEN[reason](packed))
    (folder / "broken.json").write_text(json.dumps(entry | {"file": "snapshot-broken.bin"}))
    check_normal_start(page, url, "broken.json", reason)


def test_a_snapshot_of_other_files_is_not_used(page: Page, url: str, folder: Path) -> None:
    entry = json.loads((folder / "snapshot.json").read_text())
    (folder / "old.json").write_text(json.dumps(entry | {"sources": "sources-0.zip"}))
    reason = "snapshot: it was made with other files; got sources-0.zip instead of sources-"
    check_normal_start(page, url, "old.json", reason)


def check_normal_start(page: Page, url: str, name: str, reason: str) -> None:
    warnings: list[str] = []
    page.on("console", lambda line: warnings.append(line.text) if line.type == "warning" else None)
    program = (
        "import sys, py_tensor as pt; f\"{(pt.arange(3) * 2).tolist()} {'area' in sys.modules}\""
    )
    broken = options(url) | {"snapshot": f"{url}/{name}"}
    assert run_started(page, url, program, **broken) == "[0, 2, 4] False"
    [warning] = [text for text in warnings if text.startswith("py_tensor: ")]
    assert reason in warning


def test_a_second_snapshot_replaces_the_first(folder: Path, tmp_path: Path) -> None:
    app = write_program(tmp_path / "program", "import area\n", area=AREA)
    output = tmp_path / "output"
    for source in (AREA, AREA + "PI = 3\n"):
        (app.parent / "area.py").write_text(source)
        command(app, "--output", output, "--runtime", folder / "pyodide").check_returncode()
        name = json.loads((output / "snapshot.json").read_text())["file"]
        assert {path.name for path in output.iterdir()} == {name, f"{name}.gz", "snapshot.json"}


def test_modules_that_compute_tensors_are_refused(folder: Path, tmp_path: Path) -> None:
    source = "import py_tensor as pt\nTOTAL = pt.sum(pt.arange(10)).item()\n"
    app = write_program(tmp_path / "program", "import total\n", total=source)
    done = command(app, "--output", tmp_path, "--runtime", folder / "pyodide")
    assert done.returncode == 1
    assert "an imported module computes tensors, which belong to this machine" in done.stderr
    assert not (tmp_path / "snapshot.json").exists()


def test_errors_say_what_to_do(folder: Path, tmp_path: Path) -> None:
    app = folder / "program" / "app.py"
    done = command(app, "--output", tmp_path)
    assert done.stderr == (
        f"snapshot: no runtime folder; got no make_snapshot.mjs in {tmp_path}/pyodide or "
        "node_modules/py_tensor/runtime; copy the folder runtime of the npm package py_tensor, "
        "or name it with --runtime\n"
    )
    done = command(app, "--output", folder, PATH=str(tmp_path))
    assert done.stderr == (
        "snapshot: Node.js not found; got no command node; install Node.js 20.19 or newer\n"
    )
    done = command(tmp_path / "app.py", "--output", folder)
    assert done.stderr == (
        f"snapshot: no such program; got {tmp_path}/app.py; give the path of a Python file\n"
    )


POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"


@pytest.mark.parametrize("thread", ["page", "worker"])
@pytest.mark.parametrize("snapshot", [True, False])
def test_strict_policy(folder: Path, page: Page, thread: str, snapshot: bool) -> None:
    program = """
        import py_tensor as pt

        pt.set_backend("webgl")
        f"{pt.get_backend()} {(pt.ones((20, 20)) * 3.0).sum().item()}"
    """
    evaluated = "import js; js.eval('1')"
    with serve(folder, {"Content-Security-Policy": POLICY}) as url:
        chosen = {"folder": f"{url}/pyodide/", "snapshot": snapshot}
        assert run_started(page, url, program, thread, **chosen) == "webgl 1200.0"
        with pytest.raises(Exception, match="EvalError"):
            run_again(page, evaluated, thread, **chosen)
