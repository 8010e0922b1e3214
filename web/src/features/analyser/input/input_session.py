"""The input of the model: pictures with filters, a sound or a text, and how it is prepared."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import sounds
from input_programs import picture_program, sound_program
from input_shapes import example_inputs
from picture_input import PictureInput
from preparation import FITS, SCALINGS, code, compiled, is_picture
from pyodide.http import pyfetch
from tasks import TASKS, recognized
from text_input import TextInput, labels_of
from typed_numbers import numbers_of

import py_tensor as pt


class InputSession:
    """Holds pictures, a sound or a text, and sets the inputs of the model before each run."""

    def __init__(self, session: Any) -> None:
        self._session = session
        session.on_loss.append(self._recover)
        self._picture = PictureInput()
        self._others: dict[str, PictureInput] = {}
        self._edited = ""
        self._sound: tuple[bytes, int] | None = None
        self._model: Any = None
        self._info: Any = None
        self._problem = ""
        self._entry: dict[str, Any] = {}
        self._addresses = "", ""
        self._helper_files: dict[str, str] = {}
        self._typed: dict[str, tuple[list[float], list[int]]] = {}
        self.helpers: dict[str, Any] = {}
        self.labels: list[str] | None = None
        self.kind = "numbers"
        """ "picture", "sound", "text", or "numbers" for a model that takes none of these."""
        self.task = "raw"
        self.text: TextInput | None = None
        """Text for a model that takes tokens."""
        self.frames = 0

    @property
    def view(self) -> pt.Tensor | None:
        """The picture of the first input of pictures, after the filters."""
        return self._picture.view

    @property
    def matrix(self) -> pt.Tensor | None:
        """From points of that input to points of the picture."""
        return self._picture.matrix

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
        elif not isinstance(self._session.source, str):
            self.labels = await labels_of(self._session.source)
        self._model = model = self._session.model
        self._typed = {}
        for picture in self._others.values():
            picture.close()
        self.task = self._entry.get("task") or recognized(model)
        first, *others = [info for info in model.inputs if is_picture(info)] or [None]
        self._info = first
        self._others = {info.name: PictureInput() for info in others}
        self._picture.forget_model()
        if self.task == "notes":
            self.kind, self._info = "sound", model.inputs[0]
        else:
            self.kind = "numbers" if first is None else "picture"
        await self._begin_text(model)
        self._edited = self.input_name
        return self._choose(self.task)

    async def _begin_text(self, model: Any) -> None:
        """Look for tokens among the inputs, and for a tokenizer among the files of the model."""
        if self.text is None or self.text.model is not model:
            self.text, self._problem = TextInput(model), ""
            if self.text.roles:
                self._problem = await self.text.find(self._session.source)
        if self.kind == "numbers" and self.text.roles:
            self.kind, self.task = "text", "tokens"

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
        self._model, self._helper_files = self._session.model, {}
        for picture in (self._picture, *self._others.values()):
            picture.forget_photo()
        if self.text is not None:
            self.text.model = self._model
        await self._load_helpers(self._entry.get("helpers", {}))

    def set_task(self, name: str) -> dict[str, Any]:
        """Read the outputs in another way."""
        return self._choose(name)

    def _choose(self, name: str) -> dict[str, Any]:
        self.task = name
        hints = {**TASKS[name].hints, "task": name}
        if hints.get("fit") == "region" and not self._can_find():
            hints["fit"] = "letterbox"
        if self.kind == "picture":
            self._picture.begin(self._info, hints)
        # The helpers look for a region in the first picture alone.
        others = {**hints, "fit": "letterbox"} if hints.get("fit") == "region" else hints
        infos = {info.name: info for info in self._session.model.inputs}
        for other, picture in self._others.items():
            picture.begin(infos[other], others)
        self._use()
        return self.state()

    def _use(self) -> None:
        """Prepare the inputs of the next runs, instead of random numbers."""
        # A picture of a camera may still arrive when the next model is loaded but not begun.
        if self._model is self._session.model:
            own = self.kind != "numbers" or self._typed
            self._session.prepare = self.prepare if own else None

    def _can_find(self) -> bool:
        return bool(self.helpers) and TASKS[self.task].region is not None

    def state(self) -> dict[str, Any]:
        """Return the tasks and options to choose from, the present ones, and the code."""
        edited = self._edited_picture()
        is_first = edited is self._picture
        fits = [name for name in FITS if name != "region" or (is_first and self._can_find())]
        options = edited.options
        return {
            "kind": self.kind,
            "task": self.task,
            "tasks": [[row.name, row.title] for row in TASKS.values()],
            "input": self._edited,
            "pictures": [self.input_name, *self._others] if self.kind == "picture" else [],
            "filters": edited.chain,
            "options": None if options is None else asdict(options),
            "fits": [[name, FITS[name]] for name in fits],
            "scalings": [[name, title] for name, (title, _) in SCALINGS.items()],
            "openSides": options is not None and self._is_open(edited),
            "code": self._code(),
            "text": None if self.kind != "text" else self.text.state(self._problem),
            "values": self.values(),
        }

    def _edited_picture(self) -> PictureInput:
        return self._others.get(self._edited, self._picture)

    def _is_open(self, picture: PictureInput) -> bool:
        axes = (2, 3) if picture.options and picture.options.channels_first else (1, 2)
        return not all(isinstance(picture.info.shape[axis], int) for axis in axes)

    def _code(self) -> str:
        """Return a program that prepares an input and runs the model on it."""
        model_address, picture_address = map(json.dumps, self._addresses)
        if self.kind == "sound":
            return sound_program(model_address, self.input_name)
        if self.kind == "text":
            return self.text.code(model_address)
        options = self._edited_picture().options
        if self.kind != "picture" or options is None:
            return ""
        return picture_program(model_address, picture_address, self._edited, options)

    def edit(self, name: str) -> dict[str, Any]:
        """Let options and filters be those of another input of pictures."""
        self._edited = name
        return self.state()

    def set_options(self, changes: dict[str, Any]) -> dict[str, Any]:
        """Change how pictures are prepared."""
        picture = self._edited_picture()
        if picture.options is not None:
            picture.options = picture.options.changed(changes)
        self._use()
        return self.state()

    # --- pictures, sounds and texts ---------------------------------------------------------------

    def picture(self, source: Any, name: str = "") -> list[dict[str, Any]]:
        """Use a picture from now on, for the input of this name or the first one."""
        self._typed.pop(name or self.input_name, None)
        self._others.get(name, self._picture).take(source)
        self._use()
        return self.values()

    def sound(self, data: Any, rate: int) -> None:
        """Use a sound from now on: bytes of float32 samples of one channel."""
        self._sound = (data.tobytes() if hasattr(data, "tobytes") else bytes(data), rate)

    def set_filters(self, chain: list[list[Any]]) -> None:
        """Set the filters, a list of [name, strength]."""
        self._edited_picture().chain = [(name, float(strength)) for name, strength in chain]

    async def set_tokenizer(self, files: dict[str, Any]) -> dict[str, Any]:
        """Use a tokenizer that the visitor chose, or say what is wrong with the files."""
        self._problem = await self.text.take(files)
        self._use_text()
        return self.state()

    def set_text(self, text: str, pair: str) -> dict[str, Any]:
        """Use a text from now on."""
        self.text.encode(text, pair)
        self._problem = ""
        for name in self.text.roles:
            self._typed.pop(name, None)
        self._use_text()
        return self.state()

    def _use_text(self) -> None:
        if self.text.is_ready:
            self._session.inputs = {**self._session.inputs, **self.text.inputs()}

    # --- values of each input ---------------------------------------------------------------------

    def values(self) -> list[dict[str, Any]]:
        """Return each input of the model, and from where it gets its values."""
        rows = []
        for info in self._session.model.inputs:
            x = self._session.inputs[info.name]
            other = self._others.get(info.name)
            if info.name in self._typed:
                way = "numbers"
            elif self.text is not None and info.name in self.text.roles:
                way = self._way_of_tokens(info.name)
            else:
                is_chosen = info.name == self.input_name or (other and other.has_picture)
                way = "prepared" if is_chosen else "random"
            rows.append(
                {
                    "name": info.name,
                    "dtype": x.dtype.name,
                    "shape": [*x.shape],
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

    def _way_of_tokens(self, name: str) -> str:
        if self.kind == "text" and self.text.is_ready:
            return "text"
        return "random" if self.text.roles[name] == "ids" else "filled"

    def set_random(self, name: str) -> list[dict[str, Any]]:
        """Use random numbers for an input again, or what is prepared for it."""
        self._forget(name)
        inputs = self._session.inputs
        shapes = {other: [*x.shape] for other, x in inputs.items()}
        examples = example_inputs(self._session.model, shapes)
        self._session.inputs = {**inputs, name: examples[name]}
        self._use()
        return self.values()

    def _forget(self, name: str) -> None:
        self._typed.pop(name, None)
        if name in self._others:
            self._others[name].close()

    # --- before each run --------------------------------------------------------------------------

    def prepare(self) -> None:
        """Set the inputs of the model; those without a choice keep random numbers."""
        if self.kind == "text":
            self._use_text()
        if self.kind == "sound" and self._sound is not None:
            data, rate = self._sound
            samples = pt.frombuffer(data, dtype="float32")
            self.frames = sounds.frames_of(samples.shape[0], rate)
            self._set(self.input_name, sounds.windows(samples, rate))
        elif self.kind == "picture":
            self._set(self.input_name, self._picture.prepared(self._region()))
            for name, picture in self._others.items():
                self._set(name, picture.prepared(None))
        for name, (numbers, shape) in self._typed.items():
            dtype = self._session.inputs[name].dtype
            self._set(name, pt.asarray(numbers, dtype=dtype).reshape(shape))
        if self.input_name in self._typed:
            self._picture.view = self._picture.matrix = None

    def sized(self, side: int) -> tuple[pt.Tensor, pt.Tensor] | None:
        """Return the input of this height and width, and its matrix; None without a picture."""
        if self.view is None:
            self.prepare()
        if self.view is None or self._picture.options is None:
            return None
        options = self._picture.options.changed({"height": side, "width": side})
        return compiled(code(options))(self.view, self._region())

    def _set(self, name: str, x: pt.Tensor | None) -> None:
        if x is not None:
            pt.realize(x)
            self._session.inputs = {**self._session.inputs, name: x}

    def _region(self) -> Callable[[pt.Tensor, Any], pt.Tensor] | None:
        """Return the function that finds the region of the task in a picture."""
        find = TASKS[self.task].region
        if find is None or not self.helpers:
            return None
        detector = next(iter(self.helpers.values()))
        return lambda picture, size: find(detector, picture, size)
