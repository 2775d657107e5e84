"""What every section of a report reads: the model, its communities and known labels as sets of rows, and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Float64Array, Int64Array, Node
from philia.evaluate.covers import CoverLike, as_cover, compare_communities
from philia.exceptions import InvalidParameterError
from philia.explain import Communities
from philia.explain.communities import memberships_of, rows_of
from philia.factors import CommunityFactors
from philia.graphs import Graph, Nodes
from philia.models import CommunityModel, LinkModel

_LONGEST = 200
"""Characters shown of a name: nobody reads more, and a thousand longer names would fill the page."""

_LONGEST_IN_TITLE = 28
"""Characters of each name in the title of a community, so that three fit on two lines of a card."""


@dataclass(frozen=True, eq=False)
class Findings:
    """A fitted model, taken apart once for all sections of its report.

    ``memberships`` (n × communities, compressed columns) holds 1 where a node is a member.

    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(2, 0, penalty=1, random_state=0).fit(dating_app(60, cities=2, random_state=0).graph)
    >>> found = Findings.of(model)
    >>> found.memberships.shape, found.sizes.tolist() == [len(community) for community in model.communities()]
    ((60, 2), True)
    """

    model: CommunityModel
    communities: Communities
    memberships: sparse.csc_array
    names: ShownNames

    @classmethod
    def of(cls, model: LinkModel) -> Findings:
        """The findings of a fitted community model; other models give no reasons, so they have no report."""
        if not isinstance(model, CommunityModel):
            raise InvalidParameterError(
                f"found a {type(model).__name__}; a report shows reasons, which only a CommunityModel has: fit one, "
                "for example CommunityModel().fit(graph)"
            )
        # The tree of a sparse model has a leaf for every community.
        communities = model.communities(everything=model.factors_.members is not None)
        return cls(model, communities, _incidence(communities), ShownNames.of(model.graph_.nodes))

    @property
    def graph(self) -> Graph:
        """The fitted graph."""
        return self.model.graph_

    @property
    def factors(self) -> CommunityFactors:
        """The fitted factors."""
        return self.model.factors_.readable()

    @property
    def sparse(self) -> bool:
        """Whether there may be thousands of communities, of which only members are stored."""
        return self.model.factors_.members is not None

    @cached_property
    def sizes(self) -> Int64Array:
        """The number of members of each community."""
        return np.asarray(np.diff(self.memberships.indptr), dtype=np.int64)

    @cached_property
    def communities_per_node(self) -> Int64Array:
        """The number of communities that each node is in."""
        return np.bincount(self.memberships.indices, minlength=self.graph.n_nodes)

    def rows(self, community: int) -> Int64Array:
        """The rows of a community's members, fullest first."""
        return rows_of(self.communities[community].members, self.graph.nodes)

    def shown(self, community: int) -> Float64Array:
        """The memberships of a community's members, in the order of their rows."""
        return memberships_of(self.communities[community].members)

    @cached_property
    def read(self) -> CommunityFactors:
        """The columns that are communities, without those that only make probabilities better."""
        kept = self.factors.counts[0] - len(self.communities.finer)
        return replace(self.factors, homophilous=self.factors.homophilous[:, :kept])

    @cached_property
    def main(self) -> Int64Array:
        """The attracting community in which each node's membership is largest, -1 if it is in none."""
        best, found = np.zeros(self.graph.n_nodes), np.full(self.graph.n_nodes, -1, np.int64)
        for c, community in enumerate(self.communities):
            rows, shares = self.rows(c), np.maximum(self.shown(c), 1e-9)
            larger = (shares > best[rows]) & (community.kind == "homophilous")
            best[rows[larger]], found[rows[larger]] = shares[larger], c
        return found

    def title(self, community: int, most: int = 3) -> str:
        """The members of a community with the most links to it, which are what a reader knows it by."""
        rows, shares = self.rows(community), self.shown(community)
        inside = shares * self.graph.degrees[rows]
        first = rows[np.argsort(-inside, kind="stable")[:most]]
        names = [
            name if len(name) <= _LONGEST_IN_TITLE else f"{name[: _LONGEST_IN_TITLE - 1]}…"
            for name in self.names.pick(first.tolist())
        ]
        return ", ".join(names) + (" …" if len(rows) > most else "")

    def affinities(self, community: int) -> Float64Array:
        """The affinity of every node to a community."""
        return _affinities(self.factors, self.communities[community].name)

    def typical(self, community: int) -> float:
        """What a community adds to the log-odds of two typical members."""
        return self.communities[community].typical


def _affinities(factors: CommunityFactors, name: str) -> Float64Array:
    column, k_B = factors.names.index(name), factors.counts[0]
    return factors.homophilous[:, column] if column < k_B else factors.heterophilous[:, column - k_B]


def _incidence(communities: Communities) -> sparse.csc_array:
    """Who is a member, without looking up names."""
    return _as_columns([np.sort(rows_of(c.members, communities.nodes)) for c in communities], len(communities.nodes))


def _as_columns(sets: list[Int64Array], n: int) -> sparse.csc_array:
    """Sets of rows as a matrix of zeros and ones (n × sets, compressed columns).

    >>> _as_columns([np.array([0, 2]), np.array([1])], 3).toarray().tolist()
    [[1, 0], [0, 1], [1, 0]]
    """
    indices = np.concatenate([np.empty(0, np.int64), *sets])
    indptr = np.cumsum([0, *map(len, sets)])
    return sparse.csc_array((np.ones(len(indices), np.int64), indices, indptr), shape=(n, len(sets)))


@dataclass(frozen=True, eq=False)
class ShownNames:
    """The name that the page shows for each node, in row order, and how many were shortened or numbered.

    >>> names = ShownNames.of(Nodes([1, "1", "x" * 300]))
    >>> names.pick([0, 1]), len(names.texts[2]), names.cut, names.numbered
    (['1', '1 (2)'], 201, 1, 1)
    """

    texts: list[str]
    cut: int
    numbered: int

    @classmethod
    def of(cls, nodes: Nodes) -> ShownNames:
        """The names of all nodes; those that would look the same, such as 1 and "1", get a number."""
        texts = [str(name) for name in nodes]
        cut = [_shortened(text) for text in texts]
        return cls(_distinct(cut), sum(len(text) > _LONGEST for text in texts), len(cut) - len(set(cut)))

    def pick(self, rows: Iterable[int]) -> list[str]:
        """The shown names of some rows."""
        return [self.texts[row] for row in rows]

    @property
    def remarks(self) -> list[str]:
        """Sentences about shortened and numbered names, if there are any."""

        def names(number: int) -> str:
            return f"{number:,} name{' is' if number == 1 else 's are'}"

        said = []
        if self.cut:
            said.append(f"{names(self.cut)} longer than {_LONGEST} characters; only the beginning is shown.")
        if self.numbered:
            said.append(f"{names(self.numbered)} shown like another; a number in brackets tells them apart.")
        return said


def _shortened(text: str) -> str:
    """At most 200 characters, with an ellipsis if there are more.

    >>> _shortened("ann"), len(_shortened("x" * 10_000))
    ('ann', 201)
    """
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _distinct(texts: list[str]) -> list[str]:
    """The same texts, with a number after each repetition.

    >>> _distinct(["a", "a", "a (2)", "a"])
    ['a', 'a (3)', 'a (2)', 'a (4)']
    """
    repeated = {text for text, times in Counter(texts).items() if times > 1}
    if not repeated:
        return texts
    taken, seen, found = set(texts), set[str](), []
    numbers = {text: count(2) for text in repeated}
    for text in texts:
        shown = text
        if text in seen:
            shown = next(other for n in numbers[text] if (other := f"{text} ({n})") not in taken)
            taken.add(shown)
        seen.add(text)
        found.append(shown)
    return found


LabelsLike = CoverLike
"""Known groups: a mapping from their names to their nodes, or the nodes of each."""


@dataclass(frozen=True)
class Match:
    """The label most like a community: the number of nodes in both, the number with the label, and the F1 score.

    >>> Match("red", f1=0.5, shared=2, size=4).facts()["f1"]
    0.5
    """

    name: str
    f1: float
    shared: int
    size: int

    def facts(self) -> dict[str, Any]:
        """The match as plain values, for the payload."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Labels:
    """Known groups as sets of rows; ``strangers`` counts the labeled names that are not in the graph.

    If the groups are only ``numbered``, they have their first members as names.

    >>> Labels.of({"red": ["ann", "bob"], "blue": ["zoe"]}, Nodes(["ann", "bob"])).strangers
    1
    """

    names: list[str]
    incidence: sparse.csc_array
    strangers: int
    numbered: bool = False

    @classmethod
    def of(cls, labels: LabelsLike, nodes: Nodes) -> Labels:
        """The labels of a graph's nodes."""
        groups = _named(labels)
        numbered = isinstance(labels, Mapping) and all(isinstance(name, int) for name in labels)
        known = [[nodes.row(node) for node in group if node in nodes] for _, group in groups]
        rows = [np.sort(np.array(some, dtype=np.int64)) for some in known]
        everyone = frozenset[Node]().union(*(group for _, group in groups))
        strangers = sum(node not in nodes for node in everyone)
        if everyone and strangers == len(everyone):
            raise InvalidParameterError(
                f"none of the {strangers:,} labeled nodes is in the graph; labels must use the graph's names, such as "
                f"{', '.join(map(repr, nodes[:3]))}, but have {next(iter(everyone))!r}"
            )
        names = [name for name, _ in groups]
        if numbered:  # a number says nothing: the first members are what a reader knows the group by
            names = [f"{name} ({_first(some, nodes)})" for name, some in zip(names, rows, strict=True)]
        return cls(names, _as_columns(rows, len(nodes)), strangers, numbered)

    def of_rows(self) -> list[object]:
        """The label of each row, "several" if it has more than one, None if it has none."""
        by_row = sparse.csr_array(self.incidence)
        ends = zip(by_row.indptr[:-1].tolist(), by_row.indptr[1:].tolist(), strict=True)
        return [
            None if start == end else self.names[by_row.indices[start]] if end - start == 1 else "several"
            for start, end in ends
        ]

    def scores(self, found: Findings) -> dict[str, Any]:
        """How alike all communities and all labels are."""
        truth = {
            name: set(found.graph.nodes.pick(self.incidence.indices[start:end]))
            for name, start, end in zip(self.names, self.incidence.indptr, self.incidence.indptr[1:], strict=False)
        }
        scores = compare_communities(found.communities.as_sets(), truth, found.graph.nodes)
        return {"f1": scores.f1, "nmi": scores.nmi_mgh, "omega": scores.omega, "labels": len(self.names)}

    def matches(self, found: Findings) -> list[Match | None]:
        """For each community, the label with the best F1, 2 |both| / (|community| + |label|); None if none overlaps."""
        shared = (found.memberships.T @ self.incidence).tocsr()
        sizes = np.diff(self.incidence.indptr)
        return [self._best(shared, sizes, c, int(size)) for c, size in enumerate(found.sizes)]

    def _best(self, shared: sparse.csr_array, sizes: Int64Array, c: int, size: int) -> Match | None:
        part = slice(shared.indptr[c], shared.indptr[c + 1])
        labels, common = shared.indices[part], shared.data[part]
        if not len(labels):
            return None
        f1 = 2 * common / (size + sizes[labels])
        first = int(np.lexsort((labels, -f1))[0])
        label = int(labels[first])
        return Match(self.names[label], float(f1[first]), int(common[first]), int(sizes[label]))


def _first(rows: Int64Array, nodes: Nodes, most: int = 2) -> str:
    names = [str(name) for name in nodes.pick(rows[:most])]
    shown = [name if len(name) <= _LONGEST_IN_TITLE else f"{name[: _LONGEST_IN_TITLE - 1]}…" for name in names]
    return ", ".join(shown) + (", …" if len(rows) > most else "")


def _named(labels: LabelsLike) -> list[tuple[str, frozenset[Node]]]:
    """Each group with its name, without empty groups."""
    given: Any = labels.as_sets() if isinstance(labels, Communities) else labels
    if isinstance(given, Mapping):
        covers = [(str(name), as_cover([group])) for name, group in given.items()]
        return [(_shortened(name), cover.sets[0]) for name, cover in covers if cover.sets]
    return [(f"label {number}", group) for number, group in enumerate(as_cover(given).sets, start=1)]
