"""Memory plans of pending tensors on a common device, regardless of the backend in use."""

from __future__ import annotations

import numpy as np

import py_tensor as pt
from py_tensor.compiler.kernel import FusionLimits
from py_tensor.compiler.stages import make_plan
from py_tensor.compiler.textures.plan import FLOAT32_AS_FLOAT16, FORMATS
from py_tensor.compiler.textures.target import TextureTarget
from py_tensor.dtypes import BY_NAME
from py_tensor.ir.node import linearize

DEVICE = TextureTarget(largest=8192, draw_buffers=8, limits=FusionLimits())


def plan_of(*tensors, device=DEVICE):
    nodes = [tensor._node for tensor in tensors]
    return make_plan(linearize([node for node in nodes if node.buffer is None]).graph(), device)


def kernels(*tensors):
    """Kind and name of each draw."""
    return [f"{draw.kernel.kind} {draw.shader.name}" for draw in plan_of(*tensors).draws]


def leaf(*shape, dtype="float32"):
    x = pt.asarray(np.ones(shape, dtype))
    pt.realize(x)
    return x


def bytes_drawn(*tensors):
    """Total bytes of the textures that the plan of these tensors draws into."""
    plan = plan_of(*tensors)
    texels = {number: 4 * BY_NAME[name].itemsize for name, number in FORMATS.items()}
    texels[FLOAT32_AS_FLOAT16] = 8
    return sum(
        texels[number] * width * height * (layers or 1)
        for number, width, height, layers in (*plan.outputs, *plan.temporaries)
    )
