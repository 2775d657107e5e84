"""Nodes that were not in the graph: where a fitted model puts them, given whom they are linked with."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array, Node, Pair
from philia.exceptions import InvalidParameterError
from philia.explain import Communities, Community, LinkExplanation, PredictedLink, explain_link
from philia.factors import CommunityFactors
from philia.graphs import Graph, Nodes
from philia.models.neighbourhoods import Neighbours, rows_of_neighbours
from philia.objective.fold_in import fold_in
from philia.pairs import names_of_pairs

if TYPE_CHECKING:
    from philia.models.community import CommunityModel

_ROWS = 256


@dataclass(frozen=True, eq=False)
class Placement:
    """Where new nodes belong in a fitted model, in the model's own communities.

    ``factors`` has a row a new node, ``links`` (new × fitted, sparse) whom each is linked with, and ``kkt`` is the
    largest distance of any row from optimal: of |f - max(f - gradient, bound)|, zero at the best place. New nodes do
    not see each other: links between two of them are not considered, and their pairs are not predicted.

    >>> from philia import CommunityModel
    >>> links = [("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "eve"), ("eve", "fay"), ("fay", "dan")]
    >>> model = CommunityModel(2, 1, penalty=0.1, random_state=0).fit(links)
    >>> placed = model.place({"zoe": ["ann", "bob"], "max": ["eve", "fay"]})
    >>> placed.top_links("zoe", count=1)[0].v, placed.kkt < 1e-7
    ('cat', True)
    >>> list(placed.nodes), placed.factors.homophilous.shape, 0 <= placed.memberships("zoe")["B1"] <= 1
    (['zoe', 'max'], (2, 2), True)
    """

    nodes: Nodes
    factors: CommunityFactors
    links: sparse.csr_array
    kkt: float
    model: CommunityModel

    def decision_function(self, pairs: Iterable[Pair]) -> Float64Array:
        """The logit of each pair of a new node and a fitted one, in this order."""
        new, fitted = self._rows(pairs)
        return self._together.scores(new + self.model.graph_.n_nodes, fitted)

    def predict_proba(self, pairs: Iterable[Pair]) -> Float64Array:
        """The probability of a link for each pair of a new node and a fitted one."""
        return np.asarray(self.model.loss.probability(self.decision_function(pairs)))

    def communities(self, rule: str | float | None = None) -> Communities:
        """The new nodes in each community of the model, by the thresholds and strengths of the fitted nodes.

        A new node's affinity may be larger than that of any fitted node; its membership is then 1, not more.
        """
        fitted = self.model.communities(rule)
        found = tuple(self._with_new_members(community) for community in fitted.found)
        return Communities(found, fitted.rule, self.nodes, fitted.unused)

    def memberships(self, node: Node | None = None) -> dict[str, float]:
        """The membership of one new node in every community, between 0 and 1, members or not; fullest first."""
        row = self._row(node)
        all_of_it = {c.name: float(self._memberships(c)[row]) for c in self.model.communities().found}
        return dict(sorted(all_of_it.items(), key=lambda item: -item[1]))

    def explain(self, new: Node, fitted: Node) -> LinkExplanation:
        """Why a new node and a fitted one are, or are not, predicted to be linked."""
        (i,), (j,) = self._rows([(new, fitted)])
        rows = [self.model.graph_.n_nodes + i, j]
        both = CommunityFactors(**{name: values[rows] for name, values in self._together.arrays().items()})
        linked = np.arange(int(self.links[i, j] != 0))  # the link between row 0 and row 1, or none
        return explain_link(Graph.from_rows(linked, linked + 1, Nodes([new, fitted])), both, new, fitted)

    def top_links(self, node: Node | None = None, count: int = 10) -> list[PredictedLink]:
        """The likeliest links with fitted nodes beside the given ones, of one new node or of all, best first."""
        if count < 1:
            raise InvalidParameterError(f"{count} links were asked for; ask for at least 1")
        rows = np.arange(len(self.nodes)) if node is None else np.array([self._row(node)])
        parts = [self._best(rows[top : top + _ROWS], count) for top in range(0, len(rows), _ROWS)]
        logits, i, j = (np.concatenate(column) for column in zip(*parts, strict=True))
        best = np.lexsort((j, i, -logits))[:count]
        best = best[logits[best] > -np.inf]
        probabilities = self.model.loss.probability(logits[best]).tolist()
        names = self.nodes.pick(i[best]), self.model.graph_.nodes.pick(j[best])
        return [PredictedLink(u, v, p) for u, v, p in zip(*names, probabilities, strict=True)]

    def __str__(self) -> str:
        found, plural = self.communities(), "" if len(self.nodes) == 1 else "s"
        lines = [f"{len(self.nodes):,} new node{plural} placed (residual {self.kkt:.1g}; {found.rule})"]
        for name in self.nodes[:10]:
            mine = ", ".join(f"{key} {share:.2f}" for key, share in found.of(name).items())
            lines.append(f"  {name}: {mine or 'in no community'}")
        if len(self.nodes) > 10:
            lines.append(f"  … and {len(self.nodes) - 10:,} more")
        return "\n".join(lines)

    @cached_property
    def _together(self) -> CommunityFactors:
        """The fitted rows, and the new ones below them."""
        new = self.factors.arrays()
        return CommunityFactors(**{name: np.concatenate([a, new[name]]) for name, a in self._fitted.arrays().items()})

    @property
    def _fitted(self) -> CommunityFactors:
        return self.model.factors_

    def _row(self, node: Node | None) -> int:
        if node is None and len(self.nodes) > 1:
            raise InvalidParameterError(f"there are {len(self.nodes):,} new nodes; say which one by its name")
        return 0 if node is None else self.nodes.row(node)

    def _rows(self, pairs: Iterable[Pair]) -> tuple[Int64Array, Int64Array]:
        first, second = names_of_pairs(pairs)
        return self.nodes.rows(first), self.model.graph_.nodes.rows(second)

    def _best(self, rows: Int64Array, count: int) -> tuple[Float64Array, Int64Array, Int64Array]:
        """The ``count`` largest logits of each of these new nodes, with both rows; links that are there get -∞."""
        n = self.model.graph_.n_nodes
        logits = self._together.score_block(rows + n, slice(0, n))
        logits[self.links[rows].nonzero()] = -np.inf
        columns = np.argsort(-logits, axis=1, kind="stable")[:, :count]
        own = np.repeat(np.arange(len(rows)), columns.shape[1])
        return logits[own, columns.ravel()], rows[own], columns.ravel()

    def _memberships(self, community: Community) -> Float64Array:
        column = self.factors.columns[:, self.factors.names.index(community.name)]
        return np.asarray(np.minimum(column / np.sqrt(abs(community.strength)), 1.0))

    def _with_new_members(self, community: Community) -> Community:
        shares = self._memberships(community)
        rows = np.flatnonzero((shares >= community.threshold) & (shares > 0))
        rows = rows[np.argsort(-shares[rows], kind="stable")]
        members = dict(zip(self.nodes.pick(rows), shares[rows].tolist(), strict=True))
        return replace(community, members=members, refits=None)


def place(model: CommunityModel, neighbours: Neighbours, unknown: Neighbours | None = None) -> Placement:
    """The new nodes at their best places, with everything that the model learned left as it is.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 1, penalty=0.1, random_state=0).fit([("ann", "bob"), ("bob", "cat")])
    >>> print(place(model, ["ann", "bob"]).nodes)
    Nodes(1: 'new')
    """
    links, left_out, nodes = rows_of_neighbours(model.graph_.nodes, neighbours, unknown)
    settled = model._settled()
    recipe = settled._recipe()
    placed, residuals = fold_in(
        recipe,
        model._columns(model.factors_),
        links,
        left_out,
        penalty=model.penalty_,
        executor=model._executor(),
    )
    factors = model._factors(placed, recipe)
    return Placement(nodes, factors, links, float(residuals.max()), copy(model))
