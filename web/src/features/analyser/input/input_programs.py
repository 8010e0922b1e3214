"""Programs that the page shows: they prepare an input of a model and run the model on it."""

import json

import sounds
from preparation import Options, code


def _start(model_address: str) -> str:
    return f"import py_tensor as pt\n\nmodel = await pt.models.load({model_address})\n\n\n"


def sound_program(model_address: str, name: str) -> str:
    """Return a program for a sound; addresses are literals of Python."""
    return (
        f"{_start(model_address)}rate, length = {sounds.MODEL_RATE}, {sounds.WINDOW}\n"
        "samples = pt.random.normal((16000,)) * 0.1  # a sound of one second\n"
        "samples = pt.audio.resample(samples, 16000, rate)[:length]\n"
        "window = pt.pad(samples, (0, length - samples.shape[0]))[None, :, None]\n"
        f"for name, output in model.run({{{json.dumps(name)}: window}}).items():\n"
        "    print(name, output.shape)\n"
    )


def picture_program(model_address: str, picture_address: str, name: str, options: Options) -> str:
    """Return a program for a picture; addresses are literals of Python."""
    whole = "lambda picture, size: pt.asarray([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])"
    find = f", {whole}  # or the box of a face or hand" if options.fit == "region" else ""
    call = f"x, matrix = prepare(pt.from_pixels(image){find}"
    call = call.replace("  #", ")  #") if find else f"{call})"
    return (
        f"from js import createImageBitmap, fetch\n\n{_start(model_address)}{code(options)}\n\n"
        f"response = await fetch({picture_address})\n"
        f"image = await createImageBitmap(await response.blob())\n{call}\n"
        f"for name, output in model.run({{{json.dumps(name)}: x}}).items():\n"
        "    print(name, output.shape)\n"
    )
