"""The starts by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.graphs.graph import Graph
from philia.initialization.background import background
from philia.initialization.spectral import spectral
from philia.initialization.uniform import uniform


class Start(Protocol):
    """A way to choose B and C before the first step."""

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B and C; ``baseline`` is the logit that two nodes without a common group should get from them."""
        ...


STARTS: dict[str, Start] = {"spectral": spectral, "uniform": uniform, "background": background}


def choose_start(start: str | Start, more: Mapping[str, Start] | None = None) -> Start:
    """The start called by a name, one of ``more`` included; a function is returned as it is.

    >>> choose_start("uniform").__name__
    'uniform'
    """
    known = {**STARTS, **(more or {})}
    names = ", ".join(map(repr, known))
    if not isinstance(start, str):
        if not callable(start):
            raise InvalidParameterError(
                f"start is a {type(start).__name__}; use {names}, a function, or, to begin where a fitted model ended, "
                "philia.models.FromModel(model)"
            )
        return start
    if start not in known:
        raise InvalidParameterError(f"there is no start {start!r}; use {names}, or a function")
    return known[start]
