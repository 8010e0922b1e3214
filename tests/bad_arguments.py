"""Call public functions with bad arguments, and find errors that are not the project's own.

Input: a public function or class with a valid call. The call is recorded while the examples of the
docstring run, or given by `bad_argument_calls.VALID`. Output: one `Finding` per wrong error.
"""

from __future__ import annotations

import asyncio
import contextlib
import doctest
import inspect
import io
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from work_limit import HANG_SECONDS

import py_tensor as pt

SPACES = (
    *("", "linalg", "fft", "random", "nn", "nn.initializers", "lax", "optim", "io", "data"),
    *("train", "vision", "audio"),
)
"""Modules whose public names are tested; "" is the package itself."""
SECONDS = HANG_SECONDS
"""Time after which a call counts as endless."""


FEW = ("text", "wrong shape", "huge", "negative", "nan", "array", "object", "function")
"""Bad values for optional parameters that the valid call leaves out."""


class UserError(Exception):
    """Raised by the function that is passed as a bad argument; functions may pass it on."""


def user_function(*args: Any, **kwargs: Any) -> Any:
    """Raise UserError."""
    raise UserError


def bad_values() -> dict[str, Any]:
    """Return new bad values by their name."""
    return {
        "None": None,
        "text": "text",
        "wrong shape": pt.ones((2, 3, 1, 5)),
        "complex": pt.asarray([1j, 2.0]),
        "bool": pt.asarray(True),
        "huge": 2**2000,
        "negative": -1,
        "fraction": 1.5,
        "nan": float("nan"),
        "np.float64": np.float64(0.5),
        "np.int64": np.int64(1),
        "np.bool": np.bool_(True),
        "np.complex128": np.complex128(1j),
        "np.str": np.str_("text"),
        "array": np.ones((2, 2)),
        "object": object(),
        "list": [1, "a"],
        "dict": {"a": 1},
        "function": user_function,
    }


class Call(NamedTuple):
    """Arguments of a valid call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def replaced(self, place: int | str, value: Any) -> Call:
        """Return the call with another argument at a position or keyword."""
        args, kwargs = list(self.args), dict(self.kwargs)
        if isinstance(place, int):
            args[place] = value
        else:
            kwargs[place] = value
        return Call(tuple(args), kwargs)

    def places(self) -> list[int | str]:
        """Return the positions and keywords of the arguments."""
        return [*range(len(self.args)), *self.kwargs]


class Finding(NamedTuple):
    """A wrong error: the replaced argument, the bad value's name, the error's kind and text."""

    place: int | str
    value: str
    kind: str
    text: str


def space_of(name: str) -> Any:
    """Return the module of that name in the package."""
    space: Any = pt
    for part in filter(None, name.split(".")):
        space = getattr(space, part)
    return space


def public_callables() -> dict[str, Any]:
    """Return public functions and classes by dotted name; each object once."""
    found: dict[str, Any] = {}
    for space in SPACES:
        module = space_of(space)
        for name in module.__all__:
            value = getattr(module, name)
            is_class = inspect.isclass(value) and value is not pt.Tensor
            if (inspect.isroutine(value) or is_class) and value not in found.values():
                found[f"{space}.{name}".lstrip(".")] = value
    for name in dir(pt.Tensor):
        value = getattr(pt.Tensor, name)
        if not name.startswith("_") and inspect.isfunction(value) and value not in found.values():
            found[f"Tensor.{name}"] = value
    generator = pt.random.Generator
    for name, value in inspect.getmembers(generator, inspect.isfunction):
        if not name.startswith("_") and value not in found.values():
            found[f"random.Generator.{name}"] = value
    return found


def recorded(name: str, function: Any) -> list[Call]:
    """Run a docstring's examples and return their calls of the function."""
    calls: list[Call] = []

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        calls.append(Call(args, kwargs))
        return function(*args, **kwargs)

    space, _, attribute = name.rpartition(".")
    owner = space_of(space)
    test = doctest.DocTestParser().get_doctest(function.__doc__ or "", {}, name, None, 0)
    setattr(owner, attribute, wrapped)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None)
    finally:
        setattr(owner, attribute, function)
    return calls


def consume(result: Any) -> None:
    """Compute a result: tensors in trees, coroutines, contexts and the first items of iterators."""
    if inspect.iscoroutine(result):
        result = asyncio.run(result)
    if hasattr(result, "__enter__"):
        with result:
            pass
    if isinstance(result, Iterator):
        result = next(result, None)
    for leaf in pt.tree_leaves(result):
        if isinstance(leaf, pt.Tensor):
            pt.realize(leaf)


def wrong(function: Callable[..., Any], names: set[str], call: Call) -> tuple[str, str] | None:
    """Call a function; return (kind, text) of an error that is not the project's own, or None.

    Errors that a function of the user raises are right, and OSError for files that do not exist.
    """
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
            _limited(SECONDS),
        ):
            warnings.simplefilter("ignore")
            consume(function(*call.args, **call.kwargs))
    except UserError:
        return None
    except OSError:
        return None
    except pt.errors.TensorError as error:
        text = str(error)
        if text.partition(": ")[0] in names or _of_user(error):
            return None
        return "name", f"{text} [{_where(error)}]"
    except _Endless:
        return "time", f"longer than {SECONDS} s"
    except Exception as error:
        return None if _of_user(error) else (type(error).__name__, f"{error} [{_where(error)}]")
    return None


class _Endless(BaseException):
    """The time limit of a call is over."""


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise _Endless

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _frames(error: BaseException) -> list[tuple[str, int]]:
    """Return (file, line) of each frame of a traceback, the call's first."""
    found, traceback = [], error.__traceback__
    while traceback is not None:
        found.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def _of_user(error: BaseException) -> bool:
    """Return True if a function that an example or the table of calls defines was running.

    Also if Python could not call it with so many arguments; its message begins with its name.
    """
    return str(error).startswith("<lambda>()") or any(
        file.startswith("<doctest") or file.endswith("bad_argument_calls.py")
        for file, _ in _frames(error)
    )


def _where(error: BaseException) -> str:
    inside = [(file, line) for file, line in _frames(error) if "/py_tensor/" in file]
    if not inside:
        return "at the call"
    file, line = inside[-1]
    return f"{file.rpartition('/py_tensor/')[2]}:{line}"


def unused(function: Any, call: Call) -> list[str]:
    """Return the optional parameters that a call leaves out."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return []
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    given = {p.name for p in positional[: len(call.args)]} | call.kwargs.keys()
    by_keyword = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return [p.name for p in by_keyword if p.default is not p.empty and p.name not in given]


def findings(
    name: str, function: Any, calls: list[Call], also: Iterable[str] = ()
) -> tuple[list[Finding], int]:
    """Replace each argument by each bad value; return the wrong errors and the number of calls."""
    public = name.rpartition(".")[2]
    names = {public, getattr(function, "__name__", public), name, *also}
    is_method = name.startswith(("Tensor.", "random.Generator."))
    found: list[Finding] = []
    done: set[int | str] = set()
    count = 0
    for call in calls:
        for place in (*call.places(), *unused(function, call)):
            if place in done or (place == 0 and is_method):
                continue
            done.add(place)
            few = place in unused(function, call)
            for value in FEW if few else bad_values():
                count += 1
                error = wrong(function, names, call.replaced(place, bad_values()[value]))
                if error is not None:
                    found.append(Finding(place, value, *error))
    return found, count
