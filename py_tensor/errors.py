"""All error classes of py_tensor.

A message has the form `<operation>: <problem>; got <values>; <how to fix it>`, so that users can
act on it without reading the source. Each class also derives from the built-in exception that
Python programmers expect. `assert` is used only to check py_tensor's own invariants.
"""

from __future__ import annotations

from typing import Any


class TensorError(Exception):
    """Base class of all errors raised by py_tensor.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.ones(2) + pt.ones(3)
    ... except pt.errors.TensorError as error:
    ...     print(error)
    add: shapes (2,) and (3,) do not broadcast; axis -1 is 2 and 3
    """


class ShapeError(TensorError, ValueError, IndexError):
    """Shapes or axes are invalid for the operation, or an index is out of range.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.ones(-1)
    ... except pt.errors.ShapeError as error:
    ...     print(error)
    ones: lengths must not be negative; got shape (-1,); use lengths of at least 0
    """


class AxesError(ShapeError, AttributeError):
    """An attribute that a tensor of so few axes does not have, so that `hasattr` is False.

    >>> import py_tensor as pt
    >>> hasattr(pt.ones(3), "mT")
    False
    """


class DTypeError(TensorError, TypeError):
    """The operation does not allow these dtypes, or a value does not fit its dtype.

    >>> import py_tensor as pt
    >>> -pt.asarray([True])
    Traceback (most recent call last):
        ...
    py_tensor.errors.DTypeError: negative: dtype bool is not numeric; use x.astype("int32")
    """


class ArgumentError(TensorError, ValueError):
    """An argument other than a shape or dtype has an invalid value.

    >>> import py_tensor as pt
    >>> pt.arange(2, 8, 0)
    Traceback (most recent call last):
        ...
    py_tensor.errors.ArgumentError: arange: step must not be zero; got step 0; use another step
    """


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument other than a tensor has a type that the function does not take.

    >>> import py_tensor as pt
    >>> issubclass(pt.errors.ArgumentTypeError, TypeError)
    True
    """


class FormatError(TensorError, ValueError):
    """The bytes of a file do not follow its format.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.io.from_bytes(b"GIF89a")
    ... except pt.errors.FormatError as error:
    ...     print(str(error).partition("; ")[0])
    from_bytes: not a valid safetensors file: file is cut off
    """


class DisposedError(TensorError, RuntimeError):
    """A tensor was used after `dispose`, or after the end of the `tidy` scope that owned it.

    >>> import py_tensor as pt
    >>> x = pt.ones(3)
    >>> x.dispose()
    >>> try:
    ...     x.tolist()
    ... except pt.errors.DisposedError as error:
    ...     print(str(error).partition("; ")[0])
    tolist: tensor was disposed
    """


class ScopeError(TensorError, RuntimeError):
    """In safe mode, an operation ran outside a scope; or a scope was ended while none was open.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.graph.math.end_scope()
    ... except pt.errors.ScopeError as error:
    ...     print(str(error).partition("; ")[0])
    end_scope: no scope is open
    """


class TraceError(TensorError, TypeError):
    """A traced function read a value, or a tensor leaked out of its trace.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.jit(lambda x: x if x > 0 else -x)(pt.asarray(1.0))
    ... except pt.errors.TraceError as error:
    ...     print(str(error).partition("; ")[0])
    jit: the value of a traced tensor is unknown
    """


class GradientError(TensorError, TypeError):
    """A function or one of its operations cannot be differentiated.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.grad(lambda x: x.argmax())(pt.ones(3))
    ... except pt.errors.GradientError as error:
    ...     print(str(error).partition("; ")[0])
    grad: the function must return a single floating number
    """


class NumericError(TensorError, ArithmeticError):
    """Debug mode found a NaN, or an infinity if it looks for infinities.

    >>> import py_tensor as pt
    >>> with pt.enable_debug_mode():
    ...     try:
    ...         x = pt.log(pt.asarray([-1.0]))
    ...     except pt.errors.NumericError as error:
    ...         print(str(error).partition(" of shape")[0])
    log: result is not finite; got nan at element 0
    """


class LeakError(TensorError, AssertionError):
    """A block under `pt.assert_no_leaks` left tensors; `trace` groups them by their lines.

    >>> import py_tensor as pt
    >>> kept = []
    >>> try:
    ...     with pt.assert_no_leaks():
    ...         kept.append(pt.ones(3))
    ... except pt.errors.LeakError as error:
    ...     print(str(error).partition("; new")[0])
    assert_no_leaks: more tensors are alive than before; got 1 more
    """

    def __init__(self, message: str, trace: Any = None) -> None:
        super().__init__(message)
        self.trace = trace


class BackendError(TensorError, RuntimeError):
    """The backend is not available, its context is lost, or it reported an error.

    For example, browser storage is not available outside a page:

    >>> import asyncio
    >>> import py_tensor as pt
    >>> try:
    ...     asyncio.run(pt.io.names())
    ... except pt.errors.BackendError as error:
    ...     print(str(error).partition("; ")[0])
    names: this Python does not run in a web page
    """


class OutOfMemoryError(BackendError, MemoryError):
    """The device has no memory left, even after free memory of the pool was released.

    >>> import py_tensor as pt
    >>> issubclass(pt.errors.OutOfMemoryError, MemoryError)
    True
    """


class SizeError(ShapeError, BackendError):
    """A tensor has more elements than the backend can hold.

    >>> import py_tensor as pt
    >>> issubclass(pt.errors.SizeError, pt.errors.BackendError)
    True
    """


class ShaderError(BackendError):
    """A shader did not compile; the message shows the source lines around the error.

    >>> import py_tensor as pt
    >>> issubclass(pt.errors.ShaderError, pt.errors.BackendError)
    True
    """


class ModelError(TensorError, ValueError):
    """A model's file is malformed, needs what `pt.models` does not support, or failed to run.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.models.loads(b"GIF89a")
    ... except pt.errors.ModelError as error:
    ...     print(str(error).partition("; ")[0])
    load: not a valid ONNX file: wire type 7 does not exist
    """


class KernelError(TensorError, TypeError):
    """A function under `pt.kernel` uses what kernels do not support; the text shows the place.

    >>> import py_tensor as pt
    >>> @pt.kernel
    ... def named(x):
    ...     return x + "one"
    >>> try:
    ...     named(1.0)
    ... except pt.errors.KernelError as error:
    ...     print(str(error).partition("; use")[0])
    named: text is not supported; got "one"
    """
