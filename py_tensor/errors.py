"""Every error py_tensor raises on purpose.

A message reads `<operation>: <what is wrong>; got <values>; <how to fix it>`, so that the user of a
page can act on it without reading this package. A class exists where a caller may want to catch
that case alone; each also derives from the built-in exception Python programmers expect. `assert`
guards only mistakes of py_tensor itself.
"""

from __future__ import annotations


class TensorError(Exception):
    """Base of every error raised by py_tensor.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.ones(2) + pt.ones(3)
    ... except pt.errors.TensorError as error:
    ...     print(error)
    add: shapes (2,) and (3,) do not broadcast; axis -1 is 2 and 3
    """


class ShapeError(TensorError, ValueError, IndexError):
    """Shapes or axes do not fit the operation, or an index is out of range.

    >>> import py_tensor as pt
    >>> pt.ones(-1)
    Traceback (most recent call last):
        ...
    py_tensor.errors.ShapeError: ones: length is negative; got shape (-1,); use lengths from 0 on
    """


class DTypeError(TensorError, TypeError):
    """The operation does not allow these dtypes, or a value does not fit its dtype.

    >>> import py_tensor as pt
    >>> pt.sin(pt.asarray([1, 2]))
    Traceback (most recent call last):
        ...
    py_tensor.errors.DTypeError: sin: dtype int32 is not floating; use x.astype("float32")
    """


class ArgumentError(TensorError, ValueError):
    """An argument that is neither shape nor dtype has a value the operation does not allow.

    >>> import py_tensor as pt
    >>> pt.arange(2, 8, 0)
    Traceback (most recent call last):
        ...
    py_tensor.errors.ArgumentError: arange: step is zero; got step 0; use a step other than 0
    """


class FormatError(TensorError, ValueError):
    """A file's bytes are not what its format demands.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.saving.from_bytes(b"GIF89a")
    ... except pt.errors.FormatError as error:
    ...     print(str(error).partition("; ")[0])
    from_bytes: no safetensors file: file is cut off
    """


class DisposedError(TensorError, RuntimeError):
    """A tensor was used after `dispose` or after the `tidy` that owned it.

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
    """Safe mode was asked for, and work was done outside of a scope; or no scope is open to end.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.graph.math.end_scope()
    ... except pt.errors.ScopeError as error:
    ...     print(str(error).partition("; ")[0])
    end_scope: no scope is open
    """


class TraceError(TensorError, TypeError):
    """A function being traced asked for a value, or what it left behind was used later.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.jit(lambda x: x if x > 0 else -x)(pt.asarray(1.0))
    ... except pt.errors.TraceError as error:
    ...     print(str(error).partition("; ")[0])
    jit: the value of a traced tensor is not known
    """


class GradientError(TensorError, TypeError):
    """A function or one of its operations cannot be differentiated.

    >>> import py_tensor as pt
    >>> try:
    ...     pt.grad(lambda x: x.argmax())(pt.ones(3))
    ... except pt.errors.GradientError as error:
    ...     print(str(error).partition("; ")[0])
    grad: the function's result is not one floating number
    """


class NumericError(TensorError, ArithmeticError):
    """Debug mode found the first NaN or infinity.

    >>> import py_tensor as pt
    >>> with pt.enable_debug_mode():
    ...     try:
    ...         x = pt.log(pt.asarray([0.0]))
    ...     except pt.errors.NumericError as error:
    ...         print(str(error).partition(" of shape")[0])
    log: result is not finite; got -inf at element 0
    """


class BackendError(TensorError, RuntimeError):
    """The backend is missing, its context is lost, or it refused to work.

    Browser storage, outside of a page:

    >>> import asyncio
    >>> import py_tensor as pt
    >>> try:
    ...     asyncio.run(pt.saving.names())
    ... except pt.errors.BackendError as error:
    ...     print(str(error).partition("; ")[0])
    names: this Python does not run in a web page
    """


class ShaderError(BackendError):
    """A shader did not compile; the message shows its source around the wrong line.

    >>> import py_tensor as pt
    >>> issubclass(pt.errors.ShaderError, pt.errors.BackendError)
    True
    """
