"""The input of the model: a picture with filters, or a sound, and how it is prepared."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import sounds
from input_filters import filtered
from input_shapes import example_input
from preparation import FITS, SCALINGS, Options, code, compiled, guessed, is_picture
from pyodide.http import pyfetch
from tasks import TASKS, recognized
from typed_numbers import numbers_of

import py_tensor as pt


class InputSession:
    """Holds the picture or sound, and sets the inputs of the model before each run."""

    def __init__(self, session: Any) -> None:
        self._session = session
        session.on_loss.append(self._recover)
        self._source: Any = None
        self._photo: pt.Tensor | None = None
        self._chain: list[tuple[str, float]] = []
        self._sound: tuple[bytes, int] | None = None
        self._model: Any = None
        self._info: Any = None
        self._options: Options | None = None
        self._entry: dict[str, Any] = {}
        self._addresses = "", ""
        self._helper_files: dict[str, str] = {}
        self._typed: dict[str, tuple[list[float], list[int]]] = {}
        self._pictures: dict[str, Any] = {}
        self._hints: dict[str, Any] = {}
        self._photos: dict[str, pt.Tensor] = {}
        self.helpers: dict[str, Any] = {}
        self.labels: list[str] | None = None
        self.kind = "numbers"
        """ "picture", "sound", or "numbers" for a model that takes neither."""
        self.task = "raw"
        self.view: pt.Tensor | None = None
        """The picture after the filters."""
        self.matrix: pt.Tensor | None = None
        self.frames = 0

    @property
    def input_name(self) -> str:
        """Name of the model's input that is prepared here; "" if there is none."""
        return "" if self._info is None else self._info.name

    # --- the model --------------------------------------------------------------------------------

    async def begin(
        self, entry: dict[str, Any] | None, model_address: str, picture_address: str
    ) -> dict[str, Any]:
        """Recognize the task of a new model, load what it needs, and return the state of the input.

        `entry` is a row of the gallery with addresses, or None for a model of the visitor. The
        addresses are for the code that is shown.
        """
        self._entry = entry or {}
        self._addresses = model_address, picture_address
        await self._load_helpers(self._entry.get("helpers", {}))
        self.labels = None
        if address := self._entry.get("labels"):
            self.labels = json.loads(await (await pyfetch(address)).string())
        self._model = model = self._session.model
        self._typed, self._photos = {}, {}
        for name in [*self._pictures]:
            self._forget(name)
        self.task = self._entry.get("task") or recognized(model)
        infos = model.inputs
        self._info = next((info for info in infos if is_picture(info)), None)
        if self.task == "notes":
            self.kind, self._info = "sound", infos[0]
        else:
            self.kind = "numbers" if self._info is None else "picture"
        self.matrix = self.view = self._options = None
        return self._choose(self.task)

    async def _load_helpers(self, files: dict[str, str]) -> None:
        if files != self._helper_files:
            for model in self.helpers.values():
                model.dispose()
            self.helpers, self._helper_files = {}, {}
            for role, address in files.items():
                self.helpers[role] = await pt.models.load(address)
            self._helper_files = files

    async def _recover(self) -> None:
        """Load the helpers again, and let the next `prepare` copy the picture again."""
        self._model, self._photo, self._helper_files = self._session.model, None, {}
        self._photos = {}
        await self._load_helpers(self._entry.get("helpers", {}))

    def set_task(self, name: str) -> dict[str, Any]:
        """Read the outputs in another way."""
        return self._choose(name)

    def _choose(self, name: str) -> dict[str, Any]:
        self.task = name
        hints = {**TASKS[name].hints, "task": name}
        if hints.get("fit") == "region" and not self._can_find():
            hints["fit"] = "letterbox"
        self._hints = hints
        if self.kind == "picture":
            self._options = guessed(self._info, hints)
        self._use()
        return self.state()

    def _use(self) -> None:
        """Prepare the inputs of the next runs, instead of random numbers."""
        # A picture of a camera may still arrive when the next model is loaded but not begun.
        if self._model is self._session.model:
            own = self.kind != "numbers" or self._typed or self._pictures
            self._session.prepare = self.prepare if own else None

    def _can_find(self) -> bool:
        return bool(self.helpers) and TASKS[self.task].region is not None

    def state(self) -> dict[str, Any]:
        """Return the tasks and options to choose from, the present ones, and the code."""
        fits = [name for name in FITS if name != "region" or self._can_find()]
        return {
            "kind": self.kind,
            "task": self.task,
            "tasks": [[row.name, row.title] for row in TASKS.values()],
            "input": self.input_name,
            "options": None if self._options is None else asdict(self._options),
            "fits": [[name, FITS[name]] for name in fits],
            "scalings": [[name, title] for name, (title, _) in SCALINGS.items()],
            "openSides": self._options is not None and self._is_open(),
            "code": self._code(),
            "values": self.values(),
        }

    def _is_open(self) -> bool:
        axes = (2, 3) if self._options and self._options.channels_first else (1, 2)
        return not all(isinstance(self._info.shape[axis], int) for axis in axes)

    def _code(self) -> str:
        """Return a program that prepares an input and runs the model on it."""
        model_address, picture_address = map(json.dumps, self._addresses)
        start = f"import py_tensor as pt\n\nmodel = await pt.models.load({model_address})\n\n\n"
        name = json.dumps(self.input_name)
        if self.kind == "sound":
            return (
                f"{start}rate, length = {sounds.MODEL_RATE}, {sounds.WINDOW}\n"
                "samples = pt.random.normal((16000,)) * 0.1  # a sound of one second\n"
                "samples = pt.audio.resample(samples, 16000, rate)[:length]\n"
                "window = pt.pad(samples, (0, length - samples.shape[0]))[None, :, None]\n"
                f"for name, output in model.run({{{name}: window}}).items():\n"
                "    print(name, output.shape)\n"
            )
        if self.kind != "picture" or self._options is None:
            return ""
        whole = "lambda picture, size: pt.asarray([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])"
        find = f", {whole}  # or the box of a face or hand" if self._options.fit == "region" else ""
        call = f"x, matrix = prepare(pt.from_pixels(image){find}"
        call = call.replace("  #", ")  #") if find else f"{call})"
        return (
            f"from js import createImageBitmap, fetch\n\n{start}{code(self._options)}\n\n"
            f"response = await fetch({picture_address})\n"
            f"image = await createImageBitmap(await response.blob())\n{call}\n"
            f"for name, output in model.run({{{name}: x}}).items():\n"
            "    print(name, output.shape)\n"
        )

    def set_options(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Change how pictures are prepared."""
        if self._options is not None:
            self._options = self._options.changed(changes)
        self._use()
        return self.state()

    # --- pictures and sounds ----------------------------------------------------------------------

    def picture(self, source: Any) -> None:
        """Use a picture from now on."""
        if self._source is not None and self._source is not source:
            # The memory of an ImageBitmap is freed late otherwise.
            self._source.close()
        self._source, self._photo = source, None
        self._use()

    def sound(self, data: Any, rate: int) -> None:
        """Use a sound from now on: bytes of float32 samples of one channel."""
        self._sound = (data.tobytes() if hasattr(data, "tobytes") else bytes(data), rate)

    def set_filters(self, chain: list[list[Any]]) -> None:
        """Set the filters, a list of [name, strength]."""
        self._chain = [(name, float(strength)) for name, strength in chain]

    # --- values of each input ---------------------------------------------------------------------

    def values(self) -> list[dict[str, Any]]:
        """Return each input of the model, and from where it gets its values."""
        rows = []
        for info in self._session.model.inputs:
            x = self._session.inputs[info.name]
            if info.name in self._typed:
                way = "numbers"
            elif info.name in self._pictures:
                way = "picture"
            else:
                way = "prepared" if info.name == self.input_name else "random"
            rows.append(
                {
                    "name": info.name,
                    "dtype": x.dtype.name,
                    "shape": [*x.shape],
                    "takesPicture": is_picture(info) and info.name != self.input_name,
                    "way": way,
                }
            )
        return rows

    def set_numbers(self, name: str, text: str) -> list[dict[str, Any]]:
        """Use numbers that the visitor typed for an input; raise ValueError if they do not fit."""
        x = self._session.inputs[name]
        numbers = numbers_of(text, x.shape, x.dtype.kind, x.dtype.name)
        self._forget(name)
        self._typed[name] = numbers, [*x.shape]
        self._use()
        return self.values()

    def set_picture(self, name: str, bitmap: Any) -> list[dict[str, Any]]:
        """Use a picture for an input that is not the one that `picture` is for."""
        self._forget(name)
        self._pictures[name] = bitmap
        self._use()
        return self.values()

    def set_random(self, name: str) -> list[dict[str, Any]]:
        """Use random numbers for an input again, or the picture or sound that is prepared."""
        self._forget(name)
        infos = self._session.model.inputs
        at = next(at for at, info in enumerate(infos) if info.name == name)
        shape = [*self._session.inputs[name].shape]
        self._session.inputs = {
            **self._session.inputs,
            name: example_input(infos[at], shape, at),
        }
        self._use()
        return self.values()

    def _forget(self, name: str) -> None:
        self._typed.pop(name, None)
        self._photos.pop(name, None)
        if bitmap := self._pictures.pop(name, None):
            bitmap.close()

    # --- before each run --------------------------------------------------------------------------

    def prepare(self) -> None:
        """Set the inputs of the model; those without a choice keep random numbers."""
        self._prepare_others()
        if self.input_name in self._typed:
            self.view = self.matrix = None
        elif self.kind == "sound" and self._sound is not None:
            data, rate = self._sound
            samples = pt.frombuffer(data, dtype="float32")
            self.frames = sounds.frames_of(samples.shape[0], rate)
            self._set(sounds.windows(samples, rate))
        elif self.kind == "picture" and self._source is not None and self._options is not None:
            if self._photo is None:
                self._photo = pt.from_pixels(self._source, channels=4)
            self.view = filtered(self._photo, self._chain)
            pt.realize(self.view)
            x, self.matrix = compiled(code(self._options))(self.view, self._region())
            self._set(x)

    def _prepare_others(self) -> None:
        """Set the inputs for which the visitor typed numbers or chose a picture of their own."""
        inputs = dict(self._session.inputs)
        for name, (numbers, shape) in self._typed.items():
            inputs[name] = pt.asarray(numbers, dtype=inputs[name].dtype).reshape(shape)
        infos = {info.name: info for info in self._session.model.inputs}
        for name, bitmap in self._pictures.items():
            if name not in self._photos:
                self._photos[name] = pt.from_pixels(bitmap, channels=4)
            options = guessed(infos[name], self._hints)
            if options.fit == "region":
                options = options.changed({"fit": "letterbox"})
            inputs[name], _ = compiled(code(options))(filtered(self._photos[name], []), None)
        self._session.inputs = inputs

    def sized(self, side: int) -> tuple[pt.Tensor, pt.Tensor] | None:
        """Return the input of this height and width, and its matrix; None without a picture."""
        if self.view is None:
            self.prepare()
        if self.view is None or self._options is None:
            return None
        options = self._options.changed({"height": side, "width": side})
        return compiled(code(options))(self.view, self._region())

    def _set(self, x: pt.Tensor) -> None:
        pt.realize(x)
        self._session.inputs = {**self._session.inputs, self._info.name: x}

    def _region(self) -> Callable[[pt.Tensor, Any], pt.Tensor] | None:
        """Return the function that finds the region of the task in a picture."""
        find = TASKS[self.task].region
        if find is None or not self.helpers:
            return None
        detector = next(iter(self.helpers.values()))
        return lambda picture, size: find(detector, picture, size)
