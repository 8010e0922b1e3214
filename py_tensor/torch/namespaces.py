"""Namespaces of PyTorch about devices, precision and compilers, most of which have one answer."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from .. import linalg as _linalg
from ..dtypes import DType, float32
from .functions import norm
from .methods import lifted
from .random import manual_seed
from .tensor import Tensor, device

__all__ = ["accelerator", "amp", "autocast", "backends", "compile", "cuda",
           "get_default_dtype", "jit", "linalg", "mps", "set_default_device", "set_default_dtype",
           "set_float32_matmul_precision", "set_num_threads", "set_printoptions",
           "version"]  # fmt: skip
_LINALG = "inv det solve cholesky qr svd eigh eigvalsh pinv slogdet matrix_power"


def _no(*args: Any, **kwargs: Any) -> bool:
    return False


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


def compile(model: Any = None, **kwargs: Any) -> Any:
    """Return a model unchanged: its calls are compiled together when a value is needed."""
    return (lambda model: model) if model is None else model


def autocast(*args: Any, **kwargs: Any) -> Any:
    """Return a context that changes nothing: computations are in float32."""
    return nullcontext()


class GradScaler:
    """Scaler of losses that changes nothing, since gradients are float32."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def scale(self, loss: Tensor) -> Tensor:
        """Return the loss."""
        return loss

    def step(self, optimizer: Any) -> None:
        """Step the optimizer."""
        optimizer.step()

    unscale_ = update = staticmethod(_nothing)


def get_default_dtype() -> DType:
    """Return float32."""
    return float32


set_default_device = set_default_dtype = set_float32_matmul_precision = _nothing
set_num_threads = set_printoptions = _nothing
amp = SimpleNamespace(autocast=autocast, GradScaler=GradScaler)
cuda = mps = SimpleNamespace(
    is_available=_no, is_built=_no, manual_seed=manual_seed, manual_seed_all=manual_seed,
    device_count=lambda: 0, synchronize=_nothing, empty_cache=_nothing, is_bf16_supported=_no,
    amp=amp,
)  # fmt: skip
accelerator = SimpleNamespace(is_available=_no, current_accelerator=lambda: device("cpu"))
_precision = SimpleNamespace(matmul=SimpleNamespace())
backends = SimpleNamespace(cuda=_precision, cudnn=SimpleNamespace(), mps=mps)
version = SimpleNamespace(cuda=None)
jit = SimpleNamespace(script=compile, trace=lambda model, *args: model, ignore=compile)
linalg = SimpleNamespace(
    norm=lambda x, ord=2, dim=None, keepdim=False: lifted(norm)(x, ord or 2, dim, keepdim)
)
linalg.vector_norm = linalg.norm
for _name in _LINALG.split():
    setattr(linalg, _name, lifted(getattr(_linalg, _name)))
