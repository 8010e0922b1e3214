"""lgamma, digamma, erfc, i0 and betainc at chosen points, computed by SciPy 1.18 in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import assert_raises, assert_values

import py_tensor as pt
from py_tensor import errors

POINTS = {
    "lgamma": [
        (9.999999974752427e-07, 13.81551),
        (0.009999999776482582, 4.5994799),
        (0.30000001192092896, 1.09579795),
        (0.7400000095367432, 0.214267536),
        (0.75, 0.203280951),
        (1.0, 0),
        (1.2000000476837158, -0.0853741038),
        (1.25, -0.0982718364),
        (1.399999976158142, -0.119612913),
        (1.4900000095367432, -0.121100258),
        (1.5099999904632568, -0.120370736),
        (1.4600000381469727, -0.121485001),
        (2.0, 0),
        (2.5, 0.28468287),
        (3.700000047683716, 1.42807238),
        (7.989999771118164, 8.50501115),
        (8.010000228881836, 8.54532489),
        (20.0, 39.3398842),
        (1000.0, 5905.22042),
        (1000000.0, 12815504.6),
        (-0.5, 1.26551212),
        (-1.2999999523162842, 1.20247592),
        (-2.700000047683716, -0.0714070321),
        (-9.899999618530273, -12.5506286),
    ],
    "digamma": [
        (9.999999974752427e-07, -1000000.58),
        (0.009999999776482582, -100.560888),
        (0.30000001192092896, -3.50252408),
        (0.7400000095367432, -1.11154812),
        (0.75, -1.08586088),
        (1.0, -0.577215665),
        (1.2000000476837158, -0.289039836),
        (1.25, -0.227453533),
        (1.399999976158142, -0.061384569),
        (1.4900000095367432, 0.0271002848),
        (1.5099999904632568, 0.0457967807),
        (1.4600000381469727, -0.00158052502),
        (2.0, 0.422784335),
        (2.5, 0.703156641),
        (3.700000047683716, 1.16715355),
        (7.989999771118164, 2.01430919),
        (8.010000228881836, 2.01697199),
        (20.0, 2.97052399),
        (1000.0, 6.9072552),
        (1000000.0, 13.8155101),
        (-0.5, 0.036489974),
        (-1.2999999523162842, 2.88254124),
        (-2.700000047683716, -1.11534783),
        (-9.899999618530273, -7.32659818),
    ],
    "erfc": [
        (-6.0, 2),
        (-2.0, 1.99532227),
        (-0.30000001192092896, 1.32862677),
        (0.0, 1),
        (0.30000001192092896, 0.671373228),
        (0.49000000953674316, 0.48833173),
        (0.5099999904632568, 0.470756388),
        (1.0, 0.157299207),
        (2.0, 0.00467773498),
        (3.299999952316284, 3.0577108e-06),
        (5.0, 1.53745979e-12),
        (7.75, 5.93974786e-28),
    ],
    "i0": [
        (0.0, 1),
        (0.10000000149011612, 1.00250156),
        (1.0, 1.26606588),
        (-1.0, 1.26606588),
        (3.740000009536743, 9.04149692),
        (3.759999990463257, 9.19709923),
        (8.0, 427.564116),
        (20.0, 43558282.6),
        (60.0, 5.89407706e24),
        (-60.0, 5.89407706e24),
    ],
}
TOLERANCE = {
    "lgamma": (3e-6, 3e-6, "the result has roots at negative numbers, which cancellation reaches"),
    "digamma": (4e-6, 2e-6, "as for lgamma; the tangent near poles has the error of its argument"),
    "erfc": (
        1e-5,
        0.0,
        "exp(-x * x) has the relative error of x * x, which is 60 at the last point",
    ),
    "i0": (4e-6, 0.0, "exp(x) has the relative error of x, which is 60 at the last point"),
}
"""Relative and absolute error, and the reason."""


@pytest.mark.parametrize("name", POINTS)
def test_values(name):
    x, want = np.float32(POINTS[name]).T.copy()
    rtol, atol, _ = TOLERANCE[name]
    assert_values(getattr(pt, name)(pt.asarray(x)), want, rtol=rtol, atol=atol)


def test_poles_and_ends():
    x = pt.asarray([0.0, -1.0, -2.0, math.inf])
    assert pt.lgamma(x).tolist() == [math.inf] * 4
    assert np.isnan(pt.digamma(x[:3]).numpy()).all()
    assert pt.digamma(x[3]).item() == math.inf
    assert pt.erfc(pt.asarray([-math.inf, math.inf])).tolist() == [2.0, 0.0]


DERIVATIVES = {
    "lgamma": lambda x: DIGAMMA[x],
    "digamma": lambda x: TRIGAMMA[x],
    "i0": lambda x: I1[x],
    "erfc": lambda x: -2 / math.sqrt(math.pi) * math.exp(-x * x),
}
DIGAMMA = {
    0.3: -3.50252422,
    0.9: -0.75492695,
    1.5: 0.036489974,
    2.0: 0.422784335,
    3.5: 1.10315664,
    7.9: 2.00223849,
    8.1: 2.02886746,
    12.0: 2.44266168,
}
TRIGAMMA = {
    0.3: 12.2453645,
    0.9: 1.92253996,
    1.5: 0.934802201,
    2.0: 0.644934067,
    3.5: 0.330357756,
    7.9: 0.134930783,
    8.1: 0.131390247,
    12.0: 0.0869018729,
}
I1 = {
    0.3: 0.15169384,
    0.9: 0.497126448,
    1.5: 0.981666429,
    2.0: 1.59063685,
    3.5: 6.20583492,
    7.9: 363.853944,
    8.1: 439.484309,
    12.0: 18141.3488,
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_gradients(name):
    points = sorted(DIGAMMA)
    got = pt.vmap(pt.grad(getattr(pt, name)))(pt.asarray(points))
    assert_values(got, np.float32([*map(DERIVATIVES[name], points)]), rtol=1e-5)


BETAINC = [
    (2.0, 3.0, 0.5, 0.6875),
    (0.5, 0.5, 0.1, 0.204832766),
    (0.5, 0.5, 0.9, 0.79516721),
    (1.0, 1.0, 0.25, 0.25),
    (5.0, 2.0, 0.3, 0.010935002),
    (2.0, 5.0, 0.9, 0.999945),
    (10.0, 20.0, 0.4, 0.785318409),
    (30.0, 10.0, 0.7, 0.224129701),
    (50.0, 50.0, 0.5, 0.5),
    (8.0, 0.5, 0.99, 0.692992289),
    (0.25, 6.0, 0.01, 0.532140698),
]


def test_betainc():
    a, b, x, want = np.float32(BETAINC).T.copy()
    # Each of the 128 factors of the continued fraction is rounded.
    got = pt.betainc(pt.asarray(a), pt.asarray(b), pt.asarray(x))
    assert_values(got, want, rtol=3e-5, atol=1e-6)
    assert_values(pt.betainc(2.0, 3.0, pt.asarray([0.0, 1.0])), np.float32([0, 1]))
    wrong = pt.betainc(
        pt.asarray([-1.0, 1.0, 1.0, 1.0]), 1.0, pt.asarray([0.5, -0.5, 1.5, math.nan])
    )
    assert np.isnan(wrong.numpy()).all()


def test_gradient_of_betainc():
    a, b, x, _ = np.float64(BETAINC).T
    density = [
        math.exp(
            math.lgamma(p + q)
            - math.lgamma(p)
            - math.lgamma(q)
            + (p - 1) * math.log(y)
            + (q - 1) * math.log1p(-y)
        )
        for p, q, y in zip(a, b, x, strict=True)
    ]
    got = pt.vmap(pt.grad(pt.betainc, argnums=2))(*(pt.asarray(np.float32(v)) for v in (a, b, x)))
    assert_values(got, np.float32(density), rtol=1e-4)
    assert_raises(
        errors.GradientError,
        "betainc: there is no gradient with respect to a and b; got a floating tensor for one; "
        "use pt.stop_gradient",
        lambda: pt.grad(pt.betainc)(2.0, 3.0, 0.5),
    )
