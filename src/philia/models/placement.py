"""Fold-in: new nodes in a fitted model, given their links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array, Node, Pair
from philia.exceptions import InvalidParameterError
from philia.explain import Communities, Community, LinkExplanation, PredictedLink, explain_link
from philia.explain.rules import members_by_shares, missing_shares, nearest, shares_of_members, shares_through
from philia.factors import CommunityFactors, SparseFactors
from philia.fitting.sparse import SparseColumns
from philia.graphs import Graph, Nodes
from philia.pairs import names_of_pairs
from philia.pairs.names import two_names
from philia.reading import Level
from philia.reading.hierarchy import scaled_columns

if TYPE_CHECKING:
    from philia.models.community import CommunityModel

Neighbours = Mapping[Node, Iterable[Node]] | Iterable[Node]
"""The neighbours of each new node by its name, or the list for a single unnamed node."""

_NAMELESS = "new"
"""The name of a single new node that was given without one."""

_SCORES = 2**22
"""Scores that are ranked at a time, of some new nodes with all fitted ones: 32 MB."""


@dataclass(frozen=True, eq=False)
class Placement:
    """New nodes folded into the communities of a fitted model.

    ``factors`` has one row per new node, ``links`` (new × fitted, sparse) their links, and ``kkt`` is the largest
    residual |f - max(f - gradient, bound)| of any row, which is zero at the optimum. Links between new nodes are not
    considered, and their pairs are not predicted.

    >>> from philia import CommunityModel
    >>> links = [("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "eve"), ("eve", "fay"), ("fay", "dan")]
    >>> model = CommunityModel(2, 1, penalty=0.1, random_state=0).fit(links)
    >>> placed = model.place({"zoe": ["ann", "bob"], "max": ["eve", "fay"]})
    >>> placed.top_links(1, node="zoe")[0].v, placed.kkt < 1e-7
    ('cat', True)
    >>> list(placed.nodes), placed.factors.homophilous.shape, 0 <= placed.memberships("zoe")["B1"] <= 1
    (['zoe', 'max'], (2, 2), True)
    """

    nodes: Nodes
    factors: CommunityFactors | SparseFactors
    links: sparse.csr_array
    kkt: float
    model: CommunityModel

    def decision_function(self, pairs: Iterable[Pair]) -> Float64Array:
        """The log-odds of each pair of a new node and a fitted one, in this order."""
        new, fitted = self._rows(pairs)
        return self._together.scores(new + self.model.graph_.n_nodes, fitted)

    def predict_proba(self, pairs: Iterable[Pair]) -> Float64Array:
        """The probability of a link for each pair of a new node and a fitted one."""
        return np.asarray(self.model.loss.probability(self.decision_function(pairs)))

    def communities(self, rule: str | float | None = None) -> Communities:
        """The new nodes in each community of the model, by the thresholds of the fitted nodes.

        A new node joins the community that most of its links lead to, as by ``partial_fit``, if communities were read
        off the graph. By the rule "links" its own links decide. By others its affinity may exceed that of every fitted
        node; its membership is then 1.
        """
        fitted, shares = self.model.communities(rule), self._shares_of_links(rule)
        found = tuple(
            self._with_new_members(c, *(shares[c.name] if c.name in shares else self._above_threshold(c)))
            for c in fitted.found
        )
        return replace(fitted, found=found, nodes=self.nodes)

    def memberships(self, node: Node | None = None) -> dict[str, float]:
        """The membership of one new node in every community, from 0 to 1, largest first."""
        row, found = self._row(node), self.model.communities().found
        if self.factors.members is not None:  # all members have the same affinity
            shares = self._shares_of_links(None)
            all_of_it = {c.name: float(shares[c.name][1][shares[c.name][0] == row].sum()) for c in found}
        else:
            all_of_it = {c.name: float(self._memberships(c)[row]) for c in found}
        return dict(sorted(all_of_it.items(), key=lambda item: -item[1]))

    def explain(self, new: Any, fitted: Node | None = None) -> LinkExplanation:
        """Why a link between a new node and a fitted one is likely or unlikely."""
        new, fitted = two_names(new, fitted)
        (i,), (j,) = self._rows([(new, fitted)])
        linked = np.arange(int(self.links[i, j] != 0))  # the link between both, or none
        everyone = Nodes([*self.model.graph_.nodes, *self.nodes])
        pair = Graph.from_rows(linked + j, linked + self.model.graph_.n_nodes + i, everyone)
        return explain_link(pair, self._together, new, fitted)

    def top_links(self, count: int = 10, *, node: Node | None = None) -> list[PredictedLink]:
        """The most likely further links with fitted nodes, of one new node or of all, best first."""
        if count < 1:
            raise InvalidParameterError(f"{count} links were asked for; ask for at least 1")
        rows = np.arange(len(self.nodes)) if node is None else np.array([self._row(node)])
        at_once = max(1, _SCORES // max(1, self.model.graph_.n_nodes))
        parts = [self._best(rows[top : top + at_once], count) for top in range(0, len(rows), at_once)]
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
    def _together(self) -> CommunityFactors | SparseFactors:
        """The fitted rows, and the new ones below them."""
        fitted: Any = self._fitted  # of the same kind
        return cast("CommunityFactors | SparseFactors", fitted.below(self.factors))

    @property
    def _fitted(self) -> CommunityFactors | SparseFactors:
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
        column = self.factors.readable().columns[:, self.factors.names.index(community.name)]
        return np.asarray(np.minimum(column / np.sqrt(abs(community.strength)), 1.0))

    def _shares_of_links(self, rule: str | float | None) -> dict[str, tuple[Int64Array, Float64Array]]:
        """The rows of the new members of each community, and the shares of their links, if the rule goes by links."""
        if rule not in (None, "links"):
            return {}
        level, own, fitted = self.model.level() if rule is None else None, self.factors, self._fitted
        if level is not None and own.members is not None:
            joined = sparse.csc_array(shares_of_members(shares_of_new(level, self.links)))
            parts = (slice(*joined.indptr[c : c + 2]) for c in range(joined.shape[1]))
            return {name: (joined.indices[p], joined.data[p]) for name, p in zip(own.names, parts, strict=True)}
        own, fitted = own.readable(), fitted.readable()
        if level is not None:
            links = np.asarray(self.links @ (level.labels[:, None] == np.arange(len(level))))
            shares = links / np.maximum(1, np.diff(self.links.indptr))[:, None]
            first = links.argmax(axis=1) if len(level) else np.zeros(len(links), np.int64)
            member = first[:, None] == np.arange(len(level))
        else:
            shares = shares_through(self.links, own.homophilous, fitted.homophilous)
            member = members_by_shares(shares)
        k_B, names = own.counts[0], own.names
        least = [nearest(column) for column in fitted.heterophilous.T]
        lacking = missing_shares(self.links, own, fitted)
        of_members = {
            **dict(zip(names, np.where(member, shares, 0.0).T, strict=False)),
            **dict(zip(names[k_B:], np.where(own.heterophilous >= least, lacking, 0.0).T, strict=True)),
        }
        return {name: (np.flatnonzero(column), column[column != 0]) for name, column in of_members.items()}

    def _above_threshold(self, community: Community) -> tuple[Int64Array, Float64Array]:
        memberships = self._memberships(community)
        rows = np.flatnonzero((memberships >= community.threshold) & (memberships > 0))
        return rows, memberships[rows]

    def _with_new_members(self, community: Community, rows: Int64Array, shares: Float64Array) -> Community:
        first = np.argsort(-shares, kind="stable")
        members = dict(zip(self.nodes.pick(rows[first]), shares[first].tolist(), strict=True))
        return replace(community, members=members, refits=None)


def shares_of_new(level: Level, links: sparse.csr_array) -> sparse.csr_array:
    """The share of each new node's links that lead to each community (new × k); rows add up to at most one.

    A link with a node that is in several communities leads to each of them in part.
    """
    members = level.memberships.astype(np.float64)
    members.data /= np.repeat(np.diff(members.indptr), np.diff(members.indptr))
    found = sparse.csr_array(links @ members)
    found.data /= np.repeat(np.diff(links.indptr), np.diff(found.indptr))
    return found


def placed_by_links(columns: SparseColumns, known: Graph, level: Level, links: sparse.csr_array) -> SparseFactors:
    """The factors of new nodes: communities by where their links lead, and the neighbourhoods of their neighbours."""
    return SparseFactors(
        columns.affinities(level, shares_of_members(shares_of_new(level, links))),
        columns.neighbourhoods(scaled_columns(links, 1 / np.sqrt(np.maximum(1, known.degrees)))),
        columns.background(np.diff(links.indptr)),
        columns.neighbours,
        columns.adds,
    )


def rows_of_neighbours(
    fitted: Nodes, neighbours: Neighbours, unknown: Neighbours | None
) -> tuple[sparse.csr_array, sparse.csr_array, Nodes]:
    """Links and unknown pairs (new × fitted, 0 or 1), and the names of the new nodes.

    >>> links, unknown, new = rows_of_neighbours(Nodes(["ann", "bob"]), {"zoe": ["bob"]}, {"zoe": ["ann"]})
    >>> links.toarray().tolist(), unknown.toarray().tolist(), list(new)
    ([[0.0, 1.0]], [[1.0, 0.0]], ['zoe'])
    """
    linked = _by_name(neighbours, "neighbours")
    if not linked:
        raise InvalidParameterError("there are no new nodes to place; give at least one, such as {'zoe': ['ann']}")
    new = Nodes(list(linked))
    for name in new:
        if name in fitted:
            raise InvalidParameterError(
                f"{name!r} is not new: the model was fitted with it, and model.communities().of({name!r}) has its "
                "communities; partial_fit adds links to it"
            )
    left_out = _by_name({} if unknown is None else unknown, "unknown")
    rest = {name: left_out.pop(name, ()) for name in new}
    if left_out:
        raise InvalidParameterError(
            f"unknown names {next(iter(left_out))!r}, which is not among the new nodes; name it in neighbours as well, "
            "with [] if none of its links is known"
        )
    links, hidden = (_matrix(fitted, new, named) for named in (linked, rest))
    both = links.multiply(hidden).tocoo()
    if both.nnz:
        u, v = new[int(both.row[0])], fitted[int(both.col[0])]
        raise InvalidParameterError(f"the pair ({u!r}, {v!r}) is given as a link and as unknown; decide for one")
    return links, hidden, new


def _by_name(given: Neighbours, what: str) -> dict[Node, Iterable[Node]]:
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InvalidParameterError(
            f"{what} is {given!r}; give a list of names, or such a list for each new node: {{'zoe': ['ann', 'bob']}}"
        )
    return {_NAMELESS: given}


def _matrix(fitted: Nodes, new: Nodes, named: Mapping[Node, Iterable[Node]]) -> sparse.csr_array:
    ends = [_rows(fitted, new, name, others) for name, others in named.items()]
    rows = np.repeat(np.arange(len(new)), [len(found) for found in ends])
    columns = np.concatenate([np.empty(0, np.int64), *ends])
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(new), len(fitted)))


def _rows(fitted: Nodes, new: Nodes, name: Node, others: Iterable[Node]) -> Int64Array:
    """The rows of the names, each once."""
    if isinstance(others, (str, bytes)) or not isinstance(others, Iterable):
        raise InvalidParameterError(f"{name!r} is given {others!r}; give a list of names, such as ['ann', 'bob']")
    listed = list(others)
    for other in listed:
        if other in new and other not in fitted:
            raise InvalidParameterError(
                f"{name!r} and {other!r} are both new, and new nodes are placed without each other; leave the pair "
                "out, or add all links with partial_fit"
            )
    return np.unique(fitted.rows(listed))
