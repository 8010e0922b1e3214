"""Operators that make tensors out of no elements of others."""

from __future__ import annotations

import py_tensor as pt

from .kinds import dtype_of


def constant(*, value):
    return pt.asarray(value)


def constant_of_shape(shape, *, value=None):
    if value is None:
        return pt.zeros(shape.tolist())
    given = pt.asarray(value)
    return pt.full(shape.tolist(), given.item(), dtype=given.dtype)


def eye_like(x, *, dtype=None, k=0):
    return pt.eye(*x.shape, k=k, dtype=x.dtype if dtype is None else dtype_of(dtype))


def arange(start, limit, delta):
    return pt.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)


def shape(x, *, start=0, end=None):
    return pt.asarray(x.shape[start:end], dtype="int32")


def size(x):
    return pt.asarray(x.size)


OPERATORS = {
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "EyeLike": eye_like,
    "Range": arange,
    "Shape": shape,
    "Size": size,
}
