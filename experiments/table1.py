"""Table 1: the sizes of the five networks, and the paper's bounds on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.data import dataset
from experiments.experiment import Claim, Experiment, Result, Scope, Table, Task, on_all, verdict
from experiments.summaries import listed
from philia.graphs import arboricity, degeneracy

PAPER = {
    "blog": (10_312, 333_983, 39, 3_992, 114),
    "youtube": (5_346, 24_121, 5, 628, 19),
    "pos": (4_777, 92_406, 40, 3_644, 49),
    "ppi": (3_852, 76_546, 50, 593, 29),
    "amazon": (794, 2_109, 5, 29, 6),
}
"""The paper's numbers: nodes, edges, labels, maximum degree, degeneracy."""

_COUNTS = ("nodes", "links", "labels", "max_degree", "degeneracy")
_PAIRS = 200_000
"""Random pairs that are drawn: the standard error of a share is then about 0.001."""


class Table1(Experiment):
    """Counts for the five networks, beside the paper's."""

    name = "table1"
    title = "Table 1: the five networks"
    about = (
        "Nodes, links, labels, largest degree and degeneracy of the simple undirected graphs, counted by philia and "
        "shown beside the paper's; the exact arboricity with a witness; how often linked nodes share a label."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """One per network."""
        for name in scope.datasets:
            yield Task(self.name, name, "counts", 0, {}, partial(_counts, name))

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """The sizes, the bounds, and the shares of pairs with a common label."""
        sizes = tuple(_row(result) for result in results)
        columns = (
            "network",
            "nodes",
            "links",
            "labels",
            "largest degree",
            "degeneracy",
            "arboricity",
            "the paper's links",
        )
        bounds = tuple(_bounds_row(result) for result in results)
        sharing = tuple(
            (
                r.dataset,
                f"{r.values['linked_sharing']:.3f}",
                f"{r.values['random_sharing']:.3f}",
                f"{r.values['weighted_sharing']:.3f}",
            )
            for r in results
        )
        return [
            Table("Sizes", columns, sizes, "Where a cell has two numbers, the second is the paper's."),
            Table(
                "Columns that the paper's theorems promise for an exact representation",
                ("network", "2c + 1 (largest degree c)", "4α² + 1 (arboricity α)", "nodes"),
                bounds,
            ),
            Table(
                "Share of pairs with a common label",
                ("network", "linked pairs", "random pairs", "random pairs, nodes drawn by degree"),
                sharing,
                "Heterophily by labels means that linked pairs share less often than pairs drawn by degree.",
            ),
        ]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """There are none."""
        return {}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Whether the counts agree, and what the text concludes from them."""
        if not results:
            return [_unjudged(where, claim) for where, claim in _CLAIMS]
        return [_same_counts(results), _degeneracy_bounds(results), _more_applicable(results), _heterophily(results)]


_CLAIMS = (
    ("Table 1", "The five networks have the sizes that are printed."),
    ("Table 1", "Degeneracy is at least the arboricity."),
    ("Section 1", "The bound by arboricity applies to real networks more widely than the one by maximum degree."),
    ("Appendix", "POS, PPI and Amazon show marked heterophily; Blog and YouTube are dominated by homophily."),
)


def _unjudged(where: str, claim: str) -> Claim:
    return Claim(where, claim, "", "no data here", "cannot be judged")


def _names(results: Sequence[Result]) -> list[str]:
    return [result.dataset for result in results]


def _same_counts(results: Sequence[Result]) -> Claim:
    differing = [
        f"{r.dataset}: {r.values['links']:,} links, printed {PAPER[r.dataset][1]:,} ({r.values['note']})"
        for r in results
        if r.values["links"] != PAPER[r.dataset][1]
    ]
    others = all(
        r.values[name] == printed
        for r in results
        for name, printed in zip(_COUNTS, PAPER[r.dataset], strict=True)
        if name != "links"
    )
    measured = "; ".join([f"all other counts {'agree' if others else 'do not agree'}", *differing])
    return Claim(
        *_CLAIMS[0],
        "every count of the simple graph equals the printed one",
        measured,
        verdict(on_all(others and not differing, _names(results))),
    )


def _degeneracy_bounds(results: Sequence[Result]) -> Claim:
    said = ", ".join(f"{r.dataset} {r.values['arboricity']} ≤ {r.values['degeneracy']}" for r in results)
    holds = all(r.values["arboricity"] <= r.values["degeneracy"] for r in results)
    return Claim(*_CLAIMS[1], "exact arboricity ≤ degeneracy", said, verdict(on_all(holds, _names(results))))


def _more_applicable(results: Sequence[Result]) -> Claim:
    smaller = [r.dataset for r in results if _by_arboricity(r) < _by_degree(r)]
    measured = f"4α² + 1 is smaller than 2c + 1 on {listed(smaller)} of {len(results)} networks"
    told = verdict(on_all(len(smaller) > len(results) / 2, _names(results)))
    return Claim(*_CLAIMS[2], "4α² + 1 < 2c + 1 on most of the five networks", measured, told)


def _heterophily(results: Sequence[Result]) -> Claim:
    less = [r.dataset for r in results if r.values["linked_sharing"] < r.values["weighted_sharing"]]
    expected = {"pos", "ppi", "amazon"}
    measured = f"linked nodes share a label less often than chance on {listed(less)}"
    return Claim(
        *_CLAIMS[3],
        "by labels: linked pairs share one less often than pairs drawn by degree",
        measured,
        verdict(on_all(set(less) == expected, _names(results))),
    )


def _counts(name: str) -> dict[str, Any]:
    data = dataset(name)
    graph = data.graph
    found = arboricity(graph)
    return {
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "labels": len(data.communities),
        "max_degree": int(graph.degrees.max()),
        "degeneracy": int(degeneracy(graph)),
        "arboricity": int(found.value),
        "witness_nodes": len(found.lower),
        "note": _NOTES.get(name, ""),
        **_sharing(name),
    }


_NOTES = {
    "pos": "half the stored entries, with 222 self-loops among them",
    "ppi": "all stored entries: both directions of every link, and 864 self-loops",
}


def _sharing(name: str) -> dict[str, float]:
    """How often two nodes share a label: linked nodes, and random nodes drawn uniformly or by degree."""
    data = dataset(name)
    n, labels = data.graph.n_nodes, np.zeros((data.graph.n_nodes, len(data.communities)), dtype=bool)
    for column, members in enumerate(data.communities.values()):
        labels[data.graph.nodes.rows(list(members)), column] = True
    rng = np.random.default_rng(0)
    by_degree = data.graph.degrees / data.graph.degrees.sum()
    drawn: dict[str, Any] = {
        "linked": data.graph.links,
        "random": rng.integers(n, size=(2, _PAIRS)),
        "weighted": rng.choice(n, size=(2, _PAIRS), p=by_degree),
    }
    shared = {}
    for which, (rows, columns) in drawn.items():
        different = rows != columns
        both = labels[rows[different]] & labels[columns[different]]
        shared[f"{which}_sharing"] = round(float(both.any(axis=1).mean()), 4)
    return shared


def _row(result: Result) -> tuple[str, ...]:
    v, printed = result.values, dict(zip(_COUNTS, PAPER[result.dataset], strict=True))
    cells = [f"{v[c]:,}" if v[c] == printed[c] else f"{v[c]:,} / {printed[c]:,}" for c in _COUNTS]
    return (result.dataset, *cells, str(v["arboricity"]), v["note"] or "the same")


def _bounds_row(result: Result) -> tuple[str, ...]:
    return (result.dataset, f"{_by_degree(result):,}", f"{_by_arboricity(result):,}", f"{result.values['nodes']:,}")


def _by_degree(result: Result) -> int:
    return 2 * int(result.values["max_degree"]) + 1


def _by_arboricity(result: Result) -> int:
    return 4 * int(result.values["arboricity"]) ** 2 + 1
