"""The WebAssembly backend works in Pyodide, in Python's own memory."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST = 200
"""Microseconds of a run; about 8 on a free processor. Python loops over draws would take longer."""


def test_plans_run_in_pyodide_under_node():
    script = ["node", "e2e/wasm_in_node.mjs"]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout.splitlines()[-1])
    assert max(measured["microseconds"].values()) < LONGEST, measured
