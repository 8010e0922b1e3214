"""Functions of scipy.special, called with arrays."""

from __future__ import annotations

import numpy as np
from scipy import special

from .call import MASK, Call, P, U, X, Z, each, of

N = np.asarray([[2.0], [3.0], [5.0]], "float32")
K = np.asarray([[1.0], [2.0], [3.0]], "float32")
S = (X[:3] / 3).astype("float32")
D = (40 * X[:3]).astype("float32")

# fmt: off
_REAL = "erf erfc erfcx expit exprel exp2 exp10 cbrt cosm1 entr expi exp1 sinc i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1 ndtr log_ndtr psi gamma gammaln gammasgn loggamma rgamma spence zetac"
_UNIT = "erfinv ellipk ellipkm1 logit ndtri"
_DEGREES = "cosdg sindg tandg cotdg"


def named(names: str) -> list:
    return [getattr(special, name) for name in names.split()]


CALLS: list[Call] = [
    *each("scipy.special", named(_REAL), P),
    *each("scipy.special", named(_UNIT), U),
    *each("scipy.special", named(_DEGREES), D),
    *each("scipy.special", named("bdtr bdtrc"), K, N + 2, U),
    *each("scipy.special", named("bdtri"), K, N + 2, U),
    *each("scipy.special", named("betainc betaincc betaincinv"), P, P[::-1], U),
    *each("scipy.special", named("betaln"), P, P[::-1]),
    *each("scipy.special", named("binom"), N, K),
    *each("scipy.special", named("boxcox boxcox1p inv_boxcox inv_boxcox1p"), P, U),
    *each("scipy.special", named("chdtr chdtrc"), N, P),
    *each("scipy.special", named("chdtri"), N, U),
    *each("scipy.special", named("expn"), np.asarray([[1], [2], [3]], "int32"), P),
    *each("scipy.special", named("fdtr fdtrc"), N, N + 1, P),
    *each("scipy.special", named("fdtri"), N, N + 1, U),
    *each("scipy.special", named("gammainc gammaincc"), P, P[::-1]),
    *each("scipy.special", named("gammaincinv gammainccinv"), P, U),
    *each("scipy.special", named("gdtr gdtrc"), P, P[::-1], U),
    *each("scipy.special", named("huber pseudo_huber"), P, P[::-1]),
    *each("scipy.special", named("hyp1f1"), P, P + 1, U),
    *each("scipy.special", named("kl_div rel_entr xlogy xlog1py"), P, P[::-1]),
    *each("scipy.special", named("lpmv"), K - 1, N, U),
    *each("scipy.special", named("multigammaln"), P + 2, 3),
    *each("scipy.special", named("nbdtr nbdtrc nbdtri"), np.asarray([[1], [2], [3]], "int32"), np.asarray([[4], [5], [6]], "int32"), U),
    *each("scipy.special", named("pdtr pdtrc"), N, P),
    *each("scipy.special", named("pdtri"), np.asarray([[1], [2], [3]], "int32"), U),
    *each("scipy.special", named("poch"), P, P[::-1]),
    *each("scipy.special", named("polygamma"), 2, P),
    *each("scipy.special", named("radian"), P, P, P),
    *each("scipy.special", named("stdtr"), N, P),
    *each("scipy.special", named("stdtrit"), N, U),
    *each("scipy.special", named("yn"), np.asarray([[1], [2], [3]], "int32"), P),
    of("scipy.special.zeta two arguments", special.zeta, P + 1.5, P),
    of("scipy.special.zeta", special.zeta, P + 1.5),
    of("scipy.special.erf negative", special.erf, S),
    of("scipy.special.gammaln negative", special.gammaln, S),
    of("scipy.special.expit large", special.expit, D),
    of("scipy.special.log_ndtr negative", special.log_ndtr, S * 3),
    of("scipy.special.logsumexp", special.logsumexp, X),
    of("scipy.special.logsumexp axis", special.logsumexp, X, axis=1, keepdims=True),
    of("scipy.special.logsumexp weights", special.logsumexp, P, b=U, axis=0),
    of("scipy.special.logsumexp return_sign", special.logsumexp, P, b=U - 0.5, axis=0, return_sign=True),
    of("scipy.special.logsumexp complex", special.logsumexp, Z, axis=0),
    of("scipy.special.softmax", special.softmax, X, axis=1),
    of("scipy.special.log_softmax", special.log_softmax, X, axis=1),
    of("scipy.special.entr of a mask", special.entr, MASK.astype("float32")),
]
