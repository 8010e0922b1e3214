"""Numbers as JSON can say them."""

import math
from collections.abc import Iterable


def finite(values: Iterable[float]) -> list[float | None]:
    """The values, None in the place of NaN and the infinities, which JSON lacks."""
    return [value if math.isfinite(value) else None for value in values]
