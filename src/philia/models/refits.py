"""The same model fitted again from other seeds, and how far those fits agree with it."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from philia.exceptions import InvalidParameterError
from philia.explain.stability import Stability, measure_stability
from philia.factors import CommunityFactors
from philia.models.whole_starts import WholeStart

if TYPE_CHECKING:
    from philia.models.link_model import LinkModel

OnFit = Callable[[int, int], None]
"""Called after each fit with the number of fits that are done and of those asked for."""


def refit_and_compare(model: LinkModel, fits: int, on_fit: OnFit | None) -> Stability:
    """How far fits from other seeds agree with a fitted model; Ctrl-C ends them and keeps those that are done.

    The same graph, settings and held-out pairs are used, and the seeds follow from the model's own, so that the same
    model gives the same answer.
    """
    asked: Any = fits
    if isinstance(asked, bool) or not isinstance(asked, numbers.Integral) or int(asked) < 1:
        raise InvalidParameterError(f"fits is {fits!r}; it must be a whole number, 1 or more")
    others: list[CommunityFactors] = []
    try:
        for seed in _other_seeds(model.random_state, int(fits)):
            other = model._settled().set_params(random_state=seed)
            if isinstance(getattr(other, "start", None), WholeStart):
                other.set_params(start="spectral")  # the same place every time would say nothing
            other.fit(model.graph_, held_out=model.held_out_)
            if other.solution_.reason == "interrupted":
                raise KeyboardInterrupt  # the solver kept its best point, but half a fit says nothing about the model
            others.append(other.factors_.readable())
            if on_fit is not None:
                on_fit(len(others), int(fits))
    except KeyboardInterrupt:
        if not others:
            raise
    return measure_stability(model.factors_.readable(), others)


def _other_seeds(random_state: object, count: int) -> list[int]:
    """Seeds that follow from a whole number; from 0 if the model had none, or a generator that has moved on."""
    own = abs(int(random_state)) if isinstance(random_state, numbers.Integral) else 0
    rng = np.random.default_rng([own, 1])  # not the model's own stream
    return [int(seed) for seed in rng.integers(2**31, size=count)]
