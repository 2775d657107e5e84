"""The one fit that all factorisation models share, and what any of them can do afterwards."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array, Node, Pair
from philia.datasets.sampling import sample_graph
from philia.exceptions import InvalidGraphError, InvalidParameterError
from philia.execution import LocalThreads, one_blas_thread
from philia.explain import PredictedLink, best_missing_links
from philia.factors import CommunityFactors
from philia.graphs import Graph, as_graph
from philia.models.files import KeptModel, read_model, write_model
from philia.objective import AllPairsObjective, HeldOut, ListedPairs, RandomPairs, Recipe
from philia.objective.held_out import rows_of_pairs
from philia.solvers import OnIteration, Solution, Solver, as_solver

HeldOutLike = float | HeldOut | Iterable[Pair] | None


class Factorization(BaseEstimator):
    """A model of links between pairs of nodes from a few numbers a node.

    A model is a recipe (its columns, mixing and loss), a start, and the factors that its fitted columns are read as.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    >>> len(model.top_links(count=2)), model.sample(random_state=0).n_nodes, model.score() < 0
    (2, 4, True)
    """

    penalty: float
    solver: str | Solver
    include_diagonal: bool
    random_state: Any
    dtype: str
    n_jobs: int | None

    graph_: Graph
    solution_: Solution
    factors_: CommunityFactors
    held_out_: HeldOut | None

    @abstractmethod
    def _recipe(self) -> Recipe:
        """The model's row of the table."""

    @abstractmethod
    def _start(self, graph: Graph, recipe: Recipe, rng: np.random.Generator) -> Float64Array:
        """F (n × k) before the first step."""

    @abstractmethod
    def _factors(self, F: Float64Array, recipe: Recipe) -> CommunityFactors:
        """The factors that fitted columns are read as."""

    @abstractmethod
    def _columns(self, factors: CommunityFactors) -> Float64Array:
        """F again, from the factors: the inverse of ``_factors``."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Complain about settings that make no sense, before any work."""

    def fit(
        self, X: Any, y: Any = None, *, held_out: HeldOutLike = None, on_iteration: OnIteration | None = None
    ) -> Self:
        """Fit the model to a graph, given in any form that ``as_graph`` takes; ``y`` is ignored.

        ``held_out`` keeps pairs, links and non-links alike, out of the loss: a share of all pairs such as 0.1, or a
        list of pairs of names. ``on_iteration`` is called with a ``Progress`` after each step. Ctrl-C keeps the best
        point so far.
        """
        self._check_parameters()
        graph = as_graph(X)
        if graph.n_nodes == 0:
            raise InvalidGraphError("the graph has no nodes; there is nothing to fit")
        rng = _generator(self.random_state)
        recipe = self._recipe()
        self.held_out_ = _as_held_out(graph, held_out, rng)
        objective = self._objective(graph, recipe, penalty=self.penalty, held_out=self.held_out_)
        with one_blas_thread():
            start = self._start(_seen(graph, self.held_out_), recipe, rng)
            self.solution_ = as_solver(self.solver).minimize(
                objective.value_and_gradient, recipe.point(start), recipe.lower_bounds(graph.n_nodes), on_iteration
            )
        self.factors_ = self._factors(recipe.factors(self.solution_.point, graph.n_nodes), recipe)
        self.graph_ = graph
        self.n_features_in_ = graph.n_nodes
        return self

    def decision_function(self, pairs: Iterable[Pair]) -> Float64Array:
        """The logit (log-odds of a link) of each pair of node names."""
        check_is_fitted(self)
        return self.factors_.logits(*rows_of_pairs(self.graph_, pairs))

    def predict_proba(self, pairs: Iterable[Pair]) -> Float64Array:
        """The probability of a link for each pair of node names."""
        return np.asarray(self._recipe().loss.probability(self.decision_function(pairs)))

    def score(self, X: Any = None, y: Any = None, *, pairs: Iterable[Pair] | None = None) -> float:
        """The mean log-likelihood a pair, of all pairs of different nodes or of the ``pairs`` given; 0 is perfect.

        ``X`` is a graph on the same nodes; without it, the one the model was fitted to.
        """
        check_is_fitted(self)
        graph = self.graph_ if X is None else as_graph(X)
        if graph.nodes != self.graph_.nodes:
            raise InvalidGraphError(
                "the graph to score has other nodes than the fitted one; give it the same nodes in the same order"
            )
        if pairs is not None:
            rows, columns = rows_of_pairs(graph, pairs)
            if not rows.size:
                raise InvalidParameterError("there are no pairs to score; give at least one")
            linked = graph.linked(rows, columns)
            logits = self.factors_.logits(rows, columns)
            return float(np.mean(linked * logits - np.logaddexp(0, logits)))
        recipe = self._recipe()
        objective = self._objective(graph, recipe, penalty=0.0, diagonal=False)
        value, _ = objective.by_factors(self._columns(self.factors_))
        return -value / max(1, graph.n_nodes * (graph.n_nodes - 1))

    def top_links(self, node: Node | None = None, count: int = 10) -> list[PredictedLink]:
        """The likeliest links that are not in the graph, of one node or of all, best first."""
        check_is_fitted(self)
        return best_missing_links(self.graph_, self.factors_, count, node)

    def sample(self, random_state: Any = None) -> Graph:
        """A new graph on the same nodes, each link drawn with its fitted probability."""
        check_is_fitted(self)
        rng = _generator(random_state)
        probability = self._recipe().loss.probability
        return sample_graph(
            lambda rows, columns: probability(self.factors_.logit_block(rows, columns)), self.graph_.nodes, rng
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model with its graph, names, settings and loss history to a safetensors file."""
        check_is_fitted(self)
        write_model(
            path,
            type(self).__name__,
            self.get_params(deep=False),
            self.graph_,
            self.factors_,
            self.solution_,
            self.held_out_,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A model from the file that ``save`` wrote."""
        kept = read_model(path)
        if kept.model != cls.__name__:
            raise InvalidParameterError(
                f"{str(path)!r} holds a {kept.model}, not a {cls.__name__}; use philia.load(path)"
            )
        return cls._restored(kept)

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = cls(**kept.parameters)
        recipe = model._recipe()
        model.graph_, model.factors_, model.held_out_ = kept.graph, kept.factors, kept.held_out
        model.solution_ = replace(kept.solution, point=recipe.point(model._columns(kept.factors)))
        model.n_features_in_ = kept.graph.n_nodes
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # a row and a column a node
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags

    def _objective(
        self,
        graph: Graph,
        recipe: Recipe,
        *,
        penalty: float,
        held_out: HeldOut | None = None,
        diagonal: bool | None = None,
    ) -> AllPairsObjective:
        return AllPairsObjective(
            graph,
            recipe,
            penalty=penalty,
            diagonal=self.include_diagonal if diagonal is None else diagonal,
            held_out=held_out,
            dtype=self.dtype,
            executor=LocalThreads(self.n_jobs),
        )


def _as_held_out(graph: Graph, held_out: HeldOutLike, rng: np.random.Generator) -> HeldOut | None:
    if held_out is None or isinstance(held_out, HeldOut):
        return held_out
    if isinstance(held_out, (int, float)):
        return RandomPairs(float(held_out), seed=int(rng.integers(2**63)))
    return ListedPairs(graph, held_out)


def _seen(graph: Graph, held_out: HeldOut | None) -> Graph:
    """The graph without its held-out links, so that the start knows no more than the loss."""
    if held_out is None:
        return graph
    rows, columns = graph.links
    seen = ~held_out.contains(rows, columns)
    return Graph.from_rows(rows[seen], columns[seen], graph.nodes)


def _generator(random_state: Any) -> np.random.Generator:
    """A generator from all that NumPy takes as a seed; scikit-learn's ``RandomState`` gives a seed drawn from it."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"random_state is {random_state!r} ({error}); use a whole number, 0 or more"
        ) from None
