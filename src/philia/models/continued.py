"""A fit that begins where another ended: for graphs that have changed, and for links that come in one by one."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.factors import CommunityFactors
from philia.graphs import Graph, as_graph
from philia.graphs.graph import grown
from philia.initialization import choose_start
from philia.models.searching import solver_for
from philia.models.whole_starts import WholeStart
from philia.objective import CrossEntropy, HeldOut, ListedPairs
from philia.objective.new_rows import place_rows
from philia.solvers import OnIteration, shortened

if TYPE_CHECKING:
    from philia.models.community import CommunityModel


class FromModel(WholeStart):
    """A start from a fitted ``CommunityModel``: what it knows about the nodes that are still there.

    Nodes are matched by name. A new node begins where the earlier model places it, given its links with the earlier
    nodes; one without such links begins at the mean of all. Where the new model has fewer columns, the strongest of
    the earlier ones are kept; where it has more, those begin as without an earlier model.

    >>> from philia import CommunityModel
    >>> links = [("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "ann")]
    >>> earlier = CommunityModel(1, 1, penalty=0.1, random_state=0).fit(links)
    >>> later = CommunityModel(1, 1, penalty=0.1, start=FromModel(earlier)).fit([*links, ("zoe", "bob")])
    >>> bool(later.solution_.history[0] < 1.5 * later.solution_.history[-1])
    True
    """

    def __init__(self, model: CommunityModel) -> None:
        check_is_fitted(model)
        if not (isinstance(model.loss, CrossEntropy) and isinstance(model.factors_, CommunityFactors)):
            raise InvalidParameterError(
                f"a fit cannot begin from a {type(model).__name__}; give a fitted CommunityModel"
            )
        self.model = copy(model)  # fitting the model again must not move a start that was taken from it

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
        """The earlier columns for the nodes of the graph, new ones at their places."""
        model, names = self.model._settled(), self.model.graph_.nodes
        recipe, F = model._recipe(), model._columns(self.model.factors_)
        earlier = np.array([names.row(name) if name in names else -1 for name in graph.nodes], dtype=np.int64)
        found = np.where(earlier[:, None] >= 0, F[earlier], F.mean(axis=0))
        at = np.flatnonzero(earlier >= 0)
        links = graph.adjacency[np.flatnonzero(earlier < 0)][:, at].tocsr()
        new = np.flatnonzero(earlier < 0)[np.diff(links.indptr) > 0]
        if new.size:
            links = links[np.diff(links.indptr) > 0].astype(np.float64)
            executor = model._executor()
            found[new], _ = place_rows(recipe, F[earlier[at]], links, penalty=self.model.penalty_, executor=executor)
        return model._factors(found, recipe)


def _strongest(columns: Float64Array, count: int) -> Float64Array:
    """The columns with the largest entries, in their order."""
    if columns.shape[1] <= count:
        return columns
    kept: Int64Array = np.sort(np.argsort(-columns.max(axis=0), kind="stable")[:count])
    return columns[:, kept]


def fitted_with(model: CommunityModel, X: Any, iterations: int, on_iteration: OnIteration | None) -> CommunityModel:
    """Another model with the same settings, fitted to the graph with more links, from the factors of this one.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
    >>> fitted_with(model, [("cat", "zoe")], 5, None).graph_
    Graph(4 nodes, 3 links)
    """
    if iterations < 1:
        raise InvalidParameterError(f"iterations is {iterations!r}; it must be a whole number, 1 or more")
    before = model.graph_
    after = grown(before, as_graph(X, weights=before.weights is not None))
    following = model._settled()
    solver = solver_for(model.solver, after, following._recipe(), model.held_out_)
    following.set_params(start=FromModel(model), solver=shortened(solver, iterations))
    return following.fit(after, held_out=on_more_nodes(model.held_out_, before, after), on_iteration=on_iteration)


def on_more_nodes(held_out: HeldOut | None, before: Graph, after: Graph) -> HeldOut | None:
    """The same held-out pairs on a graph that has grown; hashed pairs know their rows, which stay, and need nothing.

    >>> from philia import as_graph
    >>> small, large = as_graph([("a", "b"), ("b", "c")]), as_graph([("a", "b"), ("b", "c"), ("c", "d")])
    >>> on_more_nodes(ListedPairs(small, [("a", "c")]), small, large).pairs(4)
    (array([0]), array([2]))
    """
    if isinstance(held_out, ListedPairs):
        return ListedPairs.of_rows(after, *held_out.pairs(before.n_nodes))
    return held_out
