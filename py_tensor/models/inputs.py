"""Check the inputs of a model against their declarations.

Input: values or specs of the user's by name or position. Output: tensors, texts and specs by name.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from ..dtypes import float32
from ..errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from ..functions.conversion import asarray
from ..transforms.jit.precompile import ShapeDtype
from .graph import TEXT, ModelConstant, ModelGraph, ValueInfo


class ModelInputs:
    """Declared inputs of a model."""

    def __init__(self, graph: ModelGraph) -> None:
        self._graph = graph

    def checked(
        self, inputs: Mapping[str, Any], names: Sequence[str], values: Container[str]
    ) -> dict[str, Any]:
        """Convert inputs and check them, and the names of outputs, which must be among `values`."""
        known = {info.name: info for info in self._graph.inputs}
        aliases = self._graph.aliases
        inputs = {
            name if name in known else aliases.get(name, name): x for name, x in inputs.items()
        }
        for what, unknown in (
            ("inputs are unknown", [name for name in inputs if name not in known]),
            ("inputs are missing", [name for name in known if name not in inputs]),
            ("outputs are unknown", [name for name in names if name not in values]),
        ):
            if unknown:
                raise ArgumentError(
                    f"model: {what}; got {', '.join(map(repr, unknown))}; the inputs are "
                    f"{self.names or 'none'}, the outputs "
                    f"{', '.join(repr(info.name) for info in self._graph.outputs)}"
                )
        converts = self._graph.converts_inputs
        return {name: _input(info, inputs[name], converts) for name, info in known.items()}

    def specs(self, operation: str, specs: tuple[Any, ...]) -> dict[str, Any]:
        """Return the specs by name; texts are constants of the same shape."""
        infos = self._graph.inputs
        if not specs:
            if any(
                info.shape is None or not all(isinstance(n, int) for n in info.shape)
                for info in infos
            ):
                raise ArgumentError(
                    f"{operation}: file does not declare all lengths; got inputs "
                    f"{self.names}; pass a pt.ShapeDtype for each"
                )
            specs = tuple(
                _blank(info.shape)
                if info.dtype is TEXT
                else ShapeDtype(info.shape, info.dtype or float32)
                for info in infos
            )
        if len(specs) != len(infos):
            raise ArgumentError(
                f"{operation}: number of specs is wrong; got {len(specs)} for {len(infos)} "
                f"inputs; pass one for each of {self.names}"
            )
        return {
            info.name: _texts(info, spec) if info.dtype is TEXT else spec
            for info, spec in zip(infos, specs, strict=True)
        }

    @property
    def names(self) -> str:
        """Names of all inputs, for errors."""
        return ", ".join(repr(info.name) for info in self._graph.inputs)


def _input(info: ValueInfo, value: Any, converts: bool) -> Any:
    """Convert an input, and check it against its declaration."""
    if info.is_optional and value is None:
        return None
    if info.is_list:
        if not isinstance(value, (list, tuple)):
            raise ArgumentTypeError(
                f'model: input "{info.name}" is not a list; got {type(value).__name__}; pass a '
                "list of tensors"
            )
        element = info._replace(is_list=False, is_optional=False)
        return [_input(element, item, converts) for item in value]
    if info.dtype is TEXT:
        value = _texts(info, value)
    else:
        plain = isinstance(value, (bool, int, float, list, tuple))
        value = asarray(value, dtype=info.dtype if plain else None)
    if converts and info.dtype is not None and value.dtype is not info.dtype:
        value = value.astype(info.dtype)
    if info.dtype is not None and value.dtype is not info.dtype:
        raise DTypeError(
            f'model: input "{info.name}" has another dtype; got {value.dtype}; use '
            f'.astype("{info.dtype}")'
        )
    shape = info.shape
    if shape is not None and (
        len(shape) != len(value.shape)
        or any(
            isinstance(n, int) and n != length for n, length in zip(shape, value.shape, strict=True)
        )
    ):
        wanted = ", ".join("?" if length is None else str(length) for length in shape)
        raise ShapeError(
            f'model: input "{info.name}" has another shape; got {value.shape}; the model takes '
            f"({wanted})"
        )
    return value


def _blank(shape: Any) -> Any:
    """Return nested lists of empty texts."""
    return [_blank(shape[1:]) for _ in range(shape[0])] if shape else ""


def _texts(info: ValueInfo, value: Any) -> ModelConstant:
    """Convert a text or nested lists of texts."""
    texts: list[bytes] = []

    def shape_of(item: Any) -> tuple[int, ...]:
        if isinstance(item, (str, bytes)):
            texts.append(item if isinstance(item, bytes) else item.encode())
            return ()
        if not isinstance(item, (list, tuple)):
            raise ArgumentTypeError(
                f'model: input "{info.name}" takes texts; got {type(item).__name__}; pass a str '
                "or nested lists of str"
            )
        shapes = {shape_of(part) for part in item}
        if len(shapes) > 1:
            raise ShapeError(
                f'model: lists of texts have different lengths; got input "{info.name}" with '
                f"elements of the shapes {sorted(shapes)!r:.80}; use lists of one length"
            )
        return (len(item), *shapes.pop()) if shapes else (0,)

    shape = shape_of(value.tolist() if hasattr(value, "tolist") else value)
    return ModelConstant(info.name, TEXT, shape, texts)
