"""Draw the picture whenever the slider moves."""

from picture import show
from pyscript import document, when

[canvas, waves, text] = [document.getElementById(name) for name in ("canvas", "waves", "text")]


@when("input", waves)
async def update(event):
    text.textContent = await show(waves.valueAsNumber, canvas)


await update(None)
