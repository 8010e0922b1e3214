"""Kernels: Python functions that become shaders (`pt.kernel`).

Input: a Python function of numbers. Output: a function of tensors, which computes it for each
element on any backend. Reading order: `source` (syntax tree and errors), `program` (typed
statements), `builder` and `intrinsics` (typed operations), `expressions` and `reader` (from the
tree to a program), `execution` (programs on arrays), `exits` (loops of one element in shaders),
`kinds` (op definitions and shaders), `plain` (the function run
in Python), `values` (vectors and random numbers), `calls` (arguments and gradients), `api`,
`hand_written` (`pt.glsl_kernel`).
"""

from .api import KernelFunction
from .values import Vector, cross, dot, length, normalize, uniform, vec

__all__ = ["KernelFunction", "Vector", "cross", "dot", "length", "normalize", "uniform", "vec"]
