"""Table 1: the sizes of the five networks, and the paper's bounds on them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.data import dataset
from experiments.experiment import Claim, Experiment, Result, Scope, Table, Task, on_all, verdict
from experiments.summaries import listed
from philia.graphs import Graph, arboricity, as_graph, degeneracy

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
        "shown beside the paper's; the exact arboricity with a witness; how often linked nodes share a label, "
        "and the correlation of their degrees. The bounds are compared on the five networks and on classes of graphs."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """One per network."""
        for name in scope.datasets:
            yield Task(self.name, name, "counts", 0, {"pairs": _PAIRS, "degrees": "correlated"}, partial(_counts, name))
        sizes = (100, 300) if scope.quick else (100, 1000, 10_000)
        for name in _CLASSES:
            yield Task(self.name, name, CLASS, 0, {"nodes": sizes}, partial(_growing, name, sizes))

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """The sizes, the bounds, and the shares of pairs with a common label."""
        kinds = [r for r in results if r.method == CLASS]
        results = [r for r in results if r.method != CLASS]
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
                f"{r.values['assortativity']:+.2f}",
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
                "Share of pairs with a common label, and the correlation of degrees",
                ("network", "linked pairs", "random pairs", "random pairs, nodes drawn by degree", "Newman's r"),
                sharing,
                "Heterophily by labels means that linked pairs share less often than pairs drawn by degree; by degrees "
                "it means that r is negative, and popular nodes link to unpopular ones. The paper's references on "
                "words and proteins measure the latter. On Amazon the paper thinks of products that replace each "
                "other; the labels, which are categories of products, cannot show that.",
            ),
            Table(
                "Classes of graphs, by the number of nodes",
                ("class", "nodes", "largest degree c", "arboricity α", "2c + 1", "4α² + 1"),
                tuple(_class_row(r) for r in kinds),
            ),
        ]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """There are none."""
        return {}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Whether the counts agree, and what the text concludes from them."""
        if not any(r.method != CLASS for r in results):
            return [_unjudged(where, claim) for where, claim in _CLAIMS]
        counted = [r for r in results if r.method != CLASS]
        return [
            _same_counts(counted),
            _degeneracy_bounds(counted),
            _more_applicable(counted),
            _by_class(results),
            *_heterophily(counted),
        ]


_CLAIMS = (
    ("Table 1", "The five networks have the sizes that are printed."),
    ("Table 1", "Degeneracy is at least the arboricity."),
    ("Section 1", "The bound by arboricity applies to real networks more widely than the one by maximum degree."),
    ("Section 1", "The bound by arboricity applies to more kinds of graphs than the one by maximum degree."),
    ("Appendix", "POS, PPI and Amazon show marked heterophily."),
    ("Appendix", "Blog and YouTube are dominated by homophily."),
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


def _by_class(results: Sequence[Result]) -> Claim:
    """Whether classes of graphs have a bounded arboricity while their largest degree grows; the converse never is."""
    found = {r.dataset: r.values for r in results if r.method == CLASS}
    said = "; ".join(
        f"{name}: α {v['arboricity'][-1]} while c grows to {v['max_degree'][-1]:,}" for name, v in found.items()
    )
    grows = all(v["max_degree"][0] < v["max_degree"][-1] and len(set(v["arboricity"])) == 1 for v in found.values())
    counted = [r.values for r in results if r.method != CLASS]
    within = all(v["arboricity"] <= v["max_degree"] // 2 + 1 for v in counted)
    told = verdict(grows and within if len(found) == len(_CLASSES) and counted else None)
    reading = "by classes: α stays while c grows in classes of sparse graphs, and α ≤ c / 2 + 1 in all"
    return Claim(*_CLAIMS[3], reading, said or "nothing was run", told)


def _heterophily(results: Sequence[Result]) -> Iterator[Claim]:
    """Both halves of the statement, by labels and by degrees, which the paper's references mean."""
    lift = {r.dataset: r.values["linked_sharing"] / r.values["weighted_sharing"] for r in results}
    degrees = {r.dataset: float(r.values["assortativity"]) for r in results}
    kinds = (
        (_CLAIMS[4], ("pos", "ppi", "amazon"), operator.lt),
        (_CLAIMS[5], ("blog", "youtube"), operator.gt),
    )
    for about, names, right in kinds:
        for measures, even, what in (
            (lift, 1.0, "by labels: linked pairs share one, relative to pairs drawn by degree"),
            (degrees, 0.0, "by degrees: Newman's r, the correlation of the degrees of linked nodes"),
        ):
            said = ", ".join(f"{name} {value:.2f}" for name, value in measures.items())
            side = "below" if names[0] == "pos" else "above"
            holds = all(right(measures[name], even) for name in names if name in measures)
            told = verdict(on_all(holds, _names(results)))
            yield Claim(*about, f"{what}; {side} {even:g} on {listed(names)}", said, told)


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
        "assortativity": round(_assortativity(graph), 4),
        **_sharing(name),
    }


def _assortativity(graph: Graph) -> float:
    """The correlation of the degrees at both ends of the links, each link in both directions (Newman, 2002)."""
    rows, columns = graph.links
    one, other = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    return float(np.corrcoef(graph.degrees[one], graph.degrees[other])[0, 1])


def _growing(name: str, sizes: Sequence[int]) -> dict[str, Any]:
    """The largest degree and the arboricity of a class of graphs, by the number of nodes."""
    graphs = [as_graph(_CLASSES[name](size, np.random.default_rng(0))) for size in sizes]
    degrees, bounds = [int(g.degrees.max()) for g in graphs], [int(arboricity(g).value) for g in graphs]
    return {"max_degree": degrees, "arboricity": bounds}


def _star(n: int, _: np.random.Generator) -> list[tuple[int, int]]:
    return [(0, i) for i in range(1, n)]


def _recursive_tree(n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Each node links to an earlier one."""
    return [(i, int(rng.integers(i))) for i in range(1, n)]


def _preferential(n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Each node links to two earlier ones, drawn by degree."""
    ends, links = [0, 1], [(0, 1)]
    for i in range(2, n):
        chosen = {ends[int(rng.integers(len(ends)))] for _ in range(2)}
        links += [(i, j) for j in sorted(chosen)]
        ends += [end for j in sorted(chosen) for end in (i, j)]
    return links


CLASS = "class of graphs"
_CLASSES: dict[str, Callable[[int, np.random.Generator], list[tuple[int, int]]]] = {
    "stars": _star,
    "random trees": _recursive_tree,
    "preferential attachment, 2 links": _preferential,
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


def _class_row(result: Result) -> tuple[str, ...]:
    c, alpha = result.values["max_degree"], result.values["arboricity"]
    counts = (result.settings["nodes"], c, alpha, [2 * v + 1 for v in c], [4 * v * v + 1 for v in alpha])
    return (result.dataset, *(", ".join(f"{v:,}" for v in values) for values in counts))


def _by_degree(result: Result) -> int:
    return 2 * int(result.values["max_degree"]) + 1


def _by_arboricity(result: Result) -> int:
    return 4 * int(result.values["arboricity"]) ** 2 + 1
