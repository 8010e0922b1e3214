"""Notes from the outputs of basic-pitch.

Source: `output_to_notes_polyphonic` of the package basic-pitch: notes begin at onsets, last until
the frames of their pitch have been quiet for a while, and what is left over is searched for notes
without an onset. Frames are lists of 88 numbers from 0 to 1, one for each key of a piano.
"""

from collections.abc import Sequence

import py_tensor as pt

type Frames = list[list[float]]
type Note = tuple[int, int, int, float]
"""First frame, frame after the last one, MIDI number, and mean of the frames."""

KEYS = 88
LOWEST = 21
"""MIDI number of the first key."""
ONSET, QUIET = 0.5, 0.3
"""Thresholds of onsets and frames."""
SHORTEST = 11
"""Notes up to this many frames are dropped."""
PATIENCE = 11
"""Quiet frames that end a note."""
RATE, HOP, WINDOW, PER_WINDOW = 22050, 256, 43844, 172
LAG = 0.0018
"""Seconds by which the package shifts each window."""


def joined(frames: pt.Tensor, overlap: int, count: int) -> pt.Tensor:
    """Return the frames of all windows, of shape (count, keys), without those that overlap."""
    half = overlap // 2
    inner = frames[:, half : frames.shape[1] - half]
    return inner.reshape((-1, frames.shape[2]))[:count]


def seconds_of(frame: int) -> float:
    """Return the time of a frame."""
    offset = HOP / RATE * (PER_WINDOW - WINDOW / HOP) + LAG
    return frame * HOP / RATE - offset * (frame // PER_WINDOW)


def notes_of(frames: Frames, onsets: Frames) -> list[Note]:
    """Return the notes of frames and onsets, in the order in which they are found."""
    last = len(frames) - 1
    starts = _peaks(_with_jumps(onsets, frames))
    energy = [row.copy() for row in frames]
    notes: list[Note] = []
    for start, key in reversed(starts):
        if start >= last:
            continue
        end = _end(energy, start + 1, key, last)
        if end - start <= SHORTEST:
            continue
        _silence(energy, range(start, end), key)
        notes.append(_note(frames, start, end, key))
    queue = sorted(
        ((-value, at, key) for at, row in enumerate(energy) for key, value in enumerate(row)
         if value > QUIET)
    )  # fmt: skip
    for value, middle, key in queue:
        # Frames of a note found meanwhile are silent.
        if energy[middle][key] != -value:
            continue
        energy[middle][key] = 0.0
        end = _walk(energy, middle + 1, 1, key, last) - 1
        start = _walk(energy, middle - 1, -1, key, last) + 1
        if end - start > SHORTEST:
            notes.append(_note(frames, start, end, key))
    return notes


def _note(frames: Frames, start: int, end: int, key: int) -> Note:
    mean = sum(row[key] for row in frames[start:end]) / (end - start)
    return start, end, key + LOWEST, mean


def _with_jumps(onsets: Frames, frames: Frames) -> Frames:
    """Return onsets, also where frames become much louder."""
    quiet = [0.0] * KEYS
    jumps = [quiet, quiet]
    for at in range(2, len(frames)):
        rows = zip(frames[at], frames[at - 1], frames[at - 2], strict=True)
        jumps.append([max(min(now - one, now - two), 0.0) for now, one, two in rows])
    loudest, steepest = (max(max(row) for row in rows) for rows in (onsets, jumps))
    factor = loudest / steepest if steepest else 0.0
    return [
        [max(onset, factor * jump) for onset, jump in zip(*rows, strict=True)]
        for rows in zip(onsets, jumps[: len(onsets)], strict=True)
    ]


def _peaks(onsets: Frames) -> list[tuple[int, int]]:
    """Return the frames and keys of onsets that are larger than their neighbours."""
    return [
        (at, key)
        for at in range(1, len(onsets) - 1)
        for key, value in enumerate(onsets[at])
        if value >= ONSET and value > onsets[at - 1][key] and value > onsets[at + 1][key]
    ]


def _end(energy: Frames, at: int, key: int, last: int) -> int:
    quiet = 0
    while at < last and quiet < PATIENCE:
        quiet = quiet + 1 if energy[at][key] < QUIET else 0
        at += 1
    return at - quiet


def _walk(energy: Frames, at: int, step: int, key: int, last: int) -> int:
    """Silence frames in one direction and return where the note ends."""
    quiet = 0
    while 0 < at < last + (step < 0) and quiet < PATIENCE:
        quiet = quiet + 1 if energy[at][key] < QUIET else 0
        _silence(energy, range(at, at + 1), key)
        at += step
    return at - step * quiet


def _silence(energy: Frames, frames: Sequence[int], key: int) -> None:
    """Clear a key and its neighbours."""
    for at in frames:
        for near in range(max(key - 1, 0), min(key + 2, KEYS)):
            energy[at][near] = 0.0
