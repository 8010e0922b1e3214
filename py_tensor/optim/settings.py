"""Check numbers that optimizers and schedules are created with."""

from __future__ import annotations

from ..errors import ArgumentError
from ..functions.arguments import number


def positive(operation: str, setting: str, value: float) -> float:
    """Return the value as a float. Raise ArgumentError unless it is above 0."""
    checked = number(operation, setting, value)
    if not checked > 0:
        raise ArgumentError(
            f"{operation}: {setting} must be above 0; got {value}; use a positive number"
        )
    return checked


def numbers(operation: str, **settings: float) -> dict[str, float]:
    """Return settings as floats. Raise ArgumentError for others than numbers."""
    return {name: number(operation, name, value) for name, value in settings.items()}


def fractions(operation: str, **settings: float) -> dict[str, float]:
    """Return settings as floats. Raise ArgumentError for settings outside [0, 1)."""
    for name, value in numbers(operation, **settings).items():
        if not 0 <= value < 1:
            raise ArgumentError(
                f"{operation}: {name} is out of range; got {settings[name]}; use a number from 0 "
                "to below 1"
            )
    return numbers(operation, **settings)
