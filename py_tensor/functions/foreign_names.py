"""Names of tensors' methods in PyTorch, with the expressions of py_tensor that replace them.

Input: a missing attribute. Output: the error that names ours.
"""

from __future__ import annotations

_CAST = dict.fromkeys(("float", "double", "half", "long", "int", "short", "byte", "bool", "type"))
_CAST |= dict.fromkeys(("to", "type_as"))
_IN_PLACE = dict.fromkeys(("zero_", "fill_", "copy_", "add_", "sub_", "mul_", "div_", "clamp_"))
_GRADIENTS = dict.fromkeys(("backward", "grad", "requires_grad", "requires_grad_", "grad_fn"))
_PLACES = dict.fromkeys(("cpu", "cuda", "contiguous", "is_cuda", "pin_memory"))
OURS = {
    **dict.fromkeys(_CAST, 'x.astype("float32")'),
    **dict.fromkeys(_IN_PLACE, "x[...] = value, or x += y"),
    **dict.fromkeys(_GRADIENTS, "pt.grad(function)(x)"),
    **dict.fromkeys(_PLACES, "x: there is one device, and no order of memory"),
    "unsqueeze": "pt.expand_dims(x, axis), or x[:, None]",
    "permute": "x.permute_dims((0, 2, 1))",
    "movedim": "pt.moveaxis(x, source, destination)",
    "t": "x.T",
    "detach": "pt.stop_gradient(x)",
    "clone": "x.copy()",
    "numel": "x.size",
    "nelement": "x.size",
    "dim": "x.ndim",
    "expand": "pt.broadcast_to(x, shape)",
    "expand_as": "pt.broadcast_to(x, y.shape)",
    "view_as": "x.reshape(y.shape)",
    "clamp": "x.clip(min, max)",
    "masked_fill": "pt.where(mask, value, x)",
    "masked_select": "x[mask]",
    "gather": "pt.take_along_axis(x, index, axis=axis)",
    "index_select": "pt.take(x, index, axis=axis)",
    "scatter": "x.at[index].set(values)",
    "scatter_add": "x.at[index].add(values)",
    "index_add": "x.at[index].add(values)",
    "narrow": "x[start : start + length]",
    "select": "x[:, index]",
    "chunk": "pt.split(x, count)",
    "split": "pt.split(x, positions)",
    "unbind": "pt.unstack(x)",
    "repeat_interleave": "pt.repeat(x, count)",
    "topk": "pt.topk(x, k)",
    "norm": "pt.linalg.norm(x)",
    "mm": "x @ y",
    "bmm": "x @ y",
    "mv": "x @ y",
    "sub": "x - y",
    "mul": "x * y",
    "div": "x / y",
    "neg": "-x",
    "eq": "x == y",
    "ne": "x != y",
    "lt": "x < y",
    "le": "x <= y",
    "gt": "x > y",
    "ge": "x >= y",
    "amax": "x.max(axis=axis)",
    "amin": "x.min(axis=axis)",
    "log_softmax": "pt.nn.log_softmax(x)",
    "logsumexp": "pt.nn.logsumexp(x)",
    "tril": "pt.tril(x)",
    "triu": "pt.triu(x)",
    "roll": "pt.roll(x, shift)",
    "new_zeros": "pt.zeros(shape, dtype=x.dtype)",
    "new_ones": "pt.ones(shape, dtype=x.dtype)",
}
"""Expression of py_tensor by the name of a method or attribute of PyTorch."""


def missing_attribute(value: object, name: str) -> AttributeError:
    """Return the error for an attribute that tensors do not have."""
    text = f"{type(value).__name__!r} object has no attribute {name!r}"
    if name in OURS:
        text += (
            f"; got a name of PyTorch; use {OURS[name]}, or py_tensor.torch, which has its tensors"
        )
    return AttributeError(text, name=name, obj=value)
