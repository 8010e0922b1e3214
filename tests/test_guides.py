"""Examples in the README and the guides run and print the text that follows them."""

from __future__ import annotations

import io
import re
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import half_storage
import pytest

from py_tensor import nn
from py_tensor.runtime import executor

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(
    r"(?P<marking><!-- not run: [^>]+ -->\n+)?^```(?P<language>.*)\n(?P<code>(?:(?!```).*\n)*)```$"
    r"(?:\n+(?:prints\n+)?^```text\n(?P<text>(?:(?!```).*\n)*)```$)?",
    re.MULTILINE,
)
NOT_PYTHON = {"html", "js"}
IN_LINEAR_MEMORY = ("reads slot 0 (same)", "reads slot 0 (neighbours)")
"""Way in which kernels of WebGL read an operand in a guide, and that of WebAssembly kernels."""


def blocks(text: str) -> list[tuple[int, re.Match[str]]]:
    """Code blocks with their lines; a text block belongs to the block before it."""
    return [(text.count("\n", 0, match.start()) + 1, match) for match in BLOCK.finditer(text)]


EXAMPLES = [
    pytest.param(match["code"], match["text"], id=f"{page.name}:{line}")
    for page in PAGES
    for line, match in blocks(page.read_text())
    if match["language"] == "python" and not match["marking"]
]


@pytest.mark.parametrize(("code", "text"), EXAMPLES)
def test_example_runs_and_prints_the_text_after_it(
    code: str, text: str | None, backend_name: str
) -> None:
    printed, engine = io.StringIO(), executor.backend()
    with redirect_stdout(printed):
        exec(compile(code, "example", "exec", dont_inherit=True), {"__name__": "example"})
    # Some examples choose a backend.
    executor.use(engine)
    text = text or ""
    if backend_name == "wasm":
        text = text.replace(*IN_LINEAR_MEMORY)
    assert half_storage.same_text(printed.getvalue(), text), printed.getvalue()


@pytest.mark.parametrize("guide", PAGES, ids=lambda guide: guide.name)
def test_blocks_that_do_not_run_are_marked(guide: Path) -> None:
    found = [match for _, match in blocks(guide.read_text())]
    fences = re.findall(r"^ *```", guide.read_text(), re.MULTILINE)
    # A block of unknown form would be neither run nor marked.
    assert len(fences) == sum(2 + 2 * (match["text"] is not None) for match in found)
    for match in found:
        assert match["language"] in NOT_PYTHON | {"python"}
        assert not match["marking"] or match["language"] == "python"


def test_examples_with_files_of_the_tests_are_not_offered_to_the_playground() -> None:
    for page in PAGES:
        text = page.read_text()
        for line, match in blocks(text):
            if match["language"] == "python" and "tests/" in match["code"] and not match["marking"]:
                before = text[: match.start()].splitlines()[-1]
                assert before.startswith("<!-- not in the playground: "), f"{page.name}:{line}"


def test_an_unmarked_block_is_found() -> None:
    marked = "<!-- not run: needs a page -->\n\n```python\nimport js\n```\n"
    [(_, match)] = blocks(marked)
    assert match["marking"]
    [(line, match)] = blocks("text\n\n" + marked.partition("\n\n")[2] + "\n```text\n1\n```\n")
    assert (line, match["marking"], match["text"]) == (3, None, "1\n")


def test_the_wheel_has_the_name_that_is_built() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = "".join(page.read_text() for page in PAGES)
    wheels = set(re.findall(r"py_tensor-[\d.]+[\w.-]*\.whl", text))
    assert wheels == {f"py_tensor-{project['version']}-py3-none-any.whl"}


# MkDocs checks the links of the guides.
@pytest.mark.parametrize(
    "page",
    [*ROOT.glob("*.md"), *ROOT.glob("*/README.md")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_of_pages_outside_the_site_exist(page: Path) -> None:
    for link, heading in re.findall(r"\]\(([^):#]*)(?:#([^)]*))?\)", page.read_text()):
        target = page.parent / link if link else page
        assert target.exists(), link
        headings = re.findall(r"(?m)^#+ (.*)$", target.read_text()) if heading else []
        slugs = [re.sub(r"[^\w -]", "", text).lower().replace(" ", "-") for text in headings]
        assert not heading or heading in slugs, f"{link}#{heading}"


def test_the_guide_to_networks_names_everything_in_nn() -> None:
    names = set(re.findall(r"\w+", (ROOT / "docs" / "nn.md").read_text()))
    assert [name for name in nn.__all__ if name not in names] == []
