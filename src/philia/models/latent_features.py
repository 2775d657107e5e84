"""Latent features: communities that a node is in or not, and a strength for each pair of communities."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any

import numpy as np

from philia._types import Float64Array, Int64Array, Node
from philia.exceptions import InvalidParameterError
from philia.explain import Communities, LinkExplanation, Reason
from philia.explain.communities import communities_of_columns, odds_effect
from philia.explain.rules import DOUBLED, rule_names
from philia.factors import Factors, FeatureFactors
from philia.fitting.estimator import check_counts, check_is_fitted
from philia.fitting.journal import Journal
from philia.graphs import Graph
from philia.models.community import CommunityModel
from philia.models.link_model import LinkModel
from philia.objective import AllPairsObjective, CrossEntropy, Group, Recipe
from philia.objective.recipe import one_way
from philia.pairs import HeldOut, seen
from philia.pairs.names import two_names
from philia.solvers import LBFGSB, OnIteration, Solution

_ITERATIONS = 1000
"""Enough to converge: the problem is convex and has a number per pair of communities."""


class LatentFeatures(LinkModel):
    """Link probabilities sigmoid(z_i W z_j + constant), with z zeros and ones and W symmetric, of any sign.

    The model of Miller, Griffiths and Jordan, "Nonparametric latent feature models for link prediction", NIPS 2009. A
    node is in a community or not, and W has a strength for every pair of communities: what it does to the odds if one
    node is in the first and the other in the second. The authors sample memberships and their number; here a
    ``CommunityModel`` finds them, a rule decides who is a member, and W is the maximum of the posterior given those, by
    a convex search over all pairs. Weights are ignored.

    Parameters
    ----------
    n_homophilous, n_heterophilous
        The numbers of communities to look for, which attract and which repel. Their strengths are fitted anew, so
        either kind may end as the other.
    strengths
        "full" has a strength for every pair of communities, "diagonal" only for each with itself, as the paper's W.
    rule
        Who is a member, a rule of ``CommunityModel``.
    penalty
        The weight of squared affinities while communities are looked for, and of squared strengths afterwards. 1 is
        the standard normal prior for strengths.
    random_state
        A seed.

    >>> from philia import LatentFeatures
    >>> from philia.datasets import dating_app
    >>> model = LatentFeatures(3, 2, random_state=0).fit(dating_app(120, cities=3, random_state=0).graph)
    >>> [community.name for community in model.communities()]
    ['B1', 'B2', 'B3', 'C1', 'C2']
    >>> [pair["odds_factor"] > 1 for pair in model.community_pairs() if (pair["one"], pair["other"]) == ("C1", "C2")]
    [True]
    """

    loss = CrossEntropy()
    telling = DOUBLED
    factors_: FeatureFactors

    def __init__(
        self,
        n_homophilous: int = 8,
        n_heterophilous: int = 4,
        *,
        strengths: str = "full",
        rule: str = "nearest",
        penalty: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.n_homophilous = n_homophilous
        self.n_heterophilous = n_heterophilous
        self.strengths = strengths
        self.rule = rule
        self.penalty = penalty
        self.random_state = random_state

    @property
    def rules(self) -> tuple[str, ...]:
        """Members are members: there is nothing to choose after a fit."""
        return ("features",)

    def explain(self, u: Any, v: Node | None = None) -> LinkExplanation:
        """Why a link between two nodes is likely or unlikely: the part of each pair of their communities."""
        check_is_fitted(self)
        u, v = two_names(u, v)
        found = self._explained(self.factors_.terms, u, v)
        Z, names = self.factors_.features_of[self.graph_.nodes.rows([u, v])], self.factors_.names
        own = {name: (float(Z[0, c]), float(Z[1, c])) for c, name in enumerate(names)}
        unknown = (np.nan, np.nan)  # a pair of communities has no affinity of its own
        reasons = tuple(Reason(t.community, t.amount, own.get(t.community, unknown)) for t in found.terms)
        return LinkExplanation(u, v, found.linked, float(self.factors_.constant[0]), reasons)

    def community_pairs(self) -> list[dict[str, Any]]:
        """The strengths between two different communities, strongest first: a row per pair that attracts or repels."""
        check_is_fitted(self)
        names, W = self.factors_.names, self.factors_.strengths
        rows, columns = np.triu_indices(len(names), k=1)
        order = np.argsort(-np.abs(W[rows, columns]), kind="stable")
        return [
            {"one": names[c], "other": names[d], "strength": float(W[c, d]), "odds_factor": float(np.exp(W[c, d]))}
            for c, d in zip(rows[order].tolist(), columns[order].tolist(), strict=True)
            if W[c, d]
        ]

    def _read(self, rule: str | float | None) -> Communities:
        known = rule is None or rule in ("features", "density") or (isinstance(rule, float | int) and 0 < rule <= 1)
        if not known or isinstance(rule, bool):
            raise InvalidParameterError(f"the rule is {rule!r}; use 'features', for members are all or nothing")
        found = communities_of_columns(self.graph_, self.factors_.readable(), 1.0, self._effect, self.stability_)
        return replace(found, rule="members are all or nothing")

    def _learn(
        self, graph: Graph, rng: np.random.Generator, journal: Journal, on_iteration: OnIteration | None
    ) -> tuple[Factors, Solution]:
        plain = Graph.from_rows(*seen(graph, self.held_out_).links, graph.nodes)
        soft = CommunityModel(
            self.n_homophilous,
            self.n_heterophilous,
            penalty=self.penalty,
            background="constant",
            random_state=int(rng.integers(2**31)),
        )._fitted_whole(plain, self.held_out_)
        found = soft.communities(self.rule, everything=True)
        Z = np.zeros((graph.n_nodes, len(found)))
        for c, community in enumerate(found):
            Z[graph.nodes.rows(list(community.members)), c] = 1
        posterior = _Strengths(plain, Z, full=self.strengths == "full", penalty=self.penalty, held_out=self.held_out_)
        start = posterior.start(plain.density)
        free = np.full(len(start), -np.inf)
        solution = LBFGSB(iterations=_ITERATIONS).minimize(posterior, start, free, on_iteration)
        return posterior.factors(solution.point), solution

    def _effect(self, strength: float) -> str:
        return odds_effect(strength)

    def _check_parameters(self) -> None:
        check_counts(self, "n_homophilous", "n_heterophilous", least=0)
        if self.strengths not in ("full", "diagonal"):
            raise InvalidParameterError(f"strengths is {self.strengths!r}; use 'full' or 'diagonal'")
        if self.rule not in rule_names():
            raise InvalidParameterError(f"the rule is {self.rule!r}; use {' or '.join(map(repr, rule_names()))}")
        penalty: Any = self.penalty
        if not isinstance(penalty, numbers.Real) or not 0 < float(penalty) < np.inf:
            raise InvalidParameterError(
                f"penalty is {penalty!r}; it must be a number above 0, or strengths without a link would be infinite"
            )


class _Strengths:
    """Minus the log-posterior of W and the constant, given Z, over all ordered pairs, as solvers take it.

    A column of ones is one more community, which meets only itself. With X = Z W and Z given, the scores X Zᵀ are those
    of a recipe, and its gradient by X leads to that by W.
    """

    def __init__(self, graph: Graph, Z: Float64Array, *, full: bool, penalty: float, held_out: HeldOut | None) -> None:
        k = Z.shape[1]
        self.Z = np.hstack([Z, np.ones((graph.n_nodes, 1))])
        pairs = np.triu_indices(k) if full else (np.arange(k), np.arange(k))
        self.rows: Int64Array = np.append(pairs[0], k)
        self.columns: Int64Array = np.append(pairs[1], k)
        self.penalties = np.append(np.full(len(pairs[0]), penalty), 0.0)
        recipe = Recipe((Group("left", k + 1), Group("right", k + 1)), one_way(2 * k + 2), LatentFeatures.loss)
        self.objective = AllPairsObjective(graph, recipe, diagonal=False, held_out=held_out)

    def start(self, density: float) -> Float64Array:
        """No strengths, and the density of the graph."""
        share = min(max(density, 1e-12), 0.5)
        return np.append(np.zeros(len(self.rows) - 1), np.log(share / (1 - share)))

    def __call__(self, point: Float64Array) -> tuple[float, Float64Array]:
        """The value and its gradient."""
        X = self.Z @ self._matrix(point)
        value, gradient = self.objective.by_factors(np.hstack([X, self.Z]))
        by_matrix = self.Z.T @ gradient[:, : X.shape[1]]
        slopes = (by_matrix + by_matrix.T)[self.rows, self.columns] / np.where(self.rows == self.columns, 2, 1)
        shrink = self.penalties * point
        return value + float(shrink @ point), slopes + 2 * shrink

    def factors(self, point: Float64Array) -> FeatureFactors:
        """Z, W and the constant, communities that attract first."""
        W = self._matrix(point)[:-1, :-1]
        order = np.argsort(np.diag(W) < 0, kind="stable")
        return FeatureFactors(self.Z[:, :-1][:, order], W[np.ix_(order, order)], point[-1:].copy())

    def _matrix(self, point: Float64Array) -> Float64Array:
        W = np.zeros((self.Z.shape[1], self.Z.shape[1]))
        W[self.rows, self.columns] = W[self.columns, self.rows] = point
        return W
