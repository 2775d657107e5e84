"""Warm starts: a search that begins at given factors, or where an earlier model ended."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.execution import as_executor
from philia.factors import CommunityFactors, LogisticFactors, SignedFactors
from philia.factors.conversion import split, strongest
from philia.fitting.community import CommunityParametrization
from philia.fitting.estimator import check_is_fitted
from philia.graphs import Graph
from philia.initialization import WholeStart, choose_start
from philia.objective import CrossEntropy
from philia.objective.fold_in import fold_in


class FromFactors(WholeStart):
    """A warm start from given factors of the same nodes.

    >>> start = FromFactors(CommunityFactors.attracting(np.ones((3, 2))))
    >>> start.given.homophilous.shape, start.counts
    ((3, 2), (2, 0))
    """

    def __init__(self, given: CommunityFactors) -> None:
        self.given = given

    @classmethod
    def converted(cls, factors: LogisticFactors | SignedFactors, k: int) -> FromFactors:
        """A warm start from factors of any sign: converted by the paper's Algorithm 1, keeping the k strongest columns.

        ``counts`` says how many of them attract and how many repel.

        >>> from philia import CommunityModel, LogisticPCA
        >>> from philia.datasets import dating_app
        >>> graph = dating_app(n=120, cities=3, random_state=0).graph
        >>> start = FromFactors.converted(LogisticPCA(3, penalty=1, random_state=0).fit(graph).factors_, 6)
        >>> model = CommunityModel(*start.counts, penalty=1, background="none", start=start).fit(graph)
        >>> start.counts, model.factors_.counts
        ((3, 3), (3, 3))
        """
        return cls(strongest(split(factors), k))

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of attracting and repelling columns, which the model must ask for."""
        return self.given.counts

    def factors(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, rng: np.random.Generator
    ) -> CommunityFactors:
        """The given factors, after a check of their size."""
        asked, found = (n_homophilous, n_heterophilous), self.counts
        if self.given.n_nodes != graph.n_nodes:
            raise InvalidParameterError(
                f"the start has {self.given.n_nodes:,} nodes and the graph has {graph.n_nodes:,}; give factors of the "
                "same graph"
            )
        if asked != found:
            raise InvalidParameterError(
                f"the start has {found[0]} + {found[1]} columns and the model asks for {asked[0]} + {asked[1]}; use "
                "CommunityModel(*start.counts, start=start)"
            )
        return self.given


class FromModel(WholeStart):
    """A warm start from a fitted ``CommunityModel`` of a graph that may have changed since.

    Nodes are matched by name. A new node is folded into the earlier model by its links with earlier nodes; one without
    such links starts at the mean of all rows. If the new model has fewer columns, the strongest earlier ones are kept;
    if it has more, the additional ones get a spectral start.

    >>> from philia import CommunityModel
    >>> links = [("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "ann")]
    >>> earlier = CommunityModel(1, 1, penalty=0.1, random_state=0).fit(links)
    >>> later = CommunityModel(1, 1, penalty=0.1, start=FromModel(earlier)).fit([*links, ("zoe", "bob")])
    >>> bool(later.solution_.history[0] < 1.5 * later.solution_.history[-1])
    True
    """

    def __init__(self, model: Any) -> None:
        check_is_fitted(model)
        if not (isinstance(model.loss, CrossEntropy) and isinstance(model.factors_, CommunityFactors)):
            raise InvalidParameterError(
                f"a fit cannot begin from a {type(model).__name__}; give a fitted CommunityModel"
            )
        self.model = copy(model)  # refitting the model must not change this start

    def __repr__(self) -> str:
        return f"FromModel({self.model!r})"

    def factors(
        self, graph: Graph, n_homophilous: int, n_heterophilous: int, rng: np.random.Generator
    ) -> CommunityFactors:
        """B, C and the background for the nodes of a graph."""
        rows = self._rows(graph)
        B, C = rows.homophilous, rows.heterophilous
        more = max(0, n_homophilous - B.shape[1]), max(0, n_heterophilous - C.shape[1])
        extra_B, extra_C = choose_start("spectral")(graph, *more, 0.0, rng)
        return CommunityFactors(
            np.hstack([_strongest(B, n_homophilous), extra_B]),
            np.hstack([_strongest(C, n_heterophilous), extra_C]),
            rows.background,
        )

    def _rows(self, graph: Graph) -> CommunityFactors:
        """The earlier rows of the nodes of the graph, with new nodes folded in."""
        model, names = self.model, self.model.graph_.nodes
        k_B, k_C = model.factors_.counts
        parametrization = CommunityParametrization(k_B, k_C, model.background)
        F = parametrization.columns(model.factors_)
        earlier = np.array([names.row(name) if name in names else -1 for name in graph.nodes], dtype=np.int64)
        found = np.where(earlier[:, None] >= 0, F[earlier], F.mean(axis=0))
        at = np.flatnonzero(earlier >= 0)
        links = graph.adjacency[np.flatnonzero(earlier < 0)][:, at].tocsr()
        new = np.flatnonzero(earlier < 0)[np.diff(links.indptr) > 0]
        if new.size:
            links = links[np.diff(links.indptr) > 0].astype(np.float64)
            executor = as_executor(model.executor, model.n_jobs)
            known = F[earlier[at]]
            found[new], _ = fold_in(parametrization.recipe, known, links, penalty=model.penalty_, executor=executor)
        return parametrization.factors(found)


def _strongest(columns: Float64Array, count: int) -> Float64Array:
    """The columns with the largest entries, in their original order."""
    if columns.shape[1] <= count:
        return columns
    kept: Int64Array = np.sort(np.argsort(-columns.max(axis=0), kind="stable")[:count])
    return columns[:, kept]
