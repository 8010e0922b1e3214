"""Every error py_tensor raises on purpose.

A message reads `<operation>: <what is wrong>; got <values>; <how to fix it>`, so that the user of a
page can act on it without reading this package. A class exists where a caller may want to catch
that case alone; each also derives from the built-in exception Python programmers expect. `assert`
guards only mistakes of py_tensor itself.
"""

from __future__ import annotations


class TensorError(Exception):
    """Base of every error raised by py_tensor."""


class ShapeError(TensorError, ValueError, IndexError):
    """Shapes or axes do not fit the operation, or an index is out of range."""


class DTypeError(TensorError, TypeError):
    """The operation does not allow these dtypes, or a value does not fit its dtype."""


class ArgumentError(TensorError, ValueError):
    """An argument that is neither shape nor dtype has a value the operation does not allow."""


class FormatError(TensorError, ValueError):
    """A file's bytes are not what its format demands."""


class DisposedError(TensorError, RuntimeError):
    """A tensor was used after `dispose` or after the `tidy` that owned it."""


class ScopeError(TensorError, RuntimeError):
    """Safe mode was asked for, and work was done outside of a scope."""


class TraceError(TensorError, TypeError):
    """A function being traced asked for a value, or what it left behind was used later."""


class GradientError(TensorError, TypeError):
    """A function or one of its operations cannot be differentiated."""


class NumericError(TensorError, ArithmeticError):
    """Debug mode found the first NaN or infinity."""


class BackendError(TensorError, RuntimeError):
    """The backend is missing, its context is lost, or it refused to work."""


class ShaderError(BackendError):
    """A shader did not compile; the message shows its source around the wrong line."""
