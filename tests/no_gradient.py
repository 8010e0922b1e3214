"""Ops of the op table without a gradient, and the reasons; the reference states them too."""

from __future__ import annotations

WITHOUT = dict.fromkeys(
    (
        *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
        *("isfinite", "isinf", "isnan", "signbit", "any", "all"),
        *("logical_and", "logical_or", "logical_xor", "logical_not"),
    ),
    "the result is bool",
)
WITHOUT |= dict.fromkeys(
    (
        *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert"),
        *("bitwise_left_shift", "bitwise_right_shift"),
        *("threefry2x32", "threefry_first", "bits_to_unit_float", "cos_of_turn", "from_bfloat16"),
    ),
    "operands are integers",
)
WITHOUT |= dict.fromkeys(
    ("argmax", "argmin", "argsort", "search", "last_position"), "the result is a position"
)
WITHOUT |= dict.fromkeys(("iota", "constant"), "there is no operand")
WITHOUT["nextafter"] = "the result follows no formula, only the dtype's numbers"
