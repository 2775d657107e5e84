"""A number that was estimated from a sample, with the interval that holds the exact one 95 times out of 100."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """A value, and the ends of its 95 % interval; both are the value itself where nothing had to be estimated.

    >>> print(Estimate.from_variance(-0.5, 0.0001))
    -0.5 (95 %: -0.5196 to -0.4804)
    >>> print(Estimate.of_all(-0.5))
    -0.5 (exact)
    """

    value: float
    lower: float
    upper: float

    @classmethod
    def from_variance(cls, value: float, variance: float) -> Self:
        """An estimate whose error is about normal with this variance."""
        reach = _NORMAL_95 * math.sqrt(variance)
        return cls(float(value), float(value - reach), float(value + reach))

    @classmethod
    def of_all(cls, value: float) -> Self:
        """A value over all pairs, without an error."""
        return cls(float(value), float(value), float(value))

    @property
    def exact(self) -> bool:
        """Whether nothing had to be estimated."""
        return self.lower == self.upper

    def __str__(self) -> str:
        return f"{self.value:.5g} ({'exact' if self.exact else f'95 %: {self.lower:.4g} to {self.upper:.4g}'})"
