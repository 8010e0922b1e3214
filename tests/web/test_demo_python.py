"""The demo's Python that needs no page: the file of digits, drawn digits, points, speed."""

from __future__ import annotations

import json
import math

import copy_digits
import digits_data
import drawn_digit
import numpy as np
import pytest
import speed
import surface_data
from json_numbers import finite
from sklearn.datasets import load_digits

import py_tensor as pt

Strokes = list[list[tuple[float, float]]]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("digits")
    copy_digits.main(folder)
    assert "E. Alpaydin" in (folder / "README.txt").read_text()
    return (folder / "digits.bin").read_bytes()


def test_file_of_digits_is_read_like_scikit_learn(file: bytes) -> None:
    learned, held = digits_data.load(file)
    digits = load_digits()
    out = np.arange(len(digits.target)) % 5 == 0
    assert (learned.count, held.count) == (1437, 360)
    np.testing.assert_array_equal(learned.pixels.numpy(), digits.images[~out])
    np.testing.assert_array_equal(held.pixels.numpy(), digits.images[out])
    np.testing.assert_array_equal(learned.labels.numpy(), digits.target[~out])
    np.testing.assert_array_equal(held.labels.numpy(), digits.target[out])
    assert learned.pixels.dtype == pt.uint8


@pytest.mark.parametrize("damage", ["empty", "cut", "digit 10", "pixel 17"])
def test_damaged_file_of_digits_is_refused(file: bytes, damage: str) -> None:
    damaged = {
        "empty": b"",
        "cut": file[:-1],
        "digit 10": bytes([10]) + file[1:],
        "pixel 17": file[:-1] + bytes([17]),
    }[damage]
    with pytest.raises(ValueError, match=f"got {len(damaged)} bytes; rebuild the site"):
        digits_data.load(damaged)


def image(strokes: Strokes) -> np.ndarray:
    image: np.ndarray = drawn_digit.image_of(strokes).numpy()
    assert image.shape == (8, 8) and image.dtype == np.uint8
    return image


def test_pixels_count_the_dots_of_their_block() -> None:
    dots = np.random.default_rng(4).random((32, 32)) < 0.4
    expected = dots.reshape(8, 4, 8, 4).sum(axis=(1, 3))
    np.testing.assert_array_equal(drawn_digit.blocks(pt.asarray(dots)).numpy(), expected)
    assert drawn_digit.blocks(pt.asarray(np.ones((32, 32), bool))).max().item() == 16


def test_dots_are_near_the_line() -> None:
    points = np.random.default_rng(5).random((20, 2)).astype(np.float32) * 32
    middle = np.arange(32) + 0.5
    down, across = np.meshgrid(middle, middle, indexing="ij")
    distance = np.min(np.hypot(across[..., None] - points[:, 0], down[..., None] - points[:, 1]), 2)
    for radius in (1.0, 2.7):
        sure = np.abs(distance - radius) > 1e-4
        shown = drawn_digit.bitmap(pt.asarray(points), radius).numpy()
        np.testing.assert_array_equal(shown[sure], (distance <= radius)[sure])


def test_one_is_a_thick_line_in_the_middle() -> None:
    shown = image([[(0.3, 0.1), (0.3, 0.9)]])
    # As in the data set, where lines are so thick that about 311 dots are on.
    assert shown[:, :2].sum() == shown[:, 6:].sum() == 0
    assert (shown[1:7, 3:5] == 16).all()
    assert abs(int(shown.sum()) - 311) < 25


def test_digit_fills_the_height_at_any_size_and_position() -> None:
    angle = np.linspace(0, 2 * np.pi, 40)
    shape = np.stack([0.3 * np.cos(angle), 0.45 * np.sin(angle)], axis=1)
    shown = image([[tuple(p) for p in shape]])
    elsewhere = image([[tuple(p) for p in shape * 137 + (20, -3)]])
    # A dot on the rim may be on or off.
    np.testing.assert_allclose(shown.astype(int), elsewhere.astype(int), atol=1)
    np.testing.assert_allclose(shown.astype(int), shown[::-1].astype(int), atol=2)
    np.testing.assert_allclose(shown.astype(int), shown[:, ::-1].astype(int), atol=2)
    assert shown[0].sum() > 0 and shown[7].sum() > 0
    assert shown[3:5, 3:5].sum() == 0


def test_wide_digit_is_scaled_to_twenty_dots() -> None:
    shown = image([[(0, 0), (2, 0), (0, 1), (2, 1)]])
    # Twenty dots in the middle of 32 begin two dots into the second column.
    assert shown[:, 0].sum() == shown[:, 7].sum() == 0
    assert 0 < shown[:, 1].max() <= 8 and 0 < shown[:, 6].max() <= 8


@pytest.mark.parametrize("strokes", [[[(0.2, 0.7)]], [[(0, 0)], [(1, 1)]], [[(0, 0.5), (1, 0.5)]]])
def test_dots_and_dashes_are_drawn(strokes: Strokes) -> None:
    shown = image(strokes)
    assert 0 < shown.sum() < 16 * 64


def test_number_of_points_of_a_line_is_fixed() -> None:
    whole = drawn_digit.points_along([[(0, 0), (10, 0)]])
    cut = drawn_digit.points_along([[(n / 30, 0) for n in range(301)]])
    assert len(whole) == len(cut) == drawn_digit.POINTS
    np.testing.assert_allclose(whole, cut, atol=0.05)
    assert math.dist(whole[-1], (10, 0)) < 0.05


def test_many_strokes_add_no_points() -> None:
    dots = [[(float(n % 20), float(n // 20))] for n in range(400)]
    assert len(drawn_digit.points_along(dots)) == drawn_digit.POINTS


def test_empty_pad_is_refused() -> None:
    with pytest.raises(ValueError, match="draw: got no points"):
        drawn_digit.image_of([[]])


@pytest.mark.parametrize("name", surface_data.DATA)
def test_points_are_of_two_classes_and_repeatable(name: str) -> None:
    points = surface_data.points(name, 3)
    assert points == surface_data.points(name, 3) != surface_data.points(name, 4)
    places = np.array([point[:2] for point in points])
    assert np.abs(places).max() < 1.1
    assert 60 < sum(label for *_, label in points) < 140


def test_points_follow_their_pattern() -> None:
    for x, y, label in surface_data.points("xor", 0):
        assert label == (x * y < 0)
    for x, y, label in surface_data.points("rings", 0):
        assert label == (math.hypot(x, y) > 0.6)


def test_speed_covers_the_last_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(speed, "perf_counter", lambda: now)
    measured = speed.Speed()
    assert measured.per_second == 0
    for step in range(40):
        now = step / 10 if step < 20 else 2 + (step - 20) / 5
        measured.reached(step)
    assert measured.per_second == pytest.approx(5)
    measured.restart()
    assert measured.per_second == 0


def test_json_has_no_infinite_numbers() -> None:
    values = finite([1.5, math.nan, -math.inf])
    assert json.loads(json.dumps(values)) == [1.5, None, None]
