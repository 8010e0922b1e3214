# /// script
# dependencies = ["py_tensor"]
# ///

import marimo

app = marimo.App(app_title="Waves of two sources")


@app.cell
def _():
    import marimo as mo
    import py_tensor as pt
    from js import OffscreenCanvas

    return OffscreenCanvas, mo, pt


@app.cell
def _(pt):
    x = pt.linspace(-1.0, 1.0, 256)
    y = x[:, None]
    left = pt.hypot(x + 0.4, y)
    right = pt.hypot(x - 0.4, y)

    def brightness(waves):
        """Return the brightness of 256 x 256 pixels, from 0 (black) to 1 (white)."""
        return 0.5 + 0.25 * (pt.sin(waves * left) + pt.sin(waves * right))

    return (brightness,)


@app.cell
def _(OffscreenCanvas, mo):
    # Python runs in a worker without access to the page's canvases, so it makes a PNG file.
    canvas = OffscreenCanvas.new(256, 256)
    waves = mo.ui.slider(5, 100, value=30, label="Waves", show_value=True)
    return canvas, waves


@app.cell
async def _(brightness, canvas, mo, pt, waves):
    picture = brightness(waves.value)
    pt.draw(picture, canvas)
    blob = await canvas.convertToBlob()
    png = (await blob.arrayBuffer()).to_bytes()
    mean = await picture.mean().data()
    text = f"{pt.get_backend()}: mean brightness {mean.tolist():.4f}"
    mo.vstack([mo.image(png, width=256), waves, text])
    return


if __name__ == "__main__":
    app.run()
