"""The registry of starts: each is a function with one line here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol, Self

import numpy as np

from philia._types import Float64Array
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.initialization.fitted import logistic, signed
from philia.initialization.spectral import spectral
from philia.initialization.uniform import background, uniform


class Start(Protocol):
    """A function that chooses B and C before the first step."""

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B and C; ``baseline`` is the log-odds that they should give two nodes without a common group."""
        ...


class WholeStart(ABC):
    """A start that sets the background as well as B and C.

    >>> from philia.models import FromModel
    >>> issubclass(FromModel, WholeStart)
    True
    """

    @abstractmethod
    def factors(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, rng: np.random.Generator
    ) -> CommunityFactors:
        """B, C and the background for the nodes of a graph."""

    def __call__(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, baseline: float, rng: np.random.Generator
    ) -> tuple[Float64Array, Float64Array]:
        """B and C alone, as other starts return them."""
        found = self.factors(graph, n_homophilous, n_heterophilous, rng)
        return found.homophilous, found.heterophilous

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # immutable, so copies of a model's settings may share it


STARTS: dict[str, Start] = {
    "spectral": spectral,
    "uniform": uniform,
    "background": background,
    "signed": signed,
    "logistic": logistic,
}


def choose_start(start: str | Start) -> Start:
    """The start with a name; a function is returned as it is.

    >>> choose_start("uniform").__name__
    'uniform'
    """
    names = ", ".join(map(repr, STARTS))
    if not isinstance(start, str):
        if not callable(start):
            raise InvalidParameterError(
                f"start is a {type(start).__name__}; use {names}, a function, or, to begin where a fitted model ended, "
                "philia.models.FromModel(model)"
            )
        return start
    if start not in STARTS:
        raise InvalidParameterError(f"there is no start {start!r}; use {names}, or a function")
    return STARTS[start]
