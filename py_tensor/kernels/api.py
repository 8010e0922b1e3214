"""Define `pt.kernel`: compile a Python function for the dtypes of its arguments, and apply it.

Input: a function of numbers. Output: a function of tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any, overload

from ..dtypes import described, int32
from ..errors import ArgumentError, KernelError, ShapeError
from ..functions.arguments import a_shape, choice, function_of, integer
from ..ir.node import BoundedCache, OpNode, node_of, scalar_node
from ..ops.op_def import Shape
from ..signatures import Parameters, parameters_of
from ..tensor import Tensor
from ..typing import ArrayLike, ShapeLike
from .calls import (
    ArgumentType,
    KernelArgument,
    KernelResult,
    TensorFunction,
    argument,
    node_of_argument,
    type_inside,
)
from .inlining import bound
from .kinds import elementwise_kernel, indexed_kernel
from .locals import constant, is_same
from .op_defs import ElementwiseKernel, IndexedKernel
from .plain import run_plainly
from .program import InputKind, Program, WritingProgram, text_of
from .reader import ReadKernel, read_kernel
from .source import FunctionSource, resolve
from .writing import WritingKernel

PACKAGE = f"{__name__.partition('.')[0]}."
BORDERS = ("clamp", "wrap", "zero")
MAX_STEPS = 10_000
MOST_GROUP_AXES = 3
MOST_IN_GROUP = 256
"""Elements of a group that every device of WebGPU can run."""
VARIANTS = 8
"""Number of programs kept for a signature, which differ in constants of the enclosing scope."""
_ShapeOption = Shape | Callable[..., ShapeLike] | None
"""Shape of a result, a function of the arguments that returns it, or None if elementwise."""


class _Compiled:
    """Programs of one signature, and the values of the enclosing scopes that they depend on."""

    def __init__(
        self,
        read: ReadKernel,
        ops: Sequence[ElementwiseKernel | IndexedKernel],
        writing: WritingKernel | None,
    ) -> None:
        self.read = read
        self.several = read.several
        self.captured = read.captured
        self.ops = ops
        self.writing = writing
        """The kernel if it writes, or has shared arrays; then there are no `ops`."""
        self.templates: BoundedCache[Hashable, list[OpNode | int]] = BoundedCache(VARIANTS)
        """Operands for some shapes: nodes of lengths, and positions of arguments."""

    def is_valid(self) -> bool:
        """Return True if the names of the enclosing scopes have the same values as before."""
        return all(
            _is_unchanged(value, _current(owner, name)) for owner, name, value in self.captured
        )

    def tensors(self) -> list[KernelArgument]:
        """Return the present tensors of the enclosing scopes that are operands."""
        present: list[Any] = [_current(owner, name) for owner, name, _ in self.read.tensors]
        return present

    def operands(self, nodes: list[OpNode], shape: tuple[int, ...] | None) -> tuple[OpNode, ...]:
        """Return the operands of the operations for the nodes of the arguments."""
        if shape is None:
            return tuple(nodes)
        key = (shape, *[node.spec for node in nodes])
        template = self.templates.get(key)
        if template is None:
            template = self.templates[key] = []
            for operand in self.ops[0].program.inputs:
                position, kind = operand.argument, operand.kind
                if kind in (InputKind.VALUE, InputKind.TENSOR):
                    template.append(position)
                    continue
                lengths = shape if kind is InputKind.EXTENT else nodes[position].spec.shape
                template.append(scalar_node(lengths[operand.axis], int32))
        return tuple([nodes[src] if isinstance(src, int) else src for src in template])


def _current(owner: object, name: str) -> object:
    if isinstance(owner, FunctionType):
        return resolve(owner, name)
    return getattr(owner, name, None)


def _is_unchanged(known: object, current: object) -> bool:
    if current is known:
        return True
    if isinstance(known, ArgumentType):
        return isinstance(current, Tensor) and type_inside("kernel", current) == known
    return is_same(known, constant(current))


class KernelFunction(TensorFunction):
    """A kernel; called like the function itself, on tensors.

    >>> import py_tensor as pt
    >>> @pt.kernel
    ... def halved(x):
    ...     return x / 2
    >>> halved(pt.asarray([1.0, 3.0])).tolist()
    [0.5, 1.5]
    """

    def __init__(
        self,
        function: FunctionType,
        shape: _ShapeOption,
        border: str,
        max_steps: int,
        source: str | None,
        workgroup: ShapeLike | None,
    ) -> None:
        update_wrapper(self, function)
        self._function = function
        super().__init__(function.__name__)
        self._text = source
        parameters = parameters_of(function)
        assert parameters is not None
        self._parameters = parameters
        if not f"{function.__module__}.".startswith(PACKAGE):
            # Read now: the source of a function that `exec` made is found in variables of the
            # callers, which exist now, and a missing source is an error where it is defined.
            _ = self._source
        self._shape = shape
        self._border = border
        self._max_steps = max_steps
        self._compiled: dict[Hashable, list[_Compiled]] = {}
        self._indices = _index_count(function.__name__, parameters, shape)
        self._workgroup = _group_lengths(self._name, workgroup, self._indices)
        self._names = (*parameters.positional, *parameters.keyword_only)[self._indices or 0 :]
        self._defaults = function.__defaults__ or ()
        self._by_name = bool(parameters.keyword_only)
        if self._indices is None:
            self.elementwise_function = function
            """Function that other kernels can call."""

    @cached_property
    def _source(self) -> FunctionSource:
        """Source of the function. Pages load sources of the package when a kernel is compiled."""
        return FunctionSource(self._function, self._text)

    def __repr__(self) -> str:
        return f"kernel({self._name})"

    def python(self, *args: ArrayLike, **kwargs: ArrayLike) -> Any:
        """Run the function itself in Python, once for each element, for example in a debugger.

        Args:
            *args: Arguments of the kernel.
            **kwargs: Arguments of the kernel by name.

        Returns:
            Tensor of the results, or a tuple of them, as the kernel returns.

        Raises:
            KernelError: If the function cannot be compiled for these arguments.

        >>> import py_tensor as pt
        >>> @pt.kernel
        ... def halved(x):
        ...     return x / 2
        >>> halved.python(pt.asarray([1.0, 3.0])).tolist()
        [0.5, 1.5]
        """
        values = self._bound(args, kwargs)
        shape = self._result_shape(values) if self._indices is not None else None
        compiled = self._compile(values)
        dtypes = [op.program.result.dtype for op in compiled.ops]
        outputs: list[int] = []
        if compiled.writing is not None:
            program = compiled.writing.program
            if program.workgroup:
                raise KernelError(
                    f"python: elements of a group do not run one after the other; got {self!r} "
                    "with workgroup; call the kernel on the NumPy backend instead"
                )
            dtypes = [result.dtype for result in program.results]
            outputs = [output.argument for output in program.outputs]
        keywords = self._parameters.keyword_only
        results = run_plainly(
            self._function, values, shape, dtypes, self._border, keywords, outputs
        )
        return self._returned(results, compiled)

    # --- arguments ------------------------------------------------------------------------------

    def _bound(
        self, args: tuple[ArrayLike, ...], kwargs: dict[str, ArrayLike]
    ) -> list[KernelArgument]:
        """Return the arguments in the order of the parameters: numbers and tensors."""
        names, defaults = self._names, self._defaults
        missing = len(names) - len(args)
        if not (kwargs or self._by_name) and 0 <= missing <= len(defaults):
            args += defaults[len(defaults) - missing :]
        else:
            args = self._ordered(args, kwargs)
        return [argument(self._name, name, value) for name, value in zip(names, args, strict=True)]

    def _ordered(
        self, args: tuple[ArrayLike, ...], kwargs: dict[str, ArrayLike]
    ) -> tuple[Any, ...]:
        values = bound(self._function, [*[0] * (self._indices or 0), *args], kwargs)
        if isinstance(values, str):
            raise ArgumentError(
                f"{self._name}: {values}; got {len(args)} arguments and names {[*kwargs]}; give "
                "one value for each parameter"
            )
        return tuple([values[name] for name in self._names])

    def _result_shape(self, values: Sequence[KernelArgument]) -> tuple[int, ...]:
        lengths = self._shape(*values) if callable(self._shape) else self._shape
        assert lengths is not None
        checked = [v.shape for v in values if type(v) is Tensor and v.shape is lengths]
        shape = checked[0] if checked else a_shape(self._name, lengths)
        if len(shape) != self._indices:
            raise ShapeError(
                f"{self._name}: result has {len(shape)} axes but the function takes "
                f"{self._indices} indices; got shape {shape}; return {self._indices} lengths"
            )
        return shape

    # --- compilation ----------------------------------------------------------------------------

    def _compile(self, values: Sequence[KernelArgument]) -> _Compiled:
        """Return the kernel compiled for arguments of these dtypes and ranks."""
        indexed = self._indices is not None
        signature = tuple([type_inside(self._name, value, indexed) for value in values])
        known = self._compiled.setdefault(signature, [])
        for compiled in known:
            if not compiled.captured or compiled.is_valid():
                return compiled
        read = read_kernel(
            self._source,
            self._border,
            self._max_steps,
            self._indices or 0,
            signature,
            self._workgroup,
        )
        make = indexed_kernel if indexed else elementwise_kernel
        listing = self._listing(read.writing or read.programs[0])
        ops = [make(self._name, program, listing) for program in read.programs]
        writing = None
        if read.writing is not None:
            writing = WritingKernel(
                self._name,
                read.writing,
                lambda part: indexed_kernel(self._name, part, listing),
                listing,
            )
        known.insert(0, _Compiled(read, ops, writing))
        del known[VARIANTS:]
        return known[0]

    def _listing(self, program: Program | WritingProgram) -> str:
        lines = "\n".join(f"  {line}" for line in self._source.listing())
        typed = "\n".join(f"  {line}" for line in text_of(program).splitlines())
        return f"source of {self._name}\n{lines}\n\nprogram of {self._name}\n{typed}"

    # --- calls ----------------------------------------------------------------------------------

    def _apply(self, values: Sequence[KernelArgument]) -> KernelResult:
        shape = None
        if self._indices is not None:
            shape = self._result_shape(values)
        compiled = self._compile(values)
        values = [*values, *compiled.tensors()]
        if shape is not None:
            written = compiled.writing.outputs if compiled.writing else ()
            for number, value in enumerate(values):
                if type(value) is Tensor and 0 in value.shape and number not in written:
                    raise ShapeError(
                        f"{self._name}: a tensor has no elements to read; got shape {value.shape}; "
                        "give at least one"
                    )
        nodes = [node_of_argument(self._name, value) for value in values]
        if compiled.writing is not None:
            assert shape is not None
            return self._returned(compiled.writing(nodes, shape), compiled)
        operands = compiled.operands(nodes, shape)
        results = [Tensor(node_of(op, operands, shape)) for op in compiled.ops]
        return self._returned(results, compiled)

    def _returned(self, results: Sequence[Tensor], compiled: _Compiled) -> KernelResult:
        return tuple(results) if compiled.several or len(results) > 1 else results[0]


def _group_lengths(name: str, workgroup: ShapeLike | None, axes: int | None) -> tuple[int, ...]:
    """Return the lengths of a group along the axes of the index space."""
    if workgroup is None:
        return ()
    lengths = a_shape(name, workgroup)
    if axes is None:
        raise ArgumentError(
            f"{name}: workgroup has no index space; got {workgroup}; give shape, too"
        )
    if len(lengths) != axes or axes > MOST_GROUP_AXES:
        raise ArgumentError(
            f"{name}: workgroup has another number of axes; got {lengths} for {axes} indices; give "
            f"one length for each of at most {MOST_GROUP_AXES}"
        )
    if 0 in lengths or math.prod(lengths) > MOST_IN_GROUP:
        raise ArgumentError(
            f"{name}: workgroup has no element or too many; got {lengths}; use lengths whose "
            f"product is at most {MOST_IN_GROUP}"
        )
    return lengths


def _index_count(name: str, parameters: Parameters, shape: _ShapeOption) -> int | None:
    """Return the number of leading parameters that are indices; None for elementwise kernels."""
    if parameters.has_varargs or parameters.has_varkw:
        raise ArgumentError(
            f"kernel: {name} takes * or **; got parameters {parameters.positional}; name "
            "all parameters"
        )
    names = (*parameters.positional, *parameters.keyword_only)
    if shape is None:
        if not names:
            raise ArgumentError(
                f"kernel: {name} takes no element; got no parameters; add one, or give shape"
            )
        return None
    if not callable(shape):
        count = len(a_shape("kernel", shape))
    else:
        of_shape = parameters_of(shape)
        if of_shape is None:
            raise ArgumentError(
                f"kernel: shape must be a function in Python; got {described(shape)}; use a lambda"
            )
        count = len(names) - len(of_shape.positional)
        if count < 0 or names[count:] != of_shape.positional:
            raise ArgumentError(
                f"kernel: shape must take the arguments of {name} after the indices; got "
                f"{of_shape.positional} for {names}; use the same names"
            )
    if count > len(parameters.positional):
        raise ArgumentError(
            f"kernel: {name} has too few indices; got {len(parameters.positional)} for "
            f"{count} axes; add one parameter for each axis"
        )
    return count


@overload
def kernel(
    function: None = None,
    /,
    *,
    shape: ShapeLike | Callable[..., ShapeLike] | None = None,
    border: str = "clamp",
    max_steps: int = MAX_STEPS,
    source: str | None = None,
    workgroup: ShapeLike | None = None,
) -> Callable[[Callable[..., Any]], KernelFunction]: ...
@overload
def kernel(
    function: Callable[..., Any],
    /,
    *,
    shape: ShapeLike | Callable[..., ShapeLike] | None = None,
    border: str = "clamp",
    max_steps: int = MAX_STEPS,
    source: str | None = None,
    workgroup: ShapeLike | None = None,
) -> KernelFunction: ...
def kernel(
    function: Callable[..., Any] | None = None,
    /,
    *,
    shape: ShapeLike | Callable[..., ShapeLike] | None = None,
    border: str = "clamp",
    max_steps: int = MAX_STEPS,
    source: str | None = None,
    workgroup: ShapeLike | None = None,
) -> Any:
    """Compile a Python function of numbers into a function of tensors.

    Without `shape` the kernel is elementwise: its arguments are broadcast together, and the
    function is called on one element of each. With `shape` it is indexed: the function is called
    once for each element of the result, on the indices of that element followed by the arguments,
    and reads tensors at positions, as in `u[i - 1, j]`. It is compiled at the first call for each
    combination of dtypes; numbers and shapes may change without compiling again. The guide on
    kernels lists what functions may contain.

    An indexed kernel may also write tensors, as in `out[k] = v` and `out[k] += v`. `shape` is then
    the shape of the index space, and the call passes a tensor for `out`, which has the values
    before. The call returns the tensor with the new values, and the tensor passed keeps its own.
    Positions outside of it are ignored. The elements write as if one ran after the other, in
    row-major order: all additions count, and the last assignment of a position remains.

    Args:
        function: Function with a source. Its parameters are numbers, or tensors if it is indexed.
        shape: Shape of the result, or a function of the arguments that returns it.
        border: Value of elements outside of a tensor: "clamp" for the nearest element, "wrap" for
            the tensor repeated, "zero" for 0.
        max_steps: Number of iterations after which a `while` loop stops.
        workgroup: Lengths of the groups of elements that share arrays, along the axes of `shape`;
            at most 256 elements. See `pt.shared`.
        source: Text of the function, if Python cannot find it.

    Returns:
        Function of tensors and numbers. It returns a tensor, or a tuple of tensors if the function
        returns a tuple, which one draw computes. Tensors that the function writes follow, in the
        order of the parameters.

    Raises:
        KernelError: If the source is not available; when called, if the function uses what kernels
            do not support. The text shows the line.
        ArgumentError: If an option has an invalid value.

    >>> import py_tensor as pt
    >>> @pt.kernel
    ... def smooth_min(a, b, k=32.0):
    ...     h = max(k - abs(a - b), 0.0) / k
    ...     return min(a, b) - h * h * k * 0.25
    >>> smooth_min(pt.asarray([0.0, 64.0]), 0.0).tolist()
    [-8.0, 0.0]
    >>> @pt.kernel(shape=lambda u: u.shape, border="wrap")
    ... def shifted(i, u):
    ...     return u[i - 1]
    >>> shifted(pt.asarray([1, 2, 3])).tolist()
    [3, 1, 2]
    >>> @pt.kernel(shape=lambda x, counts: x.shape)
    ... def histogram(i, x, counts):
    ...     counts[x[i]] += 1
    >>> histogram(pt.asarray([2, 0, 2, 9]), pt.zeros(3, dtype="int32")).tolist()
    [1, 0, 2]
    """
    mode = choice("kernel", "border", border, BORDERS)
    steps = integer("kernel", "max_steps", max_steps, 1, 1 << 30)
    if shape is None or callable(shape):
        lengths: _ShapeOption = shape
    else:
        lengths = a_shape("kernel", shape)
    if source is not None and not isinstance(source, str):
        raise ArgumentError(
            f"kernel: source must be text; got {described(source)}; pass the function's text"
        )

    def compiled(function: Callable[..., Any]) -> KernelFunction:
        function_of("kernel", "function", function)
        if not isinstance(function, FunctionType):
            raise KernelError(
                f"kernel: function is not written in Python; got {described(function)}; use def"
            )
        return KernelFunction(function, lengths, mode, steps, source, workgroup)

    return compiled if function is None else compiled(function)
