"""Functions of einops and opt_einsum, called with arrays."""

from __future__ import annotations

import einops
import numpy as np
import opt_einsum

from .call import Call, of

T = np.arange(2 * 6 * 4 * 3, dtype="float32").reshape(2, 6, 4, 3)
M = np.arange(24, dtype="float32").reshape(4, 6) / 10
Q = np.arange(30, dtype="float32").reshape(6, 5) / 10 - 1
R = np.arange(20, dtype="float32").reshape(5, 4) / 10 - 1

_CONTRACTIONS = [
    "ij,jk->ik",
    "ij,jk,kl->il",
    "ij,jk,ki->",
    "ij,jk->kj",
    "ij,jk->ijk",
    "ij,jk",
    "ij,jk,kl->i",
]


def shared(a, b):
    with opt_einsum.shared_intermediates():
        return opt_einsum.contract("ij,jk->ik", a, b), opt_einsum.contract("ij,jk->ki", a, b)


# fmt: off
CALLS: list[Call] = [
    *[of(f"einops.rearrange {p}", einops.rearrange, T, p, **o) for p, o in [
        ("b h w c -> b c h w", {}), ("b h w c -> (b h) w c", {}), ("b (h x) w c -> b h (x w) c", {"x": 2}),
        ("b h w c -> b (h w c)", {}), ("b (h x) (w y) c -> b h w (c x y)", {"x": 3, "y": 2}), ("b ... -> ... b", {}), ("b h w c -> b 1 h w c", {}),
    ]],
    of("einops.rearrange of a list", lambda a, b: einops.rearrange([a, b], "n h w -> h (n w)"), M, M),
    *[of(f"einops.reduce {kind}", einops.reduce, T, "b (h x) w c -> b h c", kind, x=2) for kind in ("sum", "mean", "max", "min", "prod")],
    *[of(f"einops.reduce {kind} of truth values", einops.reduce, T > 20, "b h w c -> b c", kind) for kind in ("any", "all")],
    of("einops.reduce global", einops.reduce, T, "b h w c -> c", "mean"),
    of("einops.reduce keeps axes", einops.reduce, T, "b h w c -> b 1 1 c", "max"),
    of("einops.reduce callable", lambda x: einops.reduce(x, "b h w c -> b c", lambda v, axes: v.__array_namespace__().sum(v, axis=tuple(axes))), T),
    of("einops.repeat", einops.repeat, M, "h w -> h (w k)", k=2),
    of("einops.repeat new axis", einops.repeat, M, "h w -> k h w", k=3),
    of("einops.repeat tiles", einops.repeat, M, "h w -> (k h) (l w)", k=2, l=3),
    of("einops.einsum", lambda a, b: einops.einsum(a, b, "i j, j k -> i k"), M, Q),
    of("einops.einsum names", lambda a, b: einops.einsum(a, b, "row inner, inner column -> column row"), M, Q),
    of("einops.einsum trace", lambda a: einops.einsum(a, "i i ->"), M[:, :4]),
    of("einops.pack", lambda a, b: einops.pack([a, b], "h *")[0], M, Q[:4]),
    of("einops.unpack", lambda a: einops.unpack(a, [(2,), (3,)], "h *"), Q),
    of("einops.parse_shape", lambda x: list(einops.parse_shape(x, "b h w _").values()), T),
    of("einops.asnumpy", lambda x: float(einops.asnumpy(x).sum()), T),
    *[of(f"einops.array_api.{name}", getattr(__import__("einops.array_api").array_api, name), T, p, *r, **o) for name, p, r, o in [("rearrange", "b h w c -> c (b h w)", (), {}), ("reduce", "b h w c -> h", ("max",), {}), ("repeat", "b h w c -> b h w c n", (), {"n": 2})]],
    of("einops.array_api.pack", lambda a, b: __import__("einops.array_api").array_api.pack([a, b], "h *")[0], M, Q[:4]),
    of("einops.array_api.unpack", lambda a: __import__("einops.array_api").array_api.unpack(a, [(2,), (3,)], "h *"), Q),
    *[of(f"opt_einsum.contract {p}", opt_einsum.contract, p, *(M, Q, R)[: p.count(",") + 1]) for p in _CONTRACTIONS],
    of("opt_einsum.contract one operand", opt_einsum.contract, "ij->ji", M),
    of("opt_einsum.contract sum", opt_einsum.contract, "ij->", M),
    of("opt_einsum.contract trace", opt_einsum.contract, "ii->", M[:, :4]),
    of("opt_einsum.contract ellipsis", opt_einsum.contract, "...ij,jk->...ik", T, Q[:3]),
    of("opt_einsum.contract lists of axes", opt_einsum.contract, M, [0, 1], Q, [1, 2], [0, 2]),
    of("opt_einsum.contract backend=auto", opt_einsum.contract, "ij,jk,kl->il", M, Q, R, optimize="greedy", backend="auto"),
    of("opt_einsum.contract memory limit", opt_einsum.contract, "ij,jk,kl->il", M, Q, R, memory_limit="max_input"),
    of("opt_einsum.contract_path", lambda *a: opt_einsum.contract_path("ij,jk,kl->il", *a)[0], M, Q, R),
    of("opt_einsum.contract_expression", lambda a, b: opt_einsum.contract_expression("ij,jk->ik", (4, 6), (6, 5))(a, b), M, Q),
    of("opt_einsum.contract_expression constants", lambda a, b: opt_einsum.contract_expression("ij,jk->ik", a, (6, 5), constants=[0])(b), M, Q),
    of("opt_einsum.shared_intermediates", shared, M, Q),
]
