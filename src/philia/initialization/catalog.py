"""The starts by name."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.graphs.graph import Graph
from philia.initialization.spectral import spectral
from philia.initialization.uniform import uniform


class Start(Protocol):
    """A way to choose B and C before the first step."""

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B and C; ``baseline`` is the logit that two nodes without a common group should get from them."""
        ...


STARTS: dict[str, Start] = {"spectral": spectral, "uniform": uniform}


def choose_start(start: str | Start) -> Start:
    """The start called by a name; a function is returned as it is.

    >>> choose_start("uniform").__name__
    'uniform'
    """
    if not isinstance(start, str):
        return start
    if start not in STARTS:
        raise InvalidParameterError(f"there is no start {start!r}; use {', '.join(map(repr, STARTS))}, or a function")
    return STARTS[start]
