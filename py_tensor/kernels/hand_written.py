"""Define `pt.glsl_kernel`: functions of tensors whose elements a hand-written shader computes.

Input: GLSL with a function `element`. Output: a function of tensors, which runs on WebGL. Each call
is a draw of its own, so that names of two sources never meet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..compiler.codegen.expressions import EXPRESSIONS
from ..compiler.codegen.fetches import ReadMode
from ..compiler.codegen.indices import Index
from ..compiler.codegen.types import KIND, either
from ..compiler.codegen.writer import Expression
from ..compiler.kernel import FusionLimits
from ..compiler.lowered_graph import LoweredGraph
from ..compiler.textures.target import TEXTURE_LOWERINGS
from ..compiler.textures.texture_writer import TextureWriter
from ..dtypes import OF_PYTHON, DType, as_dtype, bool_, described, int32, of_scalar, uint32
from ..errors import ArgumentError, BackendError, DTypeError, KernelError, ShapeError
from ..functions.arguments import a_shape, function_of
from ..ir.node import OpInstance, OpNode, Scalar, node_of, scalar_node
from ..ir.tracer import fitting, kind_of
from ..language.glsl import GLSL, NEW_LINE
from ..language.tree import INT, UINT, Value
from ..ops.op_def import InferredResult, OpDef, Shape
from ..ops.rule_types import Spec
from ..runtime.executor import backend
from ..tensor import Tensor, as_tensor, node_behind
from ..typing import ArrayLike, DTypeLike, ShapeLike
from .builder import KERNEL_DTYPES
from .calls import KernelArgument, TensorFunction, argument, dtype_inside
from .kinds import no_gradient
from .program_writer import coordinates

ENTRY = "element"
TYPES = {"f": "float", "i": "int", "u": "uint", "b": "bool"}
_ORDER = "biuf"
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
_TAKEN = re.compile(
    rf"(?:pt_|PT_|gl_|webgl_).*|.*__.*|[xy]\d+|[FIUP]|main|{ENTRY}|shape|\w+_shape|"
    r"[biu]?vec[234]|mat[234](?:x[234])?|[iu]?sampler\w*|void|bool|int|uint|float|if|else|for|"
    r"while|do|switch|case|default|break|continue|return|discard|in|out|inout|const|uniform|"
    r"struct|layout|precision|highp|mediump|lowp|true|false|texture\w*|texel\w*"
)
"""Names that arguments cannot have: words of GLSL, and what the shader declares."""
_REFUSED = (
    (r"^[ \t]*#.*", "lines of the preprocessor are not supported", "use const and functions"),
    (r"\bvoid\s+main\b", "main is written for you", f"define a function {ENTRY}(...)"),
    (r"\bdiscard\b", "discard leaves an element without a value", "return a value"),
    (
        r"\b(?:uniform|layout|precision|attribute|varying)\b",
        "declarations of the shader are not supported",
        "name tensors in inputs= and numbers in uniforms=",
    ),
    (r"\b(?:pt_|PT_|gl_)\w*|\b[xy]\d+\b|\b[FIU]\b", "the name is taken", "use another name"),
)
"""Texts that a source cannot contain, what is wrong, and what to write instead."""


class _Parameter(NamedTuple):
    """Name and dtype of a tensor or number that a source uses."""

    name: str
    dtype: DType


class HandWritten(OpDef):
    """Operation that calls the user's function once for each element of a result.

    The static argument is the result's shape. The operands are the lengths of the result, then
    each tensor followed by its lengths, then the numbers.
    """

    source: str
    inputs: tuple[_Parameter, ...]
    uniforms: tuple[_Parameter, ...]
    gives: DType

    def infer(self, specs: Sequence[Spec], arg: Any) -> InferredResult:
        return InferredResult(arg, self.gives, tuple(spec.dtype for spec in specs))


class HandWrittenKernel(TensorFunction):
    """A hand-written shader as a function of tensors and numbers."""

    def __init__(
        self,
        op: HandWritten,
        shape: Shape | Callable[..., ShapeLike],
        reference: Callable[..., ArrayLike] | None,
    ) -> None:
        super().__init__(op.name)
        self._op = op
        self._shape = shape
        self._reference = reference
        self._tensors = len(op.inputs)
        self._parameters = (*op.inputs, *op.uniforms)

    def __repr__(self) -> str:
        return f"glsl_kernel({self._name})"

    def _bound(
        self, args: tuple[ArrayLike, ...], kwargs: dict[str, ArrayLike]
    ) -> list[KernelArgument]:
        names = [name for name, _ in self._parameters]
        by_name = dict(zip(names, args, strict=False)) | kwargs
        twice = {*names[: len(args)]} & kwargs.keys()
        if len(args) > len(names) or twice or by_name.keys() != {*names}:
            raise ArgumentError(
                f"{self._name}: arguments do not fit; got {len(args)} arguments and names "
                f"{[*kwargs]}; give {', '.join(names) or 'none'}"
            )
        values: list[KernelArgument] = []
        for number, (name, dtype) in enumerate(self._parameters):
            value = argument(self._name, name, by_name[name])
            if number < self._tensors:
                value = as_tensor(self._name, value)
            elif isinstance(value, Tensor):
                raise ArgumentError(
                    f"{self._name}: {name} is a uniform; got {described(value)}; pass a Python "
                    "number, or name it in inputs="
                )
            self._check(name, value, dtype)
            values.append(value)
        return values

    def _check(self, name: str, value: KernelArgument, dtype: DType) -> None:
        """Raise DTypeError unless an argument can be converted to the declared dtype."""
        number = not isinstance(value, Tensor)
        if number and type(value) is int and dtype.kind in "iu":
            of_scalar(self._name, value, dtype)
            return
        passed = OF_PYTHON[kind_of(value)] if number else dtype_inside(self._name, value)
        narrower = _ORDER.index(dtype.kind) < _ORDER.index(passed.kind)
        if narrower or (not number and {passed, dtype} == {int32, uint32}):
            raise DTypeError(
                f"{self._name}: {name} must be {dtype}; got {passed}; convert it with .astype, or "
                "declare another dtype"
            )

    def _apply(self, values: Sequence[KernelArgument]) -> Tensor:
        shape = a_shape(self._name, self._shape(*values) if callable(self._shape) else self._shape)
        if not backend().runs_glsl:
            return self._referred(values, shape)
        tensors = [value for value in values if isinstance(value, Tensor)]
        operands: list[OpNode] = [scalar_node(n, int32) for n in shape]
        for tensor in tensors:
            if not tensor.size:
                raise ShapeError(
                    f"{self._name}: a tensor has no elements to read; got shape {tensor.shape}; "
                    "give at least one"
                )
            operands.append(node_behind(self._name, tensor))
            operands += [scalar_node(n, int32) for n in tensor.shape]
        for value, (_, dtype) in zip(values[self._tensors :], self._op.uniforms, strict=True):
            operands.append(scalar_node(fitting(self._name, value, dtype), dtype))
        return Tensor(node_of(self._op, tuple(operands), shape))

    def _referred(self, values: Sequence[KernelArgument], shape: Shape) -> Tensor:
        """Return the result of the reference, on backends without shaders."""
        if self._reference is None:
            raise _not_here(self._name, backend().name)
        result = as_tensor(self._name, self._reference(*values))
        if result.shape != shape or result.dtype is not self._op.gives:
            raise ShapeError(
                f"{self._name}: reference must return {self._op.gives} of shape {shape}; got "
                f"{result.dtype} of shape {result.shape}; convert its result"
            )
        return result


def _not_here(name: str, used: str) -> BackendError:
    return BackendError(
        f"{name}: hand-written shaders run on WebGL only; got backend {used}; use "
        'pt.set_backend("webgl"), or give a Python function as reference='
    )


# --- the source -----------------------------------------------------------------------------------


def _checked(name: str, source: str) -> None:
    """Raise KernelError if a source cannot be part of a shader, at its line."""
    plain = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), source)
    for pattern, problem, advice in _REFUSED:
        match = re.search(pattern, plain, re.MULTILINE)
        if match is not None:
            got = match[0].strip()
            start = match.start() + match[0].index(got)
            raise _error(name, source, start, got, problem, advice)
    opened: list[tuple[str, int]] = []
    for start, character in enumerate(plain):
        if character in "([{":
            opened.append((character, start))
        elif character in ")]}" and (not opened or opened.pop()[0] != _PAIRS[character]):
            problem = "it closes nothing"
            raise _error(name, source, start, character, problem, "balance the brackets")
    if opened:
        character, start = opened[-1]
        raise _error(name, source, start, character, "it is not closed", "balance the brackets")
    if not re.search(rf"\b{ENTRY}\s*\(", plain):
        raise KernelError(
            f"{name}: source has no function {ENTRY}; got {described(source)}; define it with one "
            "int for each axis of the result"
        )


def _error(name: str, source: str, start: int, got: str, problem: str, advice: str) -> KernelError:
    """Return an error that points at a position in the source."""
    begin = source.rfind("\n", 0, start) + 1
    line = source[begin:].partition("\n")[0]
    return KernelError(
        f"{name}: {problem}; got {got}; {advice}\n"
        f"  line {source.count(NEW_LINE, 0, start) + 1}\n"
        f"    {line}\n    {' ' * (start - begin)}{'^' * len(got)}"
    )


# --- shaders --------------------------------------------------------------------------------------


def _converted(text: str, source: str, target: str) -> str:
    """Convert a scalar of a texture or uniform to a declared type, given both kinds."""
    stored = GLSL.types[KIND[source], 1]
    if target == "b":
        return f"{text} != {stored}(0)"
    return text if stored == TYPES[target] else f"{TYPES[target]}({text})"


def _write(writer: TextureWriter, at: int, index: Index) -> Value:
    """Write a call of the user's function for each lane, after functions that read operands."""
    nodes, code = writer.nodes, writer.code
    call = nodes.calls[at]
    op: HandWritten = call.op
    operands = iter(zip(nodes.edges[at], call.specs, strict=True))
    settings: list[str] = []

    def number() -> tuple[str, str]:
        """Return the text of the next operand, a uniform, and its kind."""
        src, spec = next(operands)
        return f"{writer.value(src, writer.only)}.x", spec.dtype.kind

    def lengths(name: str, rank: int) -> list[str]:
        """Declare an array of lengths and return the texts of its elements."""
        if rank:
            writer.definitions.append(f"int {name}[{rank}];")
        elements = [f"{name}[{axis}]" for axis in range(rank)]
        settings.extend(f"{element} = {number()[0]};" for element in elements)
        return elements

    lengths("shape", len(call.spec.shape))
    for name, dtype in op.inputs:
        src, spec = next(operands)
        position, parameters = "0", []
        for axis, length in enumerate(lengths(f"{name}_shape", len(spec.shape))):
            parameters.append(f"int i{axis}")
            inside = f"clamp(i{axis}, 0, {length} - 1)"
            position = f"({position}) * {length} + {inside}" if axis else inside
        slot = writer.kernel.inputs.index(src)
        element = writer.fetches.element(slot, code.value(position, INT, 1)).text
        body = _converted(element, spec.dtype.kind, dtype.kind)
        writer.definitions.append(
            f"{TYPES[dtype.kind]} {name}({', '.join(parameters)}) {{ return {body}; }}"
        )
        writer.fetches.modes.setdefault(src, set()).add(ReadMode.LANES)
    for name, dtype in op.uniforms:
        settings.append(f"{name} = {_converted(*number(), dtype.kind)};")
        writer.definitions.append(f"{TYPES[dtype.kind]} {name};")
    # Names of the user are set here, where no local variable hides them.
    writer.definitions.append(f"void pt_set() {{ {' '.join(settings)} }}")
    writer.own = op.source
    code.line("pt_set();")
    extents = [
        code.let(writer.value(src, writer.only)) for src in nodes.edges[at][: len(call.spec.shape)]
    ]
    indices = coordinates(writer, index, extents)
    kind = KIND[op.gives.kind]
    calls = [code.call(ENTRY, kind, *[i.lane(lane) for i in indices]) for lane in "xyzw"]
    if op.gives is bool_:
        calls = [code.call(GLSL.types[UINT, 1], kind, value) for value in calls]
    value: Value = code.let(code.vector(kind, *calls))
    if writer.kernel.inputs:
        # NVIDIA's compiler crashes if it removes the last read of a texture; it cannot remove this.
        unused = code.vector(kind, writer.fetches.own(0))
        value = code.let(either(code, writer.column < 0, unused, value))
    return value


def _lower(lowered: LoweredGraph, call: OpInstance, srcs: tuple[int, ...]) -> int:
    """Materialize the tensors and the result, so that the shader contains nothing else."""
    op = call.op
    assert isinstance(op, HandWritten)
    stored, operand = [*srcs], len(call.spec.shape)
    for _ in op.inputs:
        src = lowered.in_order(srcs[operand])
        if type(lowered.calls[lowered.view(src)[0]]) is Scalar:
            src = lowered.copied(src)
        stored[operand] = src
        lowered.materialized.add(src)
        operand += 1 + len(call.specs[operand].shape)
    at = lowered.append(call, tuple(stored))
    lowered.materialized.add(at)
    return at


def _moved(name: str) -> Callable[..., Tensor]:
    """Return the reference of a call that was made on WebGL: an error."""

    def reference(*_: object) -> Tensor:
        raise BackendError(
            f"{name}: hand-written shaders run on WebGL only; got backend {backend().name}; call "
            'pt.realize before you change the backend, or use pt.set_backend("webgl")'
        )

    return reference


EXPRESSIONS[HandWritten] = Expression(_write)
TEXTURE_LOWERINGS[HandWritten] = _lower


# --- the public function --------------------------------------------------------------------------


def _declared(name: str, kind: str, declared: object, taken: set[str]) -> tuple[_Parameter, ...]:
    """Return the names and dtypes of parameters; raise an error for those that GLSL cannot have."""
    if not isinstance(declared, Mapping):
        raise ArgumentError(
            f"{name}: {kind} must be a dict of names and dtypes; got {described(declared)}; write "
            f'{kind}={{"u": "float32"}}'
        )
    parameters = []
    for key, value in declared.items():
        if not (isinstance(key, str) and _WORD.fullmatch(key)) or _TAKEN.fullmatch(key):
            raise ArgumentError(
                f"{name}: {kind} has a name that a shader cannot use; got {key!r}; use letters and "
                "digits, and no word of GLSL"
            )
        if key in taken:
            raise ArgumentError(f"{name}: two parameters are {key}; got {key!r}; rename one")
        taken.add(key)
        parameters.append(_Parameter(key, _of_32_bits(name, key, value)))
    return tuple(parameters)


def _of_32_bits(name: str, key: str, value: DTypeLike) -> DType:
    dtype = as_dtype(value, name)
    if dtype not in KERNEL_DTYPES:
        raise DTypeError(
            f"{name}: {key} cannot be {dtype}; got {dtype}; use float32, int32, uint32 or bool"
        )
    return dtype


def glsl_kernel(
    source: str,
    *,
    inputs: Mapping[str, DTypeLike] | None = None,
    uniforms: Mapping[str, DTypeLike] | None = None,
    shape: ShapeLike | Callable[..., ShapeLike],
    dtype: DTypeLike = "float32",
    name: str = "glsl_kernel",
    reference: Callable[..., ArrayLike] | None = None,
) -> HandWrittenKernel:
    """Make a function of tensors from a hand-written shader, for what `kernel` cannot express.

    The source is GLSL ES 3.00 with a function `element`, which takes the indices of one element of
    the result, one int for each axis, and returns its value. For a tensor `u` of two axes it calls
    `u(i, j)`; positions outside of it give the nearest element. `u_shape[k]` and `shape[k]` are
    lengths of the tensor and of the result. Numbers are global variables. The shader runs on WebGL
    only, as a draw of its own.

    Args:
        source: GLSL with functions and constants, but without `main`, declarations of inputs and
            outputs, and lines of the preprocessor.
        inputs: Names and dtypes of the tensors: float32, int32, uint32 or bool. Tensors of a
            narrower dtype are converted.
        uniforms: Names and dtypes of the numbers. Other values use the same shader.
        shape: Shape of the result, or a function of the arguments that returns it.
        dtype: Dtype of the result: float32, int32, uint32 or bool.
        name: Name in errors, profiles and `explain`.
        reference: Function of the same arguments that returns the same result as a tensor. Other
            backends than WebGL call it.

    Returns:
        Function that takes the tensors and then the numbers, by position or by name, and returns a
        tensor. It has the method `gradient` of kernels.

    Raises:
        KernelError: If the source cannot be part of a shader. The text shows the line.
        ArgumentError: If a parameter has an invalid value.
        ShaderError: If the driver refuses the source; raised when the shader first runs. The text
            shows the line of the source.
        BackendError: If the function is called on another backend without a reference.

    >>> import py_tensor as pt
    >>> scaled = pt.glsl_kernel(
    ...     "float element(int i) { return factor * u(i + 1); }",
    ...     inputs={"u": "float32"},
    ...     uniforms={"factor": "float32"},
    ...     shape=lambda u, factor: u.shape,
    ...     reference=lambda u, factor: factor * pt.concat([u[1:], u[-1:]]),
    ... )
    >>> scaled(pt.asarray([1.0, 2.0, 3.0]), 2.0).tolist()
    [4.0, 6.0, 6.0]
    """
    if not (isinstance(name, str) and _WORD.fullmatch(name)):
        raise ArgumentError(
            f"glsl_kernel: name must be a name; got {described(name)}; use letters and digits"
        )
    if not isinstance(source, str):
        raise ArgumentError(f"{name}: source must be text; got {described(source)}; pass GLSL")
    lengths = shape if callable(shape) else a_shape(name, shape)
    taken: set[str] = set()
    tensors = _declared(name, "inputs", {} if inputs is None else inputs, taken)
    if len(tensors) > FusionLimits().inputs:
        raise ArgumentError(
            f"{name}: too many inputs; got {len(tensors)}; use at most {FusionLimits().inputs}"
        )
    numbers = _declared(name, "uniforms", {} if uniforms is None else uniforms, taken)
    _checked(name, source)
    listing = "\n".join(f"  {line}" for line in source.splitlines())
    op = HandWritten(
        name=name,
        source=source,
        inputs=tensors,
        uniforms=numbers,
        gives=_of_32_bits(name, "dtype", dtype),
        reference=_moved(name),
        gradient=no_gradient(name, "hand-written shaders"),
        listing=f"source of {name}\n{listing}",
        public=False,
    )
    if reference is not None:
        function_of(name, "reference", reference)
    return HandWrittenKernel(op, lengths, reference)
