"""BigClam as SNAP runs it (Yang and Leskovec, 2013): told the number of communities, ascent node by node.

    python -m benchmarks.bigclam links.tsv --communities 100    # beside philia's own, by one likelihood

Affinities start at the neighbourhoods of locally least conductance. Each node then takes a step along its gradient,
with a backtracking line search, until the likelihood grows by less than a
ten-thousandth. philia's own `BigClam` maximizes
the same likelihood with a dense matrix, which does not fit for thousands of communities; here a node keeps its 24
largest affinities.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.measuring import own_peak, save
from philia import BigClam, read_graph
from philia._compilation import compiled, inlined
from philia._types import Float64Array, Int64Array
from philia.datasets import overlapping_cliques
from philia.graphs import Graph

_SLOTS, _SWEEPS, _GROWTH, _RANDOM = 24, 200, 1e-4, 10
_SHRINK, _TRIES, _SUFFICIENT = 0.3, 12, 0.05


def communities(graph: Graph, count: int, seed: int = 0) -> list[list[int]]:
    """The members of each community: affinities of at least √(-log(1 - density)), as SNAP has it.

    >>> from philia.datasets import overlapping_cliques
    >>> drawn = overlapping_cliques(300, 12, random_state=0)
    >>> 8 <= len([found for found in communities(drawn.graph, 12) if len(found) > 2]) <= 12
    True
    """
    n = graph.n_nodes
    least = np.sqrt(-np.log1p(-2 * graph.n_links / (n * (n - 1))))
    columns, values = _ascended(graph, count, seed)
    rows, slots = np.nonzero((columns >= 0) & (values >= least))
    found: list[list[int]] = [[] for _ in range(count)]
    for row, column in zip(rows.tolist(), columns[rows, slots].tolist(), strict=True):
        found[column].append(row)
    return found


def _ascended(graph: Graph, count: int, seed: int) -> tuple[Int64Array, Float64Array]:
    """Each node's columns and its affinities to them, where the ascent ends."""
    indptr, indices = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices.astype(np.int64)
    rng, before = np.random.default_rng(seed), -np.inf
    columns, values = _start(graph, count, rng)
    sums, order = np.zeros(count), np.arange(graph.n_nodes)
    np.add.at(sums, columns[columns >= 0], values[columns >= 0])
    for _ in range(_SWEEPS):
        rng.shuffle(order)
        now = _sweep(indptr, indices, order, columns, values, sums)
        if now - before < _GROWTH * abs(now):
            break
        before = now
    return columns, values


def _start(graph: Graph, count: int, rng: np.random.Generator) -> tuple[Int64Array, Float64Array]:
    """Each node and its neighbours, if no neighbour's such set has a lower conductance; the best first, then chance."""
    A, degrees, n = graph.adjacency.astype(np.float64), graph.degrees.astype(np.float64), graph.n_nodes
    volume = degrees + A @ degrees
    inside = 2 * degrees + np.asarray((A @ A).multiply(A).sum(axis=1)).ravel()  # twice the links within
    rest = 2 * graph.n_links - volume
    conductance = (volume - inside) / np.maximum(1, np.minimum(volume, rest))
    lowest = np.array([conductance[graph.adjacency.indices[a:b]].min(initial=np.inf) for a, b in _spans(graph)])
    local = np.flatnonzero((conductance <= lowest) & (degrees > 1))
    seeds = local[np.argsort(conductance[local], kind="stable")][:count]
    columns, values = np.full((n, _SLOTS), -1, np.int64), np.zeros((n, _SLOTS))
    filled = np.zeros(n, np.int64)
    for c in range(count):
        if c < len(seeds):
            members = np.append(
                graph.adjacency.indices[slice(*graph.adjacency.indptr[seeds[c] : seeds[c] + 2])], seeds[c]
            )
        else:
            members = rng.choice(n, min(n, _RANDOM), replace=False)
        members = members[filled[members] < _SLOTS]
        columns[members, filled[members]], values[members, filled[members]] = c, 1.0
        filled[members] += 1
    return columns, values


def _spans(graph: Graph) -> Any:
    return zip(graph.adjacency.indptr.tolist(), graph.adjacency.indptr[1:].tolist(), strict=False)


@inlined
def _product(columns: Any, values: Any, row: Any) -> float:
    found = 0.0
    for slot in range(len(columns)):
        if columns[slot] < 0:
            break
        found += values[slot] * row[columns[slot]]
    return found


@inlined
def _likelihood(near: Any, columns: Any, values: Any, row: Any, mine: Any, sums: Any, before: Any) -> float:
    """The log-likelihood of the pairs of a node with this row, whose row in the sums is ``before``."""
    found = 0.0
    for c in mine:
        found -= row[c] * (sums[c] - before[c])
    for v in near:
        x = _product(columns[v], values[v], row)
        found += np.log(max(-np.expm1(-x), 1e-4)) + x
    return found


@inlined
def _store(u: int, columns: Any, values: Any, row: Any, mine: Any, sums: Any, before: Any) -> None:
    """The largest entries of a row become the node's."""
    for c in mine:
        sums[c] -= before[c]
    kept = 0
    for c in mine[np.argsort(-row[mine])]:
        if row[c] <= 0 or kept == columns.shape[1]:
            break
        columns[u, kept], values[u, kept] = c, row[c]
        sums[c] += row[c]
        kept += 1
    columns[u, kept:] = -1


@compiled
def _sweep(starts: Any, ends: Any, order: Any, columns: Any, values: Any, sums: Any) -> float:
    """A step of every node along its gradient; the sum of what their rows had before in the likelihood."""
    count = len(sums)
    row, gradient, trial = np.zeros(count), np.zeros(count), np.zeros(count)
    seen, touched, total = np.zeros(count, np.bool_), np.empty(count, np.int64), 0.0
    for u in order:
        near = ends[starts[u] : starts[u + 1]]
        k = 0
        for at in range(-1, len(near)):  # the columns of the node itself and of its neighbours
            v = u if at < 0 else near[at]
            for slot in range(columns.shape[1]):
                c = columns[v, slot]
                if c < 0:
                    break
                if at < 0:
                    row[c] = values[v, slot]
                if not seen[c]:
                    seen[c], touched[k] = True, c
                    k += 1
        mine = touched[:k]
        for c in mine:
            gradient[c] = row[c] - sums[c]
        for v in near:
            x = _product(columns[v], values[v], row)
            pull = 1 / max(-np.expm1(-x), 1e-4)  # 1 more than e^-x / (1 - e^-x), which takes the link out of the sum
            for slot in range(columns.shape[1]):
                c = columns[v, slot]
                if c < 0:
                    break
                gradient[c] += values[v, slot] * pull
        now = _likelihood(near, columns, values, row, mine, sums, row)
        total += now
        step, length = 1.0, 0.0
        for c in mine:  # as in SNAP, no entry moves by more than ten times the step, and none below zero
            gradient[c] = min(10.0, max(-10.0 if row[c] > 0 else 0.0, gradient[c]))
            length += gradient[c] ** 2
        for _ in range(_TRIES):
            for c in mine:
                trial[c] = max(0.0, row[c] + step * gradient[c])
            if _likelihood(near, columns, values, trial, mine, sums, row) >= now + _SUFFICIENT * step * length:
                _store(u, columns, values, trial, mine, sums, row)
                break
            step *= _SHRINK
        for c in mine:
            row[c], gradient[c], trial[c], seen[c] = 0.0, 0.0, 0.0, False
    return total


def log_likelihood(graph: Graph, F: sparse.csr_array) -> float:
    """The log-likelihood of all pairs; no link is taken to be less likely than SNAP has it, 1e-4.

    >>> from philia import as_graph
    >>> one = sparse.csr_array(np.full((3, 1), 1.0))
    >>> round(log_likelihood(as_graph([(0, 1), (1, 2)]), one), 4)  # 2 log(1 - 1/e) - 1
    -1.9174
    """
    (rows, columns), together = graph.links, np.asarray(F.sum(axis=0)).ravel()
    scores = np.asarray((F[rows] * F[columns]).sum(axis=1)).ravel()
    all_pairs = (together @ together - float((F.data**2).sum())) / 2
    return float(np.log(np.maximum(-np.expm1(-scores), 1e-4)).sum() - (all_pairs - scores.sum()))


def _by_ascent(graph: Graph, count: int) -> sparse.csr_array:
    columns, values = _ascended(graph, count, 0)
    rows, slots = np.nonzero(columns >= 0)
    entries = values[rows, slots], (rows, columns[rows, slots])
    return sparse.csr_array(entries, shape=(graph.n_nodes, count))


def _by_philia(graph: Graph, count: int) -> sparse.csr_array:
    model = BigClam(count, random_state=0).fit(graph)
    assert model.factors_.homophilous is not None
    return sparse.csr_array(model.factors_.homophilous)


_WAYS: dict[str, Callable[[Graph, int], sparse.csr_array]] = {
    "SNAP's ascent": _by_ascent,
    "philia's BigClam": _by_philia,
}


def main() -> None:
    """Both ways on a file of links: seconds of processor time, and the likelihood where they end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--communities", type=int, default=100)
    asked = parser.parse_args()
    graph, rows = read_graph(asked.file), []
    for name, found in _WAYS.items():
        found(overlapping_cliques(300, 12, random_state=0).graph, 12)  # compiled code is loaded once
        began = time.process_time()
        F = found(graph, asked.communities)
        seconds = time.process_time() - began
        rows.append(
            {
                "nodes": graph.n_nodes,
                "links": graph.n_links,
                "communities": asked.communities,
                "way": name,
                "seconds": round(seconds, 1),
                "log-likelihood": round(log_likelihood(graph, F)),
                "peak GB so far": round(own_peak(), 2),
            }
        )
        print(rows[-1], flush=True)
    save("bigclam", rows)


if __name__ == "__main__":
    main()
