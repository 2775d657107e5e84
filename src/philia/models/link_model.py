"""The estimator that all models share: fit, predict, communities, sampling and files."""

from __future__ import annotations

import numbers
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, get_type_hints

import numpy as np
import numpy.typing as npt

from philia._interrupts import interruptible
from philia._text import advising, counted, no_attribute
from philia._types import Float64Array, Int64Array, Node, Pair
from philia.exceptions import DivergedError, InvalidGraphError, InvalidParameterError
from philia.explain import (
    Communities,
    PredictedLink,
    RuleComparison,
    RuleEffect,
    ScoreExplanation,
    Stability,
    best_missing_links,
    describe,
    explain_score,
)
from philia.explain.communities import Partition, communities_of_columns, memberships_of, rows_of
from philia.explain.rules import rule_names
from philia.explain.stability import measure_stability
from philia.factors import CommunityFactors, Factors
from philia.factors.factors import Rows
from philia.fitting.estimator import Estimator, check_is_fitted
from philia.fitting.journal import CheckpointLike, Journal, ResumableFit
from philia.graphs import DescribedGraph, Graph, as_graph
from philia.initialization import WholeStart
from philia.models.files import KeptModel, read_model, refusing_damage, write_model
from philia.objective import Loss, mean_log_likelihood
from philia.objective.likelihood import estimated_log_likelihood
from philia.objective.rates import draw_graph
from philia.pairs import HeldOut, HeldOutLike, as_held_out, rows_of_pairs
from philia.pairs.names import two_names
from philia.solvers import OnIteration, Progress, Solution

OnFit = Callable[[int, int], None]
"""Called after each refit with the number of refits done and the number asked for."""

ALL_PAIRS = 20_000
"""Largest graph whose likelihood is summed over all pairs (about ten seconds)."""

PAIR_BY_PAIR = 8192
"""Largest graph whose links are drawn pair by pair (a few seconds)."""

_COMMUNITIES = "model.communities() has them, with members and shares"
_NUMBERS = "model.features() has the fitted numbers of each node, model.normalized() memberships between 0 and 1"
_LINKS = "model.predict_proba(pairs) has probabilities, model.top_links(count, node=...) the likeliest missing links"
_PICTURES = "philia.plots has pictures, such as philia.plots.network(model)"
_WORDS = "print(model) says what was found, print(model.communities()) has the communities"
_HABITS = {
    **dict.fromkeys(("communities_", "get_communities", "clusters_", "cover", "coms"), _COMMUNITIES),
    **dict.fromkeys(
        ("n_communities", "n_communities_", "n_clusters", "n_clusters_"), "len(model.communities()) counts them"
    ),
    **dict.fromkeys(
        ("memberships", "memberships_", "get_memberships", "embedding_", "get_embedding", "components_", "coef_"),
        _NUMBERS,
    ),
    **dict.fromkeys(
        (
            "predict",
            "predict_links",
            "suggest",
            "recommend",
            "link_prediction",
            "missing_links",
            "similarity",
            "most_similar",
            "nearest",
        ),
        _LINKS,
    ),
    **dict.fromkeys(
        ("probability", "proba", "link_probability", "P"),
        "model.predict_proba((u, v)) has the probability of one pair or of many",
    ),
    **dict.fromkeys(("plot", "draw", "show"), _PICTURES),
    **dict.fromkeys(("summary", "describe", "info"), _WORDS),
    **dict.fromkeys(
        ("report", "write_report", "to_html"), "philia.report.write_report(model, 'report.html') writes a page about it"
    ),
    **dict.fromkeys(("to_csv", "to_json"), "philia.write_communities(model.communities(), path) writes the members"),
    **dict.fromkeys(
        ("export", "to_gexf"), "philia.write_graph(model.described(), path) writes any format, such as .gexf"
    ),
    **dict.fromkeys(("membership", "community_of"), "model.communities().of(node) has the communities of a node"),
    **dict.fromkeys(("B", "B_", "C", "C_", "a_"), "model.factors_ has homophilous, heterophilous and background"),
    **dict.fromkeys(("W", "W_", "V", "V_"), "model.normalized() has memberships and strengths"),
    **dict.fromkeys(
        ("modularity", "modularity_"), "networkx.community.modularity(G, model.partition().values()) has it"
    ),
    **dict.fromkeys(("levels", "dendrogram"), "model.hierarchy() has all levels, philia.plots.hierarchy draws them"),
    "to_pandas": "model.described().nodes.to_pandas() has a row per node; communities().to_pandas() one per community",
    "to_networkx": "model.described().to_networkx() has the memberships as attributes, model.graph_.to_networkx() none",
    "to_igraph": "model.described().to_igraph() has the memberships as attributes, model.graph_.to_igraph() none",
    "graph": "the graph is model.graph_, after a fit",
    **dict.fromkeys(("nodes", "nodes_", "n_nodes"), "the nodes are model.graph_.nodes, after a fit"),
    **dict.fromkeys(("log_likelihood", "loglik"), "model.score() is the mean log-likelihood per pair"),
    **dict.fromkeys(
        ("aic", "bic", "aic_", "bic_"),
        "model.selection_ says how the numbers were chosen, model.hierarchy() what each saves",
    ),
    **dict.fromkeys(
        ("evaluate", "cross_validate", "auc"), "philia.evaluate.evaluate_links(model) judges held-out pairs"
    ),
    **dict.fromkeys(("generate", "simulate", "draw_graph"), "model.sample(random_state=0) draws a network"),
    **dict.fromkeys(("update", "add_links", "add_edges"), "model.partial_fit(links) adds links and new nodes"),
    **dict.fromkeys(("node", "describe_node"), "model.communities().of(node) has the communities of a node"),
    **dict.fromkeys(("is_fitted", "fitted"), "a fitted model has model.graph_; before, sklearn's NotFittedError tells"),
    "converged_": "model.solution_.converged tells",
    "labels": "model.labels_ has the main community of each node as a number",
    "anomalies": "model.predict_proba(G.edges) has the probability of every link; the least likely are the odd ones",
    "get_feature_names_out": "the columns of model.features() are those of model.factors_.names",
    "n_iter_": "model.solution_.iterations counts them",
    "loss_": "model.solution_.value is the last one, model.solution_.history has all",
    "history_": "model.solution_.history has the loss of each iteration",
}
"""What users of other libraries write from habit, and what there is instead."""


class LinkModel(Estimator):
    """A model that scores pairs of nodes from a few numbers per node.

    A subclass defines what a score means (a loss) and how factors are learned from a graph; everything else is here.

    >>> from philia import SVD
    >>> model = SVD(2, random_state=0).fit([("ann", "bob"), ("bob", "cat"), ("cat", "dan")])
    >>> len(model.top_links(count=2)), model.sample(random_state=0).n_nodes, model.score() < 0
    (2, 4, True)
    """

    loss: ClassVar[Loss]
    """What a score means: its cost with and without a link, and the probability of a link."""

    telling: ClassVar[float] = 0.0
    """What a community within another one must add to the score of two typical members to be shown as well."""

    random_state: Any

    graph_: Graph
    factors_: Factors
    solution_: Solution
    held_out_: HeldOut | None
    stability_: Stability | None = None

    if not TYPE_CHECKING:  # type checkers should know that there are no such names

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, _HABITS)

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the membership rules that the model offers; the first is its default."""
        return rule_names(for_all_models=True)

    @abstractmethod
    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        """Factors for the graph without the pairs in ``self.held_out_``, and how the search for them went."""

    def check_settings(self) -> None:
        """Raise an error for a setting that makes no sense; ``fit`` does the same before it begins.

        >>> from philia import CommunityModel
        >>> CommunityModel(penalty=-3).check_settings()
        Traceback (most recent call last):
        philia.exceptions.InvalidParameterError: penalty is -3; it must be a number, 0 or more, or "auto"
        """
        self._check_parameters()

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ``InvalidParameterError`` for settings that make no sense, before any work."""

    @advising(
        "weights are kept by fit(philia.as_graph(G, weights=True)), and hidden pairs are asked for by held_out=0.1"
    )
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        held_out: HeldOutLike = None,
        on_iteration: OnIteration | None = None,
        checkpoint: CheckpointLike = None,
        verbose: bool = False,
    ) -> Self:
        """Fit the model to a graph in any form that ``as_graph`` accepts; ``y`` is ignored.

        ``held_out`` keeps pairs out of the fit, links and non-links alike, to test on them or because nothing is known
        about them: a share of all pairs such as 0.1, a list of pairs of names, or a function that takes a column and a
        row of names and returns which of their pairs to leave out. If X is a :class:`philia.Graph` with weights, models
        with a loss over all pairs weight each link accordingly; ``SVD``, ``NormalizedCuts``, ``VGraph``,
        ``LatentFeatures`` and ``RandomLinks`` ignore weights. ``on_iteration`` is called with a ``Progress`` after each
        step, and with ``verbose`` a progress bar is shown, on the terminal or below the cell of a notebook. Ctrl-C
        stops the fit and keeps the best point so far.

        ``checkpoint`` is a folder in which a long fit saves its progress. If the folder holds a checkpoint of the same
        fit, the fit resumes and reaches the same result as if it had never stopped. The folder is removed at the end.
        """
        self._check_parameters()
        graph = as_graph(X)
        if graph.n_nodes == 0:
            raise InvalidGraphError("the graph has no nodes; there is nothing to fit")
        rng = generator(self.random_state)
        fit = ResumableFit(checkpoint, rng, seeded=isinstance(self.random_state, numbers.Integral))
        self.held_out_ = as_held_out(graph, held_out, rng)
        # A step may overflow and be rejected; only the result must be finite.
        overflowing = np.errstate(over="ignore", invalid="ignore", divide="ignore")
        with overflowing, self._working(), fit.journal(self, graph) as journal, _shown(on_iteration, verbose) as watch:
            with interruptible():
                factors, solution = self._learn(graph, rng, journal, watch)
            self._check_finite(graph, factors, solution)
        self.factors_, self.solution_ = factors, solution
        self.graph_ = graph
        self.n_features_in_ = graph.n_nodes
        self.stability_ = None
        return self

    def _check_finite(self, graph: Graph, factors: Factors, solution: Solution) -> None:
        """Raise if the loss or the factors are not finite, or if the search was interrupted before its first value."""
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

    @advising("its one argument is a pair of node names or many: model.decision_function([(u, v), (u, w)])")
    def decision_function(self, pairs: Iterable[Pair]) -> Float64Array:
        """The score of each pair of node names: for models with a sigmoid, the log-odds of a link."""
        check_is_fitted(self)
        return self.factors_.scores(*rows_of_pairs(self.graph_, pairs))

    @advising("its one argument is a pair of node names or many: model.predict_proba([(u, v), (u, w)])")
    def predict_proba(self, pairs: Iterable[Pair]) -> Float64Array:
        """The probability of a link for each pair of node names."""
        return np.asarray(self.loss.probability(self.decision_function(pairs)))

    def expected(self, rows: npt.NDArray[np.integer], columns: npt.NDArray[np.integer]) -> Float64Array:
        """The expected adjacency entries at pairs of rows; some models' values may leave [0, 1]."""
        check_is_fitted(self)
        return np.asarray(self.loss.expected(self.factors_.scores(rows, columns)))

    def expected_block(self, rows: Rows, columns: Rows) -> Float64Array:
        """The expected adjacency entries in a block of rows and columns."""
        check_is_fitted(self)
        return np.asarray(self.loss.expected(self.factors_.score_block(rows, columns)))

    def score(self, X: Any = None, y: Any = None, *, pairs: Iterable[Pair] | None = None) -> float:
        """The mean log-likelihood per pair, over all pairs of different nodes or over ``pairs``; 0 is perfect.

        ``X`` is a graph on the same nodes; the default is the fitted graph. Models that do not give probabilities have
        their values clipped to [0, 1], a trillionth away from either end.

        Above 20,000 nodes the mean over all pairs is estimated from all links and a fixed sample of the other pairs;
        ``philia.evaluate.estimated_likelihood`` also gives its confidence interval.
        """
        check_is_fitted(self)
        graph = self.graph_ if X is None else as_graph(X)
        if graph.nodes != self.graph_.nodes:
            raise InvalidGraphError(
                "the graph to score has other nodes than the fitted one; give it the same nodes in the same order"
            )
        if pairs is None and graph.n_nodes > ALL_PAIRS:
            return estimated_log_likelihood(graph, self.factors_, self.loss, np.random.default_rng(0)).value
        if pairs is None:
            return mean_log_likelihood(graph, self.factors_.score_block, self.loss)
        rows, columns = rows_of_pairs(graph, pairs)
        if not rows.size:
            raise InvalidParameterError("there are no pairs to score; give at least one")
        scores = self.factors_.scores(rows, columns)
        return float(np.mean(self.loss.log_likelihood(scores, graph.linked(rows, columns))))

    def communities(self, rule: str | float | None = None, *, everything: bool = False) -> Communities:
        """The communities as overlapping sets of node names with soft memberships.

        ``rule`` decides who is a member: one of ``rules`` (the first is the default) or a membership such as 0.5.
        ``find_communities`` explains the rules; ``compare_rules`` shows what each gives for this model. ``left_out``
        of the answer names what is not worth showing, such as a community with the same members as another;
        ``everything`` shows that as well, as far as it has members.
        """
        check_is_fitted(self)
        found = self._read(rule)
        return found if everything else found.tidied(self.telling)

    def _read(self, rule: str | float | None) -> Communities:
        """All communities that have a member by a rule."""
        rule = self.rules[0] if rule is None else rule
        if isinstance(rule, str) and rule not in self.rules:
            raise InvalidParameterError(
                f"the rule is {rule!r}; use {' or '.join(map(repr, self.rules))} or a membership above 0 and up to 1 "
                "such as 0.5"
            )
        return communities_of_columns(self.graph_, self.factors_.readable(), rule, self._effect, self.stability_)

    def partition(self) -> dict[str, set[Node]]:
        """One community per node at most: of the attracting ones in ``communities()``, the one it belongs to most.

        That is where the largest share of its links is, or its largest membership in models without shares. This is a
        simplification for programs that need it: nodes that are in several communities lose all but one. Nodes in none
        are in no set.

        >>> from philia import CommunityModel
        >>> from philia.datasets import classic
        >>> model = CommunityModel(random_state=0).fit(classic("karate"))
        >>> [len(members) for members in model.partition().values()]
        [18, 16]
        """
        names = [community.name for community in self.communities() if community.kind == "homophilous"]
        pick, labels = self.graph_.nodes.pick, self.labels_
        sets = {name: set(pick(np.flatnonzero(labels == c))) for c, name in enumerate(names) if (labels == c).any()}
        return Partition(sets)

    @property
    def labels_(self) -> Int64Array:
        """The partition as a number for each row: the position of its community among those that attract, or -1.

        Positions are those in ``communities()``, so they change when that leaves out more, as after ``significance``.
        """
        check_is_fitted(self)
        best, labels = np.zeros(self.graph_.n_nodes), np.full(self.graph_.n_nodes, -1, np.int64)
        attracting = (community for community in self.communities() if community.kind == "homophilous")
        for c, community in enumerate(attracting):
            rows = rows_of(community.members, self.graph_.nodes)
            memberships = memberships_of(community.members)
            more = memberships > best[rows]
            best[rows[more]], labels[rows[more]] = memberships[more], c
        return labels

    def fit_predict(self, X: Any, y: Any = None) -> Int64Array:
        """Fit the model to a graph; ``labels_``, for programs that expect a clustering."""
        return self.fit(X, y).labels_

    def _explained(self, terms: Callable[[int, int], Mapping[str, float]], u: Any, v: Any) -> ScoreExplanation:
        """The score of a pair as a sum of the terms of its two rows, in the model's own words."""

        def probability(score: float) -> float:
            return float(self.loss.probability(np.array(score)))

        return explain_score(self.graph_, terms, self._effect, probability, two_names(u, v))

    def described(self, rule: str | float | None = None) -> DescribedGraph:
        """The graph annotated with the model's values per node and per link, for export to other programs.

        >>> from philia import CommunityModel
        >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
        >>> list(model.described().to_networkx().edges["ann", "bob"])
        ['probability']
        """
        return self.described_by(self.communities(rule))

    def described_by(self, communities: Communities) -> DescribedGraph:
        """The same with given communities of the graph, such as those of another level."""
        probabilities = self.loss.probability(self.factors_.scores(*self.graph_.links))
        return describe(self.graph_, self._popularity(), communities, np.asarray(probabilities))

    def _popularity(self) -> Float64Array:
        """What each node brings to the score of every pair; zeros if the model has no such number."""
        return self.factors_.readable().background

    def features(self) -> Float64Array:
        """The fitted numbers, such as B, C and popularity: one row per node, in the order of ``graph_.nodes``."""
        check_is_fitted(self)
        return self.factors_.features()

    def transform(self, X: Any) -> Float64Array:
        """The features of the nodes of a graph, in its order; all of them must be nodes of the fitted graph.

        Only names matter: the links of ``X`` are not looked at. ``CommunityModel.place`` describes new nodes by their
        links.

        >>> from philia import SVD, as_graph
        >>> links = [("ann", "bob"), ("bob", "cat"), ("cat", "dan")]
        >>> SVD(2, random_state=0).fit(links).transform([("cat", "ann")]).shape
        (2, 2)
        """
        check_is_fitted(self)
        return self.features()[self.graph_.nodes.rows(as_graph(X).nodes)]

    def fit_transform(self, X: Any, y: Any = None) -> Float64Array:
        """Fit the model to a graph; the features of its nodes, as ``transform`` gives them."""
        return self.fit(X, y).features()

    def compare_rules(self) -> RuleComparison:
        """The communities under each membership rule: sizes, nodes in none, communities per node."""
        return RuleComparison(tuple(RuleEffect.of(rule, self.communities(rule)) for rule in self.rules))

    @advising("write model.stability(fits=10)")
    def stability(self, fits: int = 10, *, on_fit: OnFit | None = None) -> Stability:
        """How reproducible each community is: the model is refitted ``fits`` times from other seeds.

        If the fit chose the communities, every refit chooses again, and does not see a tenth of the pairs: what other
        links would change is not stable. Communities are matched one to one. The result is kept in ``stability_``, and
        ``communities`` and ``explain`` show it from then on. ``on_fit`` is called with the number of refits done and
        asked for. Ctrl-C keeps those done.

        >>> from philia import CommunityModel
        >>> from philia.datasets import dating_app
        >>> app = dating_app(n=120, cities=3, random_state=0)
        >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph)
        >>> [community.appears for community in model.stability(fits=3).communities]
        [3, 3, 3, 3, 3]
        """
        check_is_fitted(self)
        asked: Any = fits
        if isinstance(asked, bool) or not isinstance(asked, numbers.Integral) or int(asked) < 1:
            raise InvalidParameterError(f"fits is {fits!r}; it must be a whole number, 1 or more")
        own, others = self.read_columns(), list[CommunityFactors]()  # too many are refused before any refit
        with self._working():
            try:
                for seed in _other_seeds(self.random_state, int(fits)):
                    others.append(self._refitted(seed))
                    if on_fit is not None:
                        on_fit(len(others), int(fits))
            except KeyboardInterrupt:
                if not others:
                    raise
        self.stability_ = measure_stability(own, others)
        return self.stability_

    def read_columns(self) -> CommunityFactors:
        """The columns that are read as communities, without finer structure, as factors."""
        return self.factors_.readable()

    def _refitted(self, seed: int) -> CommunityFactors:
        """The communities of the same fit from another seed."""
        other = self._settled().set_params(random_state=seed)
        if isinstance(getattr(other, "start", None), WholeStart):
            other.set_params(start="spectral")  # the same start every time would say nothing
        return other._fitted_whole(self.graph_, self.held_out_).read_columns()

    def _fitted_whole(self, graph: Graph, held_out: HeldOut | None) -> Self:
        """The model after a fit that was not interrupted."""
        self.fit(graph, held_out=held_out)
        if self.solution_.reason == "interrupted":
            raise KeyboardInterrupt  # the solver kept its best point, but half a fit says nothing about the model
        return self

    def _working(self) -> AbstractContextManager[None]:
        """Keep the executor open for the duration of the block; most models have none."""
        return nullcontext()

    def _settled(self) -> Self:
        """An unfitted copy with the settings that the fit chose."""
        return self.__sklearn_clone__()

    @advising("write model.top_links(5), or model.top_links(5, node=u) for those of one node")
    def top_links(self, count: int = 10, *, node: Node | None = None) -> list[PredictedLink]:
        """The most likely missing links, of one node or of all, best first."""
        check_is_fitted(self)
        return best_missing_links(self.graph_, self.factors_, count, node, self.loss.probability)

    @advising("it draws one network: [model.sample(random_state=seed) for seed in range(5)] draws five")
    def sample(self, random_state: Any = None) -> Graph:
        """A new graph on the same nodes, with each link drawn with its fitted probability.

        Sampling a large sparse graph takes time roughly linear in its number of links.
        """
        check_is_fitted(self)
        nodes, rng = self.graph_.nodes, generator(random_state)
        if len(nodes) > PAIR_BY_PAIR and self.factors_.apart is not None:
            return draw_graph(self.factors_, self.loss, nodes, rng)
        from philia.datasets.random_graphs import sample_graph  # it takes long to load

        return sample_graph(lambda rows, columns: np.clip(self.expected_block(rows, columns), 0, 1), nodes, rng)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model with its graph, node names, settings and loss history to a safetensors file."""
        check_is_fitted(self)
        settings, fitted = self.get_params(deep=False), (self.graph_, self.factors_, self.solution_, self.held_out_)
        settings.pop("executor", None)  # where it was fitted need not be there when it is loaded
        kept = KeptModel(type(self).__name__, settings, *fitted, self.stability_, self._chosen())
        write_model(path, self._with_findings(kept))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a model from a file that ``save`` wrote."""
        kept = read_model(path)
        if kept.model != cls.__name__:
            raise InvalidParameterError(
                f"{str(path)!r} holds a {kept.model}, not a {cls.__name__}; use philia.load(path)"
            )
        with refusing_damage(path):
            return cls._restored(kept)

    def _with_findings(self, kept: KeptModel) -> KeptModel:
        """What a file keeps, with what only some models find."""
        return kept

    def _chosen(self) -> dict[str, Any]:
        """The settings that the fit chose, as plain values for a file."""
        return {}

    @classmethod
    def _restored(cls, kept: KeptModel) -> Self:
        model = cls(**kept.parameters)
        model._check_parameters()
        kind = get_type_hints(cls)["factors_"]
        if not isinstance(kept.factors, kind):
            expected = getattr(kind, "__name__", str(kind))
            raise ValueError(f"{cls.__name__} has {expected}, and these are {type(kept.factors).__name__}")
        model.graph_, model.factors_, model.held_out_ = kept.graph, kept.factors, kept.held_out
        model.solution_, model.stability_ = kept.solution, kept.stability
        model.n_features_in_ = kept.graph.n_nodes
        return model

    def __str__(self) -> str:
        """The settings, and after a fit what was found.

        >>> from philia import CommunityModel
        >>> print(CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)]))
        CommunityModel(n_heterophilous=0, n_homophilous=1, penalty=0.1, random_state=0) fitted to 5 nodes and 4 links:
        1 community attracts, 0 repel; 2 nodes in none
        """
        if not self.__sklearn_is_fitted__():
            return repr(self)
        found, graph = self.communities(), self.graph_
        kinds = [community.kind for community in found if len(community)]
        attract, repel = kinds.count("homophilous"), kinds.count("heterophilous")
        changes = f"; {graph.changes}" if graph.changes else ""
        return (
            f"{self!r} fitted to {counted(graph.n_nodes, 'node')} and {counted(graph.n_links, 'link')}{changes}: "
            f"{attract} {'community attracts' if attract == 1 else 'communities attract'}, {repel} "
            f"{'repels' if repel == 1 else 'repel'}; {counted(found.n_unassigned, 'node')} in none"
        )

    def _effect(self, typical: float) -> str:
        """What a community that adds this much to the score of two typical members does, in words."""
        return f"{typical:+.3g} to the score"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        tags.input_tags.pairwise = True  # one row and one column per node
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags


@contextmanager
def _shown(on_iteration: OnIteration | None, verbose: bool) -> Iterator[OnIteration | None]:
    """The function to call after each step, with a progress bar if it is asked for."""
    if not verbose:
        yield on_iteration
        return
    from philia.fitting.progress_bar import progress_bar

    with progress_bar() as show:

        def both(progress: Progress) -> None:
            show(progress)
            if on_iteration is not None:
                on_iteration(progress)

        yield both


def _other_seeds(random_state: object, count: int) -> list[int]:
    """Seeds that follow from a whole number; from 0 if the model had none, or a generator that has moved on."""
    own = abs(int(random_state)) if isinstance(random_state, numbers.Integral) else 0
    rng = np.random.default_rng([own, 1])  # not the model's own stream
    return [int(seed) for seed in rng.integers(2**31, size=count)]


def generator(random_state: Any) -> np.random.Generator:
    """A generator from anything that NumPy accepts as a seed; a ``RandomState`` of scikit-learn supplies one."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"random_state is {random_state!r} ({error}); use a whole number, 0 or more"
        ) from None
