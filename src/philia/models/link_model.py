"""What any model of links can do once it is fitted, and the door that every fit goes through."""

from __future__ import annotations

import numbers
import os
from abc import abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, Self, get_type_hints

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from philia._types import Float64Array, Node, Pair
from philia.datasets.sampling import sample_graph
from philia.exceptions import DivergedError, InvalidGraphError, InvalidParameterError
from philia.explain import (
    Communities,
    PredictedLink,
    RuleComparison,
    RuleEffect,
    Stability,
    best_missing_links,
    describe,
    find_communities,
)
from philia.explain.rules import rule_names
from philia.factors import Factors, LowRankFactors
from philia.factors.factors import Rows
from philia.graphs import DescribedGraph, Graph, as_graph
from philia.models.files import KeptModel, read_model, refusing_damage, write_model
from philia.models.held_out import HeldOutLike, as_held_out
from philia.models.journal import Journal, NoJournal
from philia.models.refits import OnFit, refit_and_compare
from philia.models.resuming import CheckpointLike, ResumableFit
from philia.objective import HeldOut, Loss, mean_log_likelihood
from philia.objective.drawing import draw_graph
from philia.objective.estimated_likelihood import estimated_log_likelihood
from philia.objective.held_out import rows_of_pairs
from philia.solvers import OnIteration, Solution

ALL_PAIRS = 20_000
"""Up to so many nodes the likelihood is summed over all pairs; that takes some ten seconds at most."""

PAIR_BY_PAIR = 8192
"""Up to so many nodes links are drawn pair by pair; that takes some seconds at most."""


class LinkModel(BaseEstimator):
    """A model that scores pairs of nodes from a few numbers a node.

    A model says what its scores mean (a loss) and how factors are learned from a graph; the rest is written here once.

    >>> from philia import SVD
    >>> model = SVD(2, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    >>> len(model.top_links(count=2)), model.sample(random_state=0).n_nodes, model.score() < 0
    (2, 4, True)
    """

    loss: ClassVar[Loss]
    """What a score means: its cost with and without a link, and the probability it stands for."""

    random_state: Any

    graph_: Graph
    factors_: Factors
    solution_: Solution
    held_out_: HeldOut | None
    stability_: Stability | None = None
    _journal: Journal = NoJournal()

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the membership rules that the model offers; the first is its default."""
        return rule_names(for_all_models=True)

    @abstractmethod
    def _learn(
        self, graph: Graph, rng: np.random.Generator, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        """Factors for the graph, without the pairs in ``self.held_out_``, and how the search for them went."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Complain about settings that make no sense, before any work."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        held_out: HeldOutLike = None,
        on_iteration: OnIteration | None = None,
        checkpoint: CheckpointLike = None,
    ) -> Self:
        """Fit the model to a graph, given in any form that ``as_graph`` takes; ``y`` is ignored.

        ``held_out`` hides pairs, links and non-links alike, because they are to be judged by or because nothing is
        known about them: a share of all pairs such as 0.1, a list of pairs of names, or a function that is given a
        column and a row of names and says which of their pairs to leave out. If X is a :class:`philia.Graph` with
        weights, models with a loss over all pairs count each link as its weight says; ``SVD``, ``NormalizedCuts``,
        ``VGraph`` and ``RandomLinks`` take all links alike. ``on_iteration`` is called with a ``Progress`` after each
        step. Ctrl-C keeps the best point so far.

        ``checkpoint`` is a folder in which a long fit notes how far it has come. If it holds such notes of the same
        fit, that one goes on, to the same result as if it had never been ended; it is removed when the fit is done.
        """
        self._check_parameters()
        graph = as_graph(X)
        if graph.n_nodes == 0:
            raise InvalidGraphError("the graph has no nodes; there is nothing to fit")
        rng = generator(self.random_state)
        fit = ResumableFit(checkpoint, rng, seeded=isinstance(self.random_state, numbers.Integral))
        self.held_out_ = as_held_out(graph, held_out, rng)
        # Numbers may overflow on the way, in a step that is then given up. Where it ends is what counts.
        overflowing = np.errstate(over="ignore", invalid="ignore", divide="ignore")
        with overflowing, self._working(), fit.journal(self, graph) as self._journal:
            try:
                factors, solution = self._learn(graph, rng, on_iteration)
            finally:
                del self._journal
            self._check_finite(graph, factors, solution)
        self.factors_, self.solution_ = factors, solution
        self.graph_ = graph
        self.n_features_in_ = graph.n_nodes
        self.stability_ = None
        return self

    def _check_finite(self, graph: Graph, factors: Factors, solution: Solution) -> None:
        """Refuse what is no model: a loss or factors that are not finite, or a search that ended before it began."""
        begun = bool(len(solution.history))
        if solution.reason == "interrupted" and not begun:
            raise KeyboardInterrupt
        if begun and not np.isfinite(solution.value):
            found = f"a loss of {solution.value}"
        elif not factors.usable:
            found = "factors that are not finite, or too large to be multiplied"
        else:
            return
        if graph.weights is None:
            advice = "use another solver, start or penalty"
        else:
            least, most = graph.weights.min(initial=np.inf), graph.weights.max(initial=0.0)
            advice = f"weights from {least:.3g} to {most:.3g} are a likely cause; scale them, or fit without weights"
        raise DivergedError(f"the fit of {type(self).__name__} ended in {found}, so there is no model; {advice}")

    def decision_function(self, pairs: Iterable[Pair]) -> Float64Array:
        """The score of each pair of node names; for models with a sigmoid the logit, the log-odds of a link."""
        check_is_fitted(self)
        return self.factors_.scores(*rows_of_pairs(self.graph_, pairs))

    def predict_proba(self, pairs: Iterable[Pair]) -> Float64Array:
        """The probability of a link for each pair of node names."""
        return np.asarray(self.loss.probability(self.decision_function(pairs)))

    def expected(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """The expected entries of the adjacency matrix at pairs of rows; not in [0, 1] for all models."""
        check_is_fitted(self)
        return np.asarray(self.loss.expected(self.factors_.scores(rows, columns)))

    def expected_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The expected entries of the adjacency matrix in a block of rows and columns."""
        check_is_fitted(self)
        return np.asarray(self.loss.expected(self.factors_.score_block(rows, columns)))

    def score(self, X: Any = None, y: Any = None, *, pairs: Iterable[Pair] | None = None) -> float:
        """The mean log-likelihood a pair, of all pairs of different nodes or of the ``pairs`` given; 0 is perfect.

        ``X`` is a graph on the same nodes; without it, the one the model was fitted to. Where a model does not give
        probabilities its values are brought into [0, 1], a trillionth away from either end.

        Above 20,000 nodes the mean over all pairs is estimated from all links and a sample of the other pairs, always
        the same; ``philia.evaluate.estimated_likelihood`` gives the interval with it.
        """
        check_is_fitted(self)
        graph = self.graph_ if X is None else as_graph(X)
        if graph.nodes != self.graph_.nodes:
            raise InvalidGraphError(
                "the graph to score has other nodes than the fitted one; give it the same nodes in the same order"
            )
        if pairs is None and graph.n_nodes > ALL_PAIRS and isinstance(self.factors_, LowRankFactors):
            return estimated_log_likelihood(graph, self.factors_, self.loss, np.random.default_rng(0)).value
        if pairs is None:
            return mean_log_likelihood(graph, self.factors_.score_block, self.loss)
        rows, columns = rows_of_pairs(graph, pairs)
        if not rows.size:
            raise InvalidParameterError("there are no pairs to score; give at least one")
        scores = self.factors_.scores(rows, columns)
        return float(np.mean(self.loss.log_likelihood(scores, graph.linked(rows, columns))))

    def communities(self, rule: str | float | None = None) -> Communities:
        """The communities as overlapping sets of names with soft memberships.

        ``rule`` says who is a member: one of ``rules``, of which the first is the default, or a membership such as 0.5.
        ``find_communities`` explains them, and ``compare_rules`` shows what each makes of this model.
        """
        check_is_fitted(self)
        rule = self.rules[0] if rule is None else rule
        if isinstance(rule, str) and rule not in self.rules:
            raise InvalidParameterError(
                f"the rule is {rule!r}; use {' or '.join(map(repr, self.rules))} or a membership above 0 and up to 1 "
                "such as 0.5"
            )
        return find_communities(self.graph_, self.factors_.readable(), rule, self._effect, self.stability_)

    def described(self, rule: str | float | None = None) -> DescribedGraph:
        """The graph with what the model says of each node and link beside it, for other libraries and programs.

        >>> from philia import CommunityModel
        >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
        >>> list(model.described().to_networkx().edges["ann", "bob"])
        ['probability']
        """
        found = self.communities(rule)
        probabilities = self.loss.probability(self.factors_.scores(*self.graph_.links))
        return describe(self.graph_, self.factors_.readable(), found, np.asarray(probabilities))

    def features(self) -> Float64Array:
        """The fitted numbers, such as B, C and the popularity, a row a node in the order of ``graph_.nodes``."""
        check_is_fitted(self)
        return self.factors_.features()

    def compare_rules(self) -> RuleComparison:
        """What each membership rule makes of this model: sizes, nodes in none, communities per node."""
        return RuleComparison(tuple(RuleEffect.of(rule, self.communities(rule)) for rule in self.rules))

    def stability(self, fits: int = 10, *, on_fit: OnFit | None = None) -> Stability:
        """Which communities other fits find as well: the model is fitted ``fits`` times more, from other seeds.

        Columns are matched one to one. The result stays in ``stability_``; from then on ``communities`` and ``explain``
        show it. ``on_fit`` is called with the numbers of fits done and asked for. Ctrl-C keeps those done.

        >>> from philia import CommunityModel
        >>> from philia.datasets import dating_app
        >>> app = dating_app(n=120, cities=3, random_state=0)
        >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
        >>> [community.appears for community in model.stability(fits=3).communities]
        [3, 3, 3, 3, 3]
        """
        check_is_fitted(self)
        with self._working():
            self.stability_ = refit_and_compare(self, fits, on_fit)
        return self.stability_

    def _working(self) -> AbstractContextManager[None]:
        """While it lasts, the place where the model computes is open; for most that is nothing to be opened."""
        return nullcontext()

    def _settled(self) -> Self:
        """An unfitted model with the settings that the fit really used."""
        fresh: Self = clone(self)
        return fresh

    def top_links(self, node: Node | None = None, count: int = 10) -> list[PredictedLink]:
        """The likeliest links that are not in the graph, of one node or of all, best first."""
        check_is_fitted(self)
        return best_missing_links(self.graph_, self.factors_, count, node, self.loss.probability)

    def sample(self, random_state: Any = None) -> Graph:
        """A new graph on the same nodes, each link drawn with its fitted probability.

        Large sparse graphs are drawn in time near their number of links, with the same probabilities.
        """
        check_is_fitted(self)
        nodes, rng = self.graph_.nodes, generator(random_state)
        if len(nodes) > PAIR_BY_PAIR and isinstance(self.factors_, LowRankFactors):
            return draw_graph(self.factors_, self.loss, nodes, rng)
        return sample_graph(lambda rows, columns: np.clip(self.expected_block(rows, columns), 0, 1), nodes, rng)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model with its graph, names, settings and loss history to a safetensors file."""
        check_is_fitted(self)
        settings, fitted = self.get_params(deep=False), (self.graph_, self.factors_, self.solution_, self.held_out_)
        settings.pop("executor", None)  # where it was fitted need not be there when it is loaded
        write_model(path, KeptModel(type(self).__name__, settings, *fitted, self.stability_, self._chosen()))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A model from the file that ``save`` wrote."""
        kept = read_model(path)
        if kept.model != cls.__name__:
            raise InvalidParameterError(
                f"{str(path)!r} holds a {kept.model}, not a {cls.__name__}; use philia.load(path)"
            )
        with refusing_damage(path):
            return cls._restored(kept)

    def _chosen(self) -> dict[str, Any]:
        """What the fit chose by itself, as plain values, for a file; none by default."""
        return {}

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = cls(**kept.parameters)
        model._check_parameters()
        kind = get_type_hints(cls)["factors_"]
        if not isinstance(kept.factors, kind):
            raise ValueError(f"{cls.__name__} has {kind.__name__}, and these are {type(kept.factors).__name__}")
        model.graph_, model.factors_, model.held_out_ = kept.graph, kept.factors, kept.held_out
        model.solution_, model.stability_ = kept.solution, kept.stability
        model.n_features_in_ = kept.graph.n_nodes
        return model

    def _effect(self, strength: float) -> str:
        """What a community of this strength does to two full members, in words."""
        return f"{strength:+.3g} to the score"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # a row and a column a node
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags


def generator(random_state: Any) -> np.random.Generator:
    """A generator from all that NumPy takes as a seed; scikit-learn's ``RandomState`` gives a seed drawn from it."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"random_state is {random_state!r} ({error}); use a whole number, 0 or more"
        ) from None
