"""L-BFGS, as torch.optim.LBFGS computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...functions.joining import concat
from ...optim.lbfgs import direction_of
from ...tensor import Tensor as Value, realize
from ..autograd import enable_grad, no_grad
from .optimizer import Rule


class LBFGS(Rule):
    """Steps along directions that the last gradients suggest; a step calls its closure often.

    The step is the learning rate: there is no line search.
    """

    settings: ClassVar[dict[str, Any]] = {
        "lr": 1.0, "max_iter": 20, "max_eval": None, "tolerance_grad": 1e-7,
        "tolerance_change": 1e-9, "history_size": 100, "line_search_fn": None,
    }  # fmt: skip

    def __init__(self, params: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(params, *args, **kwargs)
        search = self.param_groups[0]["line_search_fn"]
        if search is not None:
            raise ValueError(
                f"LBFGS: there is no line search; got {search!r}; use pt.optim.lbfgs, which has one"
            )
        self.pairs: list[tuple[list[Value], list[Value], float]] = []
        """Changes of the parameters and of the gradient, and their product."""
        self.before: Value | None = None
        """Gradient before the last step."""
        self.change: Value

    def _gradient(self) -> Value:
        gradients = [p.grad for p in self._params()]
        parts = zip(self._params(), gradients, strict=True)
        return concat([((p.detach() * 0 if g is None else g)._value).reshape(-1) for p, g in parts])

    def _add(self, change: Value) -> None:
        start = 0
        for p in self._params():
            value, size = p._value, p.numel()
            value._move((value + change[start : start + size].reshape(value.shape))._node)
            start += size

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by up to `max_iter` steps; `closure` computes the loss."""
        if closure is None:
            raise RuntimeError("LBFGS: step needs a closure; got None; pass a function")
        with enable_grad():
            first = closure()
        with no_grad():
            self._iterate(closure, float(first))
        return first

    def _iterate(self, closure: Callable[[], Any], loss: float) -> None:
        own = self.param_groups[0]
        rate, tolerance, least = own["lr"], own["tolerance_grad"], own["tolerance_change"]
        most = min(own["max_iter"], own["max_eval"] or own["max_iter"] * 5 // 4)
        g = self._gradient()
        for count in range(1, own["max_iter"] + 1):
            if g.abs().max().item() <= tolerance:
                return
            length = rate
            if self.before is None:
                length = rate * min(1.0, 1.0 / g.abs().sum().item())
            else:
                difference = g - self.before
                realize(difference, self.change)
                product = (difference * self.change).sum().item()
                if product > 1e-10:
                    self.pairs.append(([self.change], [difference], product))
                    del self.pairs[: -own["history_size"]]
            [direction] = direction_of([g], self.pairs)
            self.before, self.change, previous = g, length * direction, loss
            if (g * direction).sum().item() > -least:
                return
            self._add(self.change)
            if count >= most:
                return
            with enable_grad():
                loss = float(closure())
            g = self._gradient()
            if abs(loss - previous) < least or self.change.abs().max().item() <= least:
                return
