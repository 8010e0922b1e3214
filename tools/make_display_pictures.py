"""Draw the plots of docs/display.md, in light and dark colours.

usage: python tools/make_display_pictures.py
"""

import asyncio
from pathlib import Path
from typing import Any

import py_tensor as pt

ASSETS = Path(__file__).parent.parent / "docs" / "assets"


def training() -> pt.plot.Plot:
    """Plot the history of a training."""
    pt.random.seed(7)
    x = pt.random.uniform((512, 1), low=-3.0, high=3.0)
    y = pt.sin(2 * x) + 0.1 * pt.random.normal((512, 1))
    model = pt.nn.Sequential(pt.nn.Dense(1, 32), pt.tanh, pt.nn.Dense(32, 1))
    history = asyncio.run(
        pt.train.fit(
            model,
            (x, y),
            loss="mse",
            optimizer=pt.optim.adam(0.02),
            epochs=40,
            validation_split=0.2,
        )
    )
    return history.plot(title="history.plot(log='y')", log="y", width=480, height=260)


def plots() -> dict[str, pt.plot.Plot]:
    """Return the plots by the names of their files."""
    pt.random.seed(0)
    x = pt.random.normal((100_000,))
    y = x * 0.5 + pt.random.normal((100_000,))
    size: dict[str, Any] = {"width": 480, "height": 260}
    waves = pt.sin(pt.linspace(0, 9, 45).reshape((-1, 1))) * pt.cos(pt.linspace(0, 12, 80))
    return {
        "training": training(),
        "histogram": pt.plot.histogram(
            x, 50, label="x", title="pt.plot.histogram", **size
        ).histogram(y, 50, label="y"),
        "image": pt.plot.image(waves, title="pt.plot.image", **size),
    }


def main() -> None:
    for name, plot in plots().items():
        for theme in ("light", "dark"):
            file = ASSETS / f"plot_{name}_{theme}.svg"
            file.write_text(plot.svg(dark=theme == "dark") + "\n")


if __name__ == "__main__":
    main()
