"""Known groups (labels), and the one that is most like each community."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse

from philia._types import Int64Array, Node
from philia.evaluate.covers import CoverLike, as_cover
from philia.exceptions import InvalidParameterError
from philia.explain import Communities
from philia.graphs import Nodes
from philia.report.findings import Findings, as_columns, shortened

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

    >>> Labels.of({"red": ["ann", "bob"], "blue": ["zoe"]}, Nodes(["ann", "bob"])).strangers
    1
    """

    names: list[str]
    incidence: sparse.csc_array
    strangers: int

    @classmethod
    def of(cls, labels: LabelsLike, nodes: Nodes) -> Labels:
        """The labels of a graph's nodes."""
        groups = _named(labels)
        known = [[nodes.row(node) for node in group if node in nodes] for _, group in groups]
        rows = [np.sort(np.array(some, dtype=np.int64)) for some in known]
        everyone = frozenset[Node]().union(*(group for _, group in groups))
        strangers = sum(node not in nodes for node in everyone)
        if everyone and strangers == len(everyone):
            raise InvalidParameterError(
                f"none of the {strangers:,} labeled nodes is in the graph; labels must use the graph's names, such as "
                f"{', '.join(map(repr, nodes[:3]))}, but have {next(iter(everyone))!r}"
            )
        return cls([name for name, _ in groups], as_columns(rows, len(nodes)), strangers)

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


def _named(labels: LabelsLike) -> list[tuple[str, frozenset[Node]]]:
    """Each group with its name, without empty groups."""
    given: Any = labels.as_sets() if isinstance(labels, Communities) else labels
    if isinstance(given, Mapping):
        covers = [(str(name), as_cover([group])) for name, group in given.items()]
        return [(shortened(name), cover.sets[0]) for name, cover in covers if cover.sets]
    return [(f"label {number}", group) for number, group in enumerate(as_cover(given).sets, start=1)]
