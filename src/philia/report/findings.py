"""What all parts of a report look at: a model, its communities as sets of rows, and names that can be shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from philia._types import BoolArray, Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.explain import Communities
from philia.factors import CommunityFactors
from philia.graphs import Graph
from philia.models import CommunityModel, LinkModel
from philia.report.names import ShownNames


@dataclass(frozen=True, eq=False)
class Findings:
    """A fitted model, taken apart once for all sections of its report.

    ``memberships`` (n × communities) holds 1 where a node is a member, in compressed columns.

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
        """The findings of a fitted community model; other models cannot say why, so they have no report."""
        if not isinstance(model, CommunityModel):
            raise InvalidParameterError(
                f"found a {type(model).__name__}; a report shows reasons, which only a CommunityModel has: fit one, "
                "for example CommunityModel().fit(graph)"
            )
        communities = model.communities()
        return cls(model, communities, _incidence(model.factors_, communities), ShownNames.of(model.graph_.nodes))

    @property
    def graph(self) -> Graph:
        """The graph that was fitted."""
        return self.model.graph_

    @property
    def factors(self) -> CommunityFactors:
        """The fitted numbers of each node."""
        return self.model.factors_

    @cached_property
    def sizes(self) -> Int64Array:
        """How many members each community has."""
        return np.asarray(np.diff(self.memberships.indptr), dtype=np.int64)

    @cached_property
    def communities_a_node(self) -> Int64Array:
        """In how many communities each node is."""
        return np.bincount(self.memberships.indices, minlength=self.graph.n_nodes)

    def rows(self, community: int) -> Int64Array:
        """The rows of the members of the community at this place, the fullest first; ties in row order."""
        start, end = self.memberships.indptr[community : community + 2]
        rows = self.memberships.indices[start:end].astype(np.int64)
        column = affinities(self.factors, self.communities[community].name)
        return np.asarray(rows[np.argsort(-column[rows], kind="stable")])

    def typical(self, community: int) -> float:
        """What the community at this place adds to the log-odds of two members with the median affinity.

        The strength tells the same of two full members; where one node stands far above all others, nobody is like it.
        """
        sign = 1 if self.communities[community].strength > 0 else -1
        column = affinities(self.factors, self.communities[community].name)[self.rows(community)]
        return sign * float(np.median(column)) ** 2 if len(column) else 0.0


def affinities(factors: CommunityFactors, name: str) -> Float64Array:
    """The column of a community, by its name.

    >>> affinities(CommunityFactors.attracting(np.array([[1.0, 2.0]])), "B2")
    array([2.])
    """
    place, k_B = factors.names.index(name), factors.counts[0]
    return factors.homophilous[:, place] if place < k_B else factors.heterophilous[:, place - k_B]


def _incidence(factors: CommunityFactors, communities: Communities) -> sparse.csc_array:
    """Who is a member, from the thresholds that the communities were made with: names are not looked up again."""
    rows = [np.flatnonzero(_reaching(affinities(factors, c.name), c.threshold)) for c in communities]
    indices = np.concatenate([np.empty(0, np.int64), *rows])
    indptr = np.cumsum([0, *map(len, rows)])
    shape = (len(communities.nodes), len(communities))
    return sparse.csc_array((np.ones(len(indices), np.int64), indices, indptr), shape=shape)


def _reaching(column: Float64Array, threshold: float) -> BoolArray:
    membership = column / column.max()  # as ``normalize`` has it, to the last bit
    return np.asarray((membership >= threshold) & (membership > 0))
