"""Record the notes that the package basic-pitch finds, for the test of the analyser's notes.

usage: python tests/web/data/make_note_fixtures.py FOLDER   (with basic-pitch==0.4.0, unpacked)

It writes tests/web/data/notes.json. The package's function is run without its other modules, which
need TensorFlow.
"""

from __future__ import annotations

import ast
import json
import sys
import typing
from pathlib import Path
from typing import Any

import numpy as np
import scipy.signal  # type: ignore[import-untyped]

TARGET = Path(__file__).parent / "notes.json"
NAMES = ("output_to_notes_polyphonic", "get_infered_onsets", "constrain_frequency")
LOUD = 0.85
"""Part of a frame's value that the next one keeps."""


def frames_and_onsets(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return frames that fade, and onsets; tests/web/test_analyser_tasks.py uses them, too."""
    rng = np.random.default_rng(seed)
    hits = rng.random((120, 88)) * (rng.random((120, 88)) > 0.7)
    frames = np.zeros_like(hits)
    for at, row in enumerate(hits):
        frames[at] = np.clip(row * 0.4 + (frames[at - 1] * LOUD if at else 0.0), 0.0, 1.0)
    return frames, rng.random((120, 88)) ** 6


def main(folder: Path) -> None:
    source = next(folder.glob("**/basic_pitch/note_creation.py")).read_text()
    functions: list[ast.stmt] = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name in NAMES
    ]
    names: dict[str, Any] = {"np": np, "scipy": scipy, "MIDI_OFFSET": 21, "MAX_FREQ_IDX": 87}
    names |= {name: getattr(typing, name) for name in ("List", "Tuple", "Optional")}
    exec(compile(ast.Module(functions, []), "note_creation.py", "exec"), names)
    recorded = []
    for seed in range(3):
        frames, onsets = frames_and_onsets(seed)
        notes = names[NAMES[0]](frames, onsets, 0.5, 0.3, 11, True, None, None, True)
        recorded.append([[*map(int, note[:3]), round(float(note[3]), 6)] for note in notes])
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps({"version": "basic-pitch 0.4.0", "notes": recorded}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
