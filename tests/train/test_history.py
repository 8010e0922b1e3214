"""Plots of a training's history."""

from __future__ import annotations

import pytest

import py_tensor as pt
from py_tensor.errors import ArgumentError

pytestmark = pytest.mark.host


def history():
    return pt.train.History(
        [
            {"loss": 2.0, "accuracy": 0.5, "learning_rate": 0.1, "matrix": [[1]]},
            {"loss": 1.0, "accuracy": 0.7, "learning_rate": 0.1, "val_loss": 1.5},
        ],
        [3.0, 2.0, 1.0],
    )


def lines(plot):
    return {one.label: (one.xs, one.ys) for one in plot._content.series}


def test_values_over_the_epochs():
    drawn = lines(history().plot())
    assert list(drawn) == ["loss", "accuracy", "val_loss"]
    assert drawn["loss"] == ([1.0, 2.0], [2.0, 1.0])
    assert str(drawn["val_loss"][1]) == "[nan, 1.5]"
    chosen = history().plot("learning_rate", "loss", title="t", log="y")
    assert list(lines(chosen)) == ["learning_rate", "loss"] and chosen._content.title == "t"
    assert history()._repr_html_() == history().plot()._repr_html_()


def test_a_single_epoch_shows_its_batches():
    one = pt.train.History([{"loss": 2.0}], [3.0, 2.0, 1.0])
    assert lines(one.plot()) == {"loss": ([0.0, 1.0, 2.0], [3.0, 2.0, 1.0])}
    assert lines(one.plot("loss")) == {"loss": ([1.0], [2.0])}
    assert "<svg" in pt.train.History()._repr_html_()


def test_unknown_names():
    with pytest.raises(ArgumentError, match="plot: history has no value of this name; got 'f1'"):
        history().plot("f1")
