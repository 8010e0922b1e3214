"""Draw digits, defined as strokes, on the demo's pad with the pointer."""

import math

from playwright.sync_api import Page

Stroke = list[tuple[float, float]]


def _arc(x: float, y: float, wide: float, high: float, start: float, end: float) -> Stroke:
    """Return an arc of an ellipse. Angles are in degrees, clockwise from the right."""
    angles = [math.radians(start + (end - start) * n / 12) for n in range(13)]
    return [(x + wide * math.cos(angle), y + high * math.sin(angle)) for angle in angles]


STROKES: list[list[Stroke]] = [
    [_arc(0.5, 0.5, 0.25, 0.4, -90, 270)],
    [[(0.38, 0.28), (0.52, 0.12), (0.52, 0.9)]],
    [[*_arc(0.5, 0.32, 0.22, 0.22, -170, 30), (0.3, 0.88), (0.75, 0.88)]],
    [_arc(0.47, 0.3, 0.22, 0.2, -150, 90) + _arc(0.47, 0.7, 0.25, 0.2, -90, 150)],
    [[(0.6, 0.9), (0.6, 0.1), (0.25, 0.62), (0.8, 0.62)]],
    [[(0.7, 0.12), (0.35, 0.12), (0.33, 0.45), *_arc(0.48, 0.65, 0.24, 0.23, -110, 150)]],
    [[(0.62, 0.1), (0.42, 0.35), *_arc(0.5, 0.66, 0.2, 0.23, -180, 180)]],
    [[(0.27, 0.14), (0.74, 0.14), (0.42, 0.9)], [(0.36, 0.5), (0.68, 0.5)]],
    [_arc(0.5, 0.3, 0.18, 0.19, 90, 450) + _arc(0.5, 0.7, 0.22, 0.21, -90, 270)],
    [[*_arc(0.5, 0.32, 0.2, 0.21, 0, 360), (0.68, 0.6), (0.58, 0.9)]],
]


def write(page: Page, digit: int) -> None:
    """Draw a digit on the empty pad."""
    pad = page.locator("#pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    assert box is not None
    for stroke in STROKES[digit]:
        places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in stroke]
        page.mouse.move(*places[0])
        page.mouse.down()
        for place in places[1:]:
            page.mouse.move(*place)
        page.mouse.up()
