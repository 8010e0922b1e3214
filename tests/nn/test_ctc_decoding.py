"""Decoded texts against sums over all alignments, and against `ctc_loss`."""

from __future__ import annotations

import math
from itertools import groupby, product

import numpy as np
import pytest
from helpers import assert_raises

import py_tensor as pt
from py_tensor import errors


def probabilities(scores, blank):
    """Return the probability of each text: the sum over all of its alignments."""
    found = {}
    for path in product(range(scores.shape[1]), repeat=scores.shape[0]):
        text = tuple(each for each, _ in groupby(path) if each != blank)
        part = np.prod([scores[step, each] for step, each in enumerate(path)])
        found[text] = found.get(text, 0.0) + part
    return sorted(found.items(), key=lambda item: -item[1])


@pytest.mark.parametrize("blank", [0, -1])
@pytest.mark.parametrize("logits", [False, True])
def test_beam_search_finds_the_most_probable_texts(blank, logits, rng):
    values = rng.normal(size=(3, 5, 4)).astype("float32")
    scores = np.exp(values) / np.sum(np.exp(values), axis=-1, keepdims=True)
    got = pt.nn.ctc_beam_search(
        values if logits else scores, beam_width=300, results=4, blank=blank, logits=logits
    )
    for row, found in zip(scores, got, strict=True):
        expected = probabilities(row.astype("float64"), blank % 4)[:4]
        assert [tuple(text) for text, _ in found] == [text for text, _ in expected]
        np.testing.assert_allclose(
            [score for _, score in found], np.log([part for _, part in expected]), atol=1e-4
        )


def test_beam_search_and_loss(rng):
    values = rng.normal(size=(1, 6, 4)).astype("float32")
    [[(text, score)]] = pt.nn.ctc_beam_search(values, beam_width=500)
    loss = pt.nn.ctc_loss(values, [text], reduction="sum").item()
    np.testing.assert_allclose(loss, -score, rtol=1e-4)


def test_narrow_beams_keep_likely_texts(rng):
    values = 6.0 * rng.normal(size=(12, 8)).astype("float32")
    [(wide, best)] = pt.nn.ctc_beam_search(values, beam_width=100)
    [(narrow, score)] = pt.nn.ctc_beam_search(values, beam_width=3)
    assert wide == narrow
    assert best - 0.1 < score <= best + 1e-5


def test_greedy(rng):
    values = rng.normal(size=(2, 9, 5)).astype("float32")
    scores = np.exp(values) / np.sum(np.exp(values), axis=-1, keepdims=True)
    for given, options in ((values, {}), (scores, {"logits": False})):
        got = pt.nn.ctc_greedy_decode(given, labels="-abcd", **options)
        for row, (text, confidence) in zip(scores, got, strict=True):
            best = row.argmax(-1)
            steps = [at for at in range(9) if best[at] and (not at or best[at] != best[at - 1])]
            assert text == "".join("-abcd"[best[at]] for at in steps)
            np.testing.assert_allclose(
                confidence, np.mean([row[at].max() for at in steps]), rtol=1e-5
            )
    assert pt.nn.ctc_greedy_decode([[9.0, 0.0]] * 3) == ([], 0.0)


@pytest.mark.parametrize("function", [pt.nn.ctc_greedy_decode, pt.nn.ctc_beam_search])
def test_errors(function):
    name = function.__name__
    assert_raises(
        errors.ShapeError,
        f"{name}: scores have a wrong shape; got (3,); use (steps, classes) or (batch, steps, "
        "classes)",
        lambda: function([0.1, 0.2, 0.3]),
    )
    assert_raises(
        errors.ArgumentError,
        f"{name}: labels do not fit; got 2 for 3 classes; pass one for each class, also for the "
        "blank",
        lambda: function([[0.1, 0.2, 0.3]], labels="ab"),
    )


def test_certain_classes():
    assert pt.nn.ctc_beam_search([[0.0, 1.0], [1.0, 0.0]], logits=False) == [([1], 0.0)]
    [(text, score)] = pt.nn.ctc_beam_search([[0.5, 0.5]], logits=False)
    assert score == pytest.approx(math.log(0.5), abs=1e-6)
    assert text in ([], [1])
