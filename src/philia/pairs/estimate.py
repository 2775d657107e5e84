"""A number estimated from a sample, with its 95 % confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

NORMAL_95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: this many standard errors to either side make 95 %."""


@dataclass(frozen=True)
class Estimate:
    """A value and the ends of its 95 % interval; both ends are the value itself if it is exact.

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
        """An estimate whose error is approximately normal with this variance."""
        reach = NORMAL_95 * math.sqrt(variance)
        return cls(float(value), float(value - reach), float(value + reach))

    @classmethod
    def of_all(cls, value: float) -> Self:
        """An exact value, over all pairs."""
        return cls(float(value), float(value), float(value))

    @property
    def exact(self) -> bool:
        """Whether the value is exact."""
        return self.lower == self.upper

    def __str__(self) -> str:
        return f"{self.value:.5g} ({'exact' if self.exact else f'95 %: {self.lower:.4g} to {self.upper:.4g}'})"
