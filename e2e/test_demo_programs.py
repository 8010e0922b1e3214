"""Test that the visitor's own programs are kept, shared and completed, and errors give advice."""

from __future__ import annotations

import re
import struct
import zipfile

import pytest
from accessibility import faults
from demo_driver import Demo
from playwright.sync_api import Page
from waiting import eventually

pytest_plugins = ["demo_fixtures"]


def source(demo: Demo) -> str:
    return demo.page.inner_text("#editor .cm-content")


def test_programs_are_kept_and_shared(page: Page, site_url: str) -> None:
    demo = Demo(page, site_url)
    demo.write("# first of mine\nprint(1)")
    assert page.inner_text("#saved") == "Saved in this browser."
    # The title stands in the field "Name" alone.
    assert page.get_attribute("#program-name", "placeholder") == "first of mine"
    assert page.inner_text("#shown-program") == ""
    # An example does not replace it for good.
    demo.choose("matmul")
    assert "n = 256" in source(demo)
    demo.write("# second of mine\nprint(2)")
    assert demo.own_titles() == ["second of mine", "first of mine"]
    page.reload()
    assert source(demo) == "# second of mine\nprint(2)"
    demo.open_own("first of mine")
    assert source(demo) == "# first of mine\nprint(1)"
    page.click("#share")
    page.wait_for_selector("#run-status:has-text('link')")
    address = page.evaluate("location.href")
    demo.choose("arithmetic")
    assert page.evaluate("location.hash") == ""
    assert page.inner_text("#run-status") == ""
    # The address alone changes, which loads no page.
    page.goto(address)
    eventually(page, lambda: _assert_equal(source(demo), "# first of mine\nprint(1)"))
    # A link that was changed is a program of its own.
    page.click("#editor .cm-content")
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text("\nprint(3)")
    assert page.evaluate("location.hash") == ""
    page.reload()
    assert source(demo) == "# first of mine\nprint(1)\nprint(3)"
    assert demo.own_titles() == ["first of mine", "first of mine", "second of mine"]


def _assert_equal(shown: str, expected: str) -> None:
    assert shown == expected


def test_focus_stays_on_the_buttons(demo: Demo) -> None:
    page = demo.page
    demo.write("from playground import next_frame\nfor _ in range(90): await next_frame()")
    demo.start_by_keyboard()
    status = demo.finish()
    assert re.fullmatch(r"ran in \d+\.\d s", status), status
    assert page.evaluate("document.activeElement.id") == "run"


@pytest.mark.parametrize(
    ("program", "advice"),
    [
        ("input('your name')", "assign the value in the program instead"),
        ("import numpy as np", "import py_tensor as np"),
        ("import pandas", "standard library only"),
        ("show(1)", "Write pt.show"),
        ("download(1)", "from playground import download"),
        (
            "import py_tensor as pt\npt.show(pt.ones(5), kind='picture')",
            "show: tensor is no picture; got shape (5,)",
        ),
        ("def f(): return f()\nf()", "calls itself without an end"),
        (
            "import py_tensor as pt\nawait pt.io.download({'a': pt.ones(3)})",
            "from playground import download",
        ),
    ],
)
def test_errors_give_advice(demo: Demo, program: str, advice: str) -> None:
    demo.write(program)
    demo.start()
    assert demo.finish().startswith("failed after")
    failure = demo.page.inner_text(".failure")
    assert advice in failure
    assert len(failure) < 2500


def test_tensors_are_downloaded(demo: Demo) -> None:
    demo.write(
        "import py_tensor as pt\nfrom playground import download\n"
        "await download({'a': pt.asarray([1.5, 2.5])}, 'two.safetensors')"
    )
    with demo.page.expect_download() as download:
        demo.start()
    assert download.value.suggested_filename == "two.safetensors"
    assert download.value.path().read_bytes().endswith(struct.pack("<2f", 1.5, 2.5))


def test_addresses_are_relative_to_the_page(demo: Demo) -> None:
    demo.write(
        "from pyodide.http import pyfetch\nprint((await pyfetch('digits/README.txt')).status)"
    )
    demo.start()
    demo.finish()
    assert demo.printed() == ["200"]


COMPLETED = """import py_tensor as pt
import py_tensor.numpy as np

x = pt.ones((2, 3))
table = {"alpha": 1}

def scaled(values, factor=2):
    \"\"\"Return values times a factor.\"\"\"
    return values * factor
"""
HELP = "#editor .code-help.cm-tooltip"
"""Documentation at the cursor; other documentation is in a tooltip."""


def wait_for_completion(page: Page, label: str) -> None:
    def is_offered() -> None:
        assert label in page.locator(".cm-completionLabel").all_text_contents()

    eventually(page, is_offered)


def type_line(page: Page, text: str) -> None:
    """Type a line after the end of the program, with no list or documentation left open."""
    page.keyboard.press("Escape")
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text("\n")
    page.keyboard.type(text)


def test_names_are_completed_with_documentation(demo: Demo) -> None:
    page = demo.page
    demo.write(COMPLETED)
    for typed, label in (
        ("pt.conca", "concat"),
        ("pt.nn.Conv2", "Conv2D"),
        ("np.linalg.sv", "svd"),
        ("x.cumulative_su", "cumulative_sum"),
        ("pt.concat([x], ax", "axis="),
        ("import py_tensor.sig", "signal"),
        ("from py_tensor.nn import Dens", "Dense"),
        ("table['al", "alpha"),
        ("scal", "scaled"),
    ):
        type_line(page, typed)
        wait_for_completion(page, label)
    # The selected name has its signature and documentation.
    page.wait_for_selector(".cm-completionInfo:has-text('Return values times a factor.')")
    assert faults(page, ".cm-tooltip") == []
    page.keyboard.press("Enter")
    page.keyboard.type("(x, ")
    page.wait_for_selector(f"{HELP} mark:text-is('factor=2')")
    assert faults(page, ".cm-tooltip") == []
    page.keyboard.press("Escape")
    page.wait_for_selector(HELP, state="detached")


def test_names_are_described_by_key_button_and_mouse(demo: Demo) -> None:
    page = demo.page
    demo.write(COMPLETED)
    demo.start()
    demo.finish()
    page.click("#editor .cm-content")
    type_line(page, "missing.name; x")
    wait_for_completion(page, "x")
    page.keyboard.press("F1")
    page.wait_for_selector(f"{HELP}:has-text('After the last run: shape (2, 3), float32')")
    page.click("#describe")
    page.wait_for_selector(HELP, state="detached")
    page.click("#describe")
    page.wait_for_selector(f"{HELP}:has-text('x: Tensor')")
    page.locator(".cm-line", has_text="py_tensor.numpy").hover(position={"x": 75, "y": 8})
    page.wait_for_selector(".cm-tooltip-hover:has-text('py_tensor')")
    assert faults(page, ".cm-tooltip") == []


def test_editor_answers_while_a_program_computes(demo: Demo) -> None:
    page = demo.page
    # The Python of the other sections answers, and starts after that of the programs.
    page.wait_for_selector("#digits-train:enabled")
    demo.write(f"{COMPLETED}print('on')\nwhile True:\n    pass\n")
    demo.start()
    page.wait_for_selector("#output pre:text('on')")
    page.click("#editor .cm-content")
    for _ in range(2):
        type_line(page, "x.cumulative_su")
        wait_for_completion(page, "cumulative_sum")
    page.click("#stop")
    page.wait_for_selector("#run-status:text-is('stopped; Python was restarted')")


@pytest.mark.parametrize("epochs", ["", "99999", "-1", "1.5"])
def test_a_wrong_number_of_epochs_is_refused(demo: Demo, epochs: str) -> None:
    page = demo.page
    page.fill("#digits-epochs", epochs)
    page.click("#digits-train:enabled")
    assert page.evaluate("document.activeElement.id") == "digits-epochs"
    assert page.get_attribute("#digits", "data-state") == "new"
    assert page.inner_text("#digits-status") == ""


def test_files_of_the_visitor_are_read(page: Page, site_url: str) -> None:
    demo = Demo(page, site_url)
    page.set_input_files(
        "#program-files", {"name": "two.csv", "mimeType": "text/csv", "buffer": b"1,2\n"}
    )
    page.wait_for_selector("#saved:has-text('two.csv')")
    page.evaluate("""() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["dropped"], "note.txt"));
      document.querySelector("#editor .cm-content").dispatchEvent(
        new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }""")
    page.wait_for_selector("#saved:has-text('note.txt')")
    demo.write("print(open('two.csv').read() + open('note.txt').read())")
    demo.start()
    assert demo.finish().startswith("ran in"), demo.text()
    assert demo.printed() == ["1,2", "dropped"]


def test_all_programs_are_kept_until_they_are_deleted(page: Page, site_url: str) -> None:
    programs = ", ".join(f"'print({n})'" for n in (*range(30), 29))
    saved = f"JSON.stringify({{ programs: [{programs}], isShown: true }})"
    page.add_init_script(f"localStorage['py_tensor.programs'] ??= {saved}")
    demo = Demo(page, site_url)
    demo.write("print('new')")
    demo.choose("matmul")
    demo.write("print('newest')")
    assert len(demo.own_titles()) == 32
    with page.expect_download() as download:
        page.click("#save-program")
    assert download.value.path().read_text() == "print('newest')\n"
    assert download.value.suggested_filename == "print_newest.py"
    # Keys alone name a program. A name outlives changes and the page.
    page.focus("#open-programs")
    page.keyboard.press("Tab")
    page.keyboard.type("Größe 1/2")
    page.keyboard.press("Enter")
    page.click("#editor .cm-content")
    page.keyboard.type("#")
    page.reload()
    assert page.input_value("#program-name") == "Größe 1/2"
    assert demo.own_titles()[0] == "Größe 1/2"
    page.click("#open-programs")
    with page.expect_download() as download:
        page.click("#export-programs")
    page.click("#close-programs")
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[-1] == "print_29_2.py"
        assert names[:3] == ["Größe_1_2.py", "print_new.py", "print_1.py"]
        assert archive.read("print_new.py") == b"print('new')\n"
        assert "newest" in archive.read(names[0]).decode()
    assert len(names) == len({*names}) == 32
    page.focus("#program-name")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Enter")
    assert "newest" in demo.own_titles()[0]
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("#delete-own")
    titles = demo.own_titles()
    assert len(titles) == 31
    assert "print('newest')" not in titles
    assert page.is_disabled("#delete-own")
