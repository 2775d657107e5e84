"""Found communities beside known labels, by four measures, with covers that anybody could have said."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.figure import Figure

from benchmarks.quality.claims import at_least
from benchmarks.quality.experiment import REPORTED, TUNING, Measured, columns, fit_cost, labels
from benchmarks.quality.methods import CHOOSING, EFFORT, LIKE_PAPER, PHILIA, TOLD, about, fitted
from benchmarks.quality.tables import best_in_bold, failures, picked, times
from experiments.data import dataset
from experiments.experiment import Claim, Result, Scope, Table, Task
from philia.evaluate import compare_communities, trivial_covers
from philia.exceptions import MissingDependencyError
from philia.graphs import Graph

TRIVIAL = ("one community of all nodes", "connected components")
FACTORS = (PHILIA, "paper", *TOLD, *(name + LIKE_PAPER for name in TOLD), *CHOOSING)
MEASURES = {
    "f1": "Two-way best-match F1",
    "nmi_lfk": "Overlapping NMI (LFK)",
    "nmi_mgh": "Overlapping NMI (MGH)",
    "omega": "Omega index",
}
Rows = list[list[int]]
Find = Callable[[Graph, int, int], Rows]


def louvain(graph: Graph, _: int, seed: int) -> Rows:
    """The partition of high modularity that networkx finds; it chooses the number itself."""
    return [list(group) for group in nx.community.louvain_communities(_networkx(graph), seed=seed)]


def spectral_k_means(graph: Graph, k: int, seed: int) -> Rows:
    """k-means on the leading eigenvectors of the normalised Laplacian, as scikit-learn does it."""
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(k, affinity="precomputed", assign_labels="kmeans", random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about graphs in several pieces, which these are
        groups = model.fit_predict(graph.adjacency.astype(float).tocsr())
    return [np.flatnonzero(groups == group).tolist() for group in range(k)]


def cdlib_bigclam(graph: Graph, k: int, seed: int) -> Rows:
    """cdlib's BigClam at its own settings, with the overlapping communities of its authors' threshold."""
    np.random.seed(seed)  # noqa: NPY002  (cdlib draws from the global state)
    return _cdlib("big_clam", graph, dimensions=k, affiliation_method="threshold")


def cdlib_nocd(graph: Graph, k: int, seed: int, **settings: Any) -> Rows:
    """cdlib's NOCD on the adjacency matrix alone, with 500 epochs as its authors use instead of cdlib's 50."""
    try:
        import torch
    except ImportError:
        raise MissingDependencyError(
            "NOCD needs PyTorch, which is not installed; install it with `pip install torch`"
        ) from None
    torch.set_num_threads(1)  # on two busy cores its threads wait for each other thirty times as long as they work
    return _cdlib("nocd", graph, dimensions=k, epochs=500, seed=seed, **settings)


FINDERS: dict[str, Find] = {
    "Louvain": louvain,
    "spectral + k-means": spectral_k_means,
    "BigClam (cdlib)": cdlib_bigclam,
    "NOCD (cdlib)": cdlib_nocd,
}


class KnownCommunities(Measured):
    """Found communities against labels."""

    name = "communities"
    title = "Communities against known labels"
    about = (
        "Every method sees the whole network. `philia` and Louvain choose the number of communities themselves; all "
        "others look for as many as there are labels, treated alike as in the prediction of links: without a penalty, "
        "with the penalty and start of `paper`, and with their own settings, chosen by hidden pairs and not by labels. "
        "BigClam and SymNMF are fitted exactly as in the paper's experiments. `paper` is not: half of its columns "
        "attract, while there the signs of eigenvalues decide. "
        "Membership follows each model's default rule, and all "
        "communities count, those that attract and those that repel; the last table counts only those that attract. "
        "cdlib's BigClam and NOCD have cdlib's settings, except that NOCD gets 500 epochs. The trivial covers are for "
        "comparison and never in bold: where one of them is ahead, the measure says little."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every method on every network with labels; seeds where chance plays a part."""
        for name in scope.datasets:
            if not labels(name):
                continue
            for cover in TRIVIAL:
                yield Task(self.name, name, cover, 0, {}, partial(find, name, cover, 0))
            for method in (*FACTORS, *FINDERS):
                for seed in scope.seeds:
                    yield Task(self.name, name, method, seed, {"k": columns(name)}, partial(find, name, method, seed))

    def cost(self, task: Task) -> float:
        """Fits by their size; the others by that of the network."""
        if task.method in FACTORS:
            return EFFORT.get(task.method, 1.0) * fit_cost(task.dataset)
        shares = {"BigClam (cdlib)": 3.0, "NOCD (cdlib)": 3.0, "Louvain": 0.2, "spectral + k-means": 0.2}
        return shares.get(task.method, 0.01) * fit_cost(task.dataset)

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """Every measure on either group of networks."""
        tables = []
        for key, title in [*MEASURES.items(), ("attracting", "F1 of the communities that attract")]:
            found = picked(results, *(("attracting", "f1") if key == "attracting" else (key,)))
            for names, kind in ((REPORTED, "reported"), (TUNING, "tuning")):
                if any(name in found for name in names):
                    tables.append(best_in_bold(f"{title}: {kind} networks", found, names, beside=TRIVIAL))
        broken = failures(results)
        return [*tables, times(results, (*TUNING, *REPORTED)), *([broken] if broken else [])]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """None: the tables say it."""
        return {}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Ours beside the other factor models."""
        labelled = [name for name in REPORTED if labels(name)]
        return [at_least(picked(results, "f1"), FACTORS[1:], labelled, "communities, reported", "F1")]


def find(name: str, method: str, seed: int) -> dict[str, Any]:
    """How near a method's communities are to the labels."""
    data = dataset(name)
    if method in TRIVIAL:
        return _compared(name, trivial_covers(data.graph)[method])
    if method in FINDERS:
        groups = FINDERS[method](data.graph, columns(name), seed)
        return _compared(name, [set(data.graph.nodes.pick(np.array(rows, int))) for rows in groups if rows])
    model = fitted(method, data.graph, columns(name), seed)
    found = model.communities()
    attracting = [set(community.members) for community in found if community.kind == "homophilous"]
    return {
        **_compared(name, list(found.as_sets().values())),
        "attracting": _compared(name, attracting),
        "unassigned": found.n_unassigned,
        **about(model),
    }


def _compared(name: str, sets: list[set[Any]]) -> dict[str, Any]:
    data = dataset(name)
    scores = compare_communities(sets, data.communities, data.graph)
    return {**{key: getattr(scores, key) for key in MEASURES}, "sizes": sorted(map(len, sets), reverse=True)}


def _networkx(graph: Graph) -> nx.Graph:
    """The same graph with row numbers for names."""
    made = nx.Graph()
    made.add_nodes_from(range(graph.n_nodes))
    made.add_edges_from(zip(*(side.tolist() for side in graph.links), strict=True))
    return made


def _cdlib(algorithm: str, graph: Graph, **settings: Any) -> Rows:
    """The communities that an algorithm of cdlib finds, without its remarks about packages it could use."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from cdlib import algorithms

        return [list(group) for group in getattr(algorithms, algorithm)(_networkx(graph), **settings).communities]
