"""Numbers that JSON can represent."""

import math
from collections.abc import Iterable


def finite(values: Iterable[float]) -> list[float | None]:
    """Replace NaN and the infinities, which JSON lacks, by None."""
    return [value if math.isfinite(value) else None for value in values]
