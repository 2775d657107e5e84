"""Communities that are read off a graph, beside known groups, on graphs whose answer is plain, and on random graphs.

The labelled graphs are in the folder ``labelled`` of the data folder ($PHILIA_DATA): NAME.tsv holds one link per line
and NAME.labels.txt one group per line, both with names between tabs. Where a graph or a program is missing, its rows
are left out.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.csgraph import connected_components

from benchmarks.quality.communities import cdlib_nocd
from benchmarks.quality.experiment import Measured
from benchmarks.quality.methods import PHILIA
from benchmarks.quality.tables import DASH, failures
from experiments.data import dataset
from experiments.experiment import Claim, Result, Scope, Table, Task, verdict
from experiments.summaries import mean
from philia import BigClam, CommunityModel, as_graph, read_graph
from philia.datasets import classic
from philia.datasets.cache import data_folder
from philia.datasets.catalog import induced
from philia.evaluate import best_match_f1, compare_communities, omega_index
from philia.exceptions import MissingDataError, MissingDependencyError
from philia.graphs import Graph, Nodes
from philia.reading import DescriptionLength, Hierarchy, read_overlapping, shortest
from philia.selection.plan import MOST_HOMOPHILOUS

Sets = list[set[Any]]
Answer = tuple[list[Sets], float]
"""The communities, those of other levels after them, and the seconds they took: the processor's, since other programs
may run beside."""

LABELLED = {
    "dolphins": 62, "polbooks": 105, "sp_school_day_1": 236, "nocd_fb_0": 333, "nocd_fb_414": 150, "nocd_fb_686": 168,
    "nocd_fb_698": 61, "nocd_fb_1912": 747, "nocd_fb_3437": 534, "wiki2405": 2405, "planetoid_citeseer": 3327,
    "fb100_Amherst41_year": 2235, "musae_lastfm": 7624,
}  # fmt: skip
"""The labelled graphs of the data folder and about how many nodes each has."""

NODES = {"karate": 34, "football": 115, "email": 1005, **LABELLED}

FOOTBALL_2000 = "football, conferences of 2000"
_OF_2000 = {
    "Western Athletic": {"TexasChristian"},
    "none": {"LouisianaLafayette", "LouisianaMonroe", "LouisianaTech", "MiddleTennesseeState"},
    "Big West": {"ArkansasState", "BoiseState", "Idaho", "NewMexicoState", "NorthTexas", "UtahState"},
}
"""The games of football are of 2000, but its conferences are of 2001. These are the teams that were elsewhere in 2000
(T. S. Evans, Clique graphs and overlapping communities, J. Stat. Mech. 2010, P12037)."""

LEAST = 3
"""Groups of fewer nodes are not counted as found, whoever finds them: two nodes are a link."""

SEEDS, FEWER, ONE = 10, 3, 1
"""Runs of each method. Slow methods get fewer; on graphs of more than 2,000 nodes all get fewer, and slow ones one."""

WHOLE_FIT = "philia, whole fit"
SANITY, RANDOM = "graphs with a plain answer", "random: "
MEASURES = {"f1": "Two-way best-match F1", "omega": "Omega index", "nmi_mgh": "Overlapping NMI (MGH)"}


def philia(graph: Graph, _: int, seed: int) -> Answer:
    """The default level of the hierarchy, then the others; the model's own search has a fixed seed."""
    began = time.process_time()
    levels = Hierarchy(graph, shortest(graph, np.random.default_rng(seed), None))
    if len(levels.default) > MOST_HOMOPHILOUS:
        levels = read_overlapping(graph, levels.shortest)
    found = list(levels.default.as_sets().values())
    seconds = time.process_time() - began
    return [found, *(list(level.as_sets().values()) for level in levels)], seconds


def leiden(graph: Graph, _: int, seed: int) -> Answer:
    """igraph's Leiden: modularity at resolution 1, repeated until nothing changes."""
    options = {"objective_function": "modularity", "resolution": 1, "n_iterations": -1}
    return _igraph("community_leiden", graph, seed, options)


def infomap(graph: Graph, _: int, seed: int) -> Answer:
    """igraph's Infomap, with ten trials."""
    return _igraph("community_infomap", graph, seed, {"trials": 10})


def big_clam(graph: Graph, k: int, seed: int) -> Answer:
    """BigClam, which is told the number of groups."""
    began = time.process_time()
    found = BigClam(k, include_diagonal=False, random_state=seed).fit(graph).communities()
    return [list(found.as_sets().values())], time.process_time() - began


def nocd(graph: Graph, k: int, seed: int) -> Answer:
    """NOCD on the adjacency matrix alone, which is told the number of groups: cdlib's, with 128 hidden units."""
    began = time.process_time()
    found = cdlib_nocd(graph, k, seed, **NOCD)
    return [[set(graph.nodes.pick(np.array(rows))) for rows in found]], time.process_time() - began


def block_model(kind: str, graph: Graph, _: int, seed: int) -> Answer:
    """graph-tool's block models with the shortest description: "nested", finest level first, or "planted"."""
    links = np.stack(graph.links, axis=1).tolist()
    given = json.dumps({"kind": kind, "n": graph.n_nodes, "links": links, "seed": seed})
    # One thread, because with more the same seed does not give the same blocks.
    ran = subprocess.run(
        [_with_graph_tool(), "-c", _BLOCKS], input=given, capture_output=True, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise RuntimeError(ran.stderr.strip().splitlines()[-1])
    told = json.loads(ran.stdout)
    return [_as_sets(graph, labels) for labels in told["levels"]], told["seconds"]


NOCD = {"hidden_sizes": (128,), "batch_size": 20_000}
"""The settings of Shchur and Günnemann (2019) that are not cdlib's."""

Find = Callable[[Graph, int, int], Answer]
NESTED = "nested block model"
FINDERS: dict[str, Find] = {
    PHILIA: philia,
    "Leiden": leiden,
    "Infomap": infomap,
    NESTED: partial(block_model, "nested"),
    "planted partition": partial(block_model, "planted"),
}
TOLD: dict[str, Find] = {"BigClam, told k": big_clam, "NOCD, told k": nocd}
COMPILED = (philia, big_clam)
"""Compiled when they are first called, which is not to be timed."""

SLOW = (NESTED, "planted partition", *TOLD)


class KnownGroups(Measured):
    """Communities that are read off a graph, beside known groups and where there are none."""

    name = "known_groups"
    title = "Communities beside known groups"
    about = (
        "`philia` is `CommunityModel().communities()`, those that attract, which are the default level of "
        "`read_levels(graph)`, or of `read_overlapping` where those are too many for a dense model; the tables use "
        "these, and `whole fit` is the former. Leiden (modularity, "
        "resolution 1, until nothing changes) and Infomap are igraph's; both block models (minimal description "
        "length) are graph-tool's, and the nested one is read at its finest level. None of these is told anything. "
        "BigClam and NOCD are told the number of groups. NOCD (Shchur and Günnemann 2019) is cdlib's, with the "
        "adjacency matrix as its features, which cdlib scales by their sums, 128 hidden units, batches of 20,000 pairs "
        "and 500 epochs; these settings were not compared with its paper's. Each run has another seed and "
        "another order of the nodes: "
        f"{SEEDS} runs, {FEWER} of the block models, BigClam and NOCD; on graphs of more than "
        f"2,000 nodes {FEWER}, and {ONE} of the block models, BigClam and NOCD. The default reading has a fixed "
        "seed; here its seed varies too. All nodes count, those in no group as well, and found groups of fewer than "
        f"{LEAST} nodes count for no method. Agreement is the mean omega of all pairs of runs. Seconds are the "
        "processor's, of the search alone. Settings of the reading were chosen on these graphs, so good figures here "
        "prove little. Groups in the Facebook egos (nocd_fb) overlap; elsewhere they are a partition."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every method on every graph, with all its runs; the seeds of the scope are not used."""
        for name in NODES:
            for method, find in {**FINDERS, **TOLD}.items():
                settings = {"runs": runs(method, name), "least": LEAST}
                yield Task(self.name, name, method, 0, settings, partial(beside_groups, name, find, settings["runs"]))
            yield Task(self.name, name, WHOLE_FIT, 0, {"least": LEAST}, partial(whole_fit, name))
        for method, find in {**FINDERS, **TOLD}.items():
            settings = {"runs": runs(method, "football"), "least": LEAST}
            task = partial(beside_groups, FOOTBALL_2000, find, settings["runs"])
            yield Task(self.name, FOOTBALL_2000, method, 0, settings, task)
        for method, find in FINDERS.items():
            yield Task(self.name, SANITY, method, 0, {"least": LEAST}, partial(plain_answers, find))
            for name in RANDOM_GRAPHS:
                yield Task(self.name, RANDOM + name, method, 0, {"runs": 5}, partial(nothing_found, name, find))

    def cost(self, task: Task) -> float:
        """By the number of nodes and runs."""
        nodes = NODES.get(task.dataset.removeprefix(RANDOM), 500)
        pace = {NESTED: 0.05, "planted partition": 0.005, WHOLE_FIT: 0.01, **dict.fromkeys(TOLD, 0.02)}
        return float(nodes * pace.get(task.method, 0.001) * task.settings.get("runs", 1))

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """Measures, numbers, agreement and seconds by graph; then the graphs without groups."""
        known = [r for r in results if r.dataset in NODES and "error" not in r.values]
        tables = [_by_graph(title, _picked(known, key), digits=3) for key, title in MEASURES.items()]
        football = [r for r in results if r.dataset in ("football", FOOTBALL_2000) and "error" not in r.values]
        tables += [_behind(known), _explained(known), _conferences(football), _detail(known), _numbers(known)]
        tables.append(_by_graph("Agreement of the runs", _picked(known, "agreement"), digits=3))
        tables.append(_by_graph("Seconds of a run", _picked(known, "seconds"), digits=2, best=min))
        tables += [_plain([r for r in results if r.dataset == SANITY]), _random(results)]
        broken = failures(results)
        return [*(table for table in tables if table.rows), *([broken] if broken else [])]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """None: the tables say it."""
        return {}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Means over the graphs beside every other method, and whether random graphs have no communities."""
        return [*(_best_mean(results, key, title) for key, title in MEASURES.items()), _none_in_random(results)]


def runs(method: str, name: str) -> int:
    """How many runs a method gets on a graph.

    >>> runs("Leiden", "musae_lastfm"), runs(NESTED, "email"), runs(NESTED, "musae_lastfm")
    (3, 3, 1)
    """
    small, large = (FEWER, ONE) if method in SLOW else (SEEDS, FEWER)
    return small if NODES[name] <= 2000 else large


@lru_cache(maxsize=2)
def labelled(name: str) -> tuple[Graph, Sets]:
    """A graph and its known groups; nodes without links are in neither.

    >>> labelled("karate")[0], [len(members) for members in labelled("karate")[1]]
    (Graph(34 nodes, 78 links; ...), [17, 17])
    """
    if name == "karate":
        clubs: dict[str, set[Any]] = {}
        for node, club in nx.karate_club_graph().nodes(data="club"):
            clubs.setdefault(club, set()).add(node)
        return classic("karate"), list(clubs.values())
    if name == FOOTBALL_2000:
        return _football_of_2000(*labelled("football"))
    if name not in LABELLED:
        found = dataset(name)
        return found.graph, [set(members) for members in found.communities.values()]
    folder = data_folder()
    if folder is None or not (folder / "labelled" / f"{name}.tsv").is_file():
        raise MissingDataError(f"there is no labelled/{name}.tsv in the data folder; set PHILIA_DATA to that folder")
    graph = read_graph(folder / "labelled" / f"{name}.tsv", delimiter="\t", header=False)
    kind = int if graph.nodes.integers is not None else str
    lines = (folder / "labelled" / f"{name}.labels.txt").read_text(encoding="utf-8").splitlines()
    groups = [{kind(member) for member in line.split("\t")} for line in lines]
    kept = [{member for member in group if member in graph.nodes} for group in groups]
    return graph, [group for group in kept if group]


def _football_of_2000(graph: Graph, groups: Sets) -> tuple[Graph, Sets]:
    """The conferences in which the teams were when the games were played; those in none are a group, as in the file."""
    elsewhere = set[Any]().union(*_OF_2000.values())
    joined = {"Hawaii": "Western Athletic", "NotreDame": "none"}
    kept = [members - elsewhere for members in groups]
    for members in kept:
        for team, group in joined.items():
            if team in members:
                members |= _OF_2000[group]
    return graph, [*(members for members in kept if members), _OF_2000["Big West"]]


def shuffled(graph: Graph, seed: int) -> Graph:
    """The same graph with its nodes in another order; in its own for seed 0.

    >>> graph = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> other = shuffled(graph, 3)
    >>> list(other.nodes), other.neighbours("bob")
    (['cat', 'bob', 'ann'], ['cat', 'ann'])
    """
    order = np.random.default_rng(seed).permutation(graph.n_nodes) if seed else np.arange(graph.n_nodes)
    place = np.argsort(order)
    rows, columns = graph.links
    return Graph.from_rows(place[rows], place[columns], Nodes(graph.nodes.pick(order)))


def beside_groups(name: str, find: Find, count: int) -> dict[str, Any]:
    """How near a method's communities are to the known groups in each run, and how alike the runs are."""
    graph, known = labelled(name)
    if find in COMPILED:
        find(classic("karate"), 2, 0)
    answers = [find(shuffled(graph, seed), len(known), seed) for seed in range(count)]
    covers = [_counted(levels[0]) for levels, _ in answers]
    levels = [_counted(level) for level in answers[0][0]]
    alike = [omega_index(one, other, graph) for one, other in combinations(covers, 2)]
    return {
        **_compared(covers, known, graph),
        "hindsight": max(best_match_f1(level, known) for level in levels) if len(levels) > 1 else None,
        "saved": _saved(covers[0], graph),
        "known_saved": _saved(known, graph),
        "agreement": mean(alike) if alike else None,
        "seconds": mean([seconds for _, seconds in answers]),
    }


def _saved(sets: Sets, graph: Graph) -> float | None:
    """The nats that groups save in the description of the links; None if they overlap."""
    labels = np.full(graph.n_nodes, -1, np.int64)
    for group, members in enumerate(sets):
        labels[graph.nodes.rows(list(members))] = group
    whole = sum(map(len, sets)) == np.count_nonzero(labels >= 0)
    return DescriptionLength(graph).describe(labels).saved if whole else None


def whole_fit(name: str) -> dict[str, Any]:
    """The same for the communities of the default model, with the seconds of its whole fit."""
    graph, known = labelled(name)
    CommunityModel(random_state=0).fit(classic("karate"))  # compile first
    began = time.process_time()
    found = CommunityModel(random_state=0).fit(graph).communities()
    seconds = time.process_time() - began
    sets = [set(c.members) for c in found if c.kind == "homophilous"]
    read = philia(graph, 0, 0)[0][0]
    same = {frozenset(members) for members in sets} == {frozenset(members) for members in read}
    repelling = sum(c.kind == "heterophilous" for c in found)
    return {**_compared([_counted(sets)], known, graph), "fit": seconds, "same": same, "repelling": repelling}


def _compared(covers: Sequence[Sets], known: Sets, graph: Graph) -> dict[str, Any]:
    scores = [compare_communities(cover, known, graph) for cover in covers]
    return {
        **{key: mean([getattr(score, key) for score in scores]) for key in MEASURES},
        "found": [len(cover) for cover in covers],
        "per_node": mean([sum(map(len, cover)) / graph.n_nodes for cover in covers]),
        "known": len(known),
        "nodes": graph.n_nodes,
        "links": graph.n_links,
    }


def _counted(sets: Sets) -> Sets:
    return [members for members in sets if len(members) >= LEAST]


def _plain_graphs() -> dict[str, tuple[nx.Graph, Sets]]:
    """Graphs for which everybody knows the answer: their groups, or that there are none."""
    two = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(5))
    joined = nx.Graph([*two.edges, (0, 6)])
    rings = {f"ring of {k} cliques of {size}": (nx.ring_of_cliques(k, size), _runs_of(k, size))
             for k, size in ((8, 6), (16, 5), (30, 5))}  # fmt: skip
    split = nx.planted_partition_graph(4, 25, 0.3, 0.02, seed=0)
    nothing: Sets = []
    return {
        "K6 and K5, apart": (two, [set(range(6)), set(range(6, 11))]),
        "K6 and K5, one link": (joined, [set(range(6)), set(range(6, 11))]),
        **rings,
        "caveman, 8 of 6": (nx.connected_caveman_graph(8, 6), _runs_of(8, 6)),
        "planted 4 of 25": (split, _runs_of(4, 25)),
        "complete bipartite 10 + 10": (nx.complete_bipartite_graph(10, 10), nothing),
        "random bipartite 40 + 40": (nx.bipartite.random_graph(40, 40, 0.2, seed=0), nothing),
        "star of 30": (nx.star_graph(30), nothing),
        "binary tree of 63": (nx.balanced_tree(2, 5), nothing),
        "cycle of 40": (nx.cycle_graph(40), nothing),
        "path of 40": (nx.path_graph(40), nothing),
        "grid of 10 × 10": (nx.convert_node_labels_to_integers(nx.grid_2d_graph(10, 10)), nothing),
        "complete graph of 20": (nx.complete_graph(20), nothing),
    }


def _runs_of(count: int, size: int) -> Sets:
    return [set(range(size * group, size * (group + 1))) for group in range(count)]


def plain_answers(find: Find) -> dict[str, Any]:
    """What a method finds in each graph with a plain answer: the number, and the F1 where there are groups.

    >>> plain_answers(philia)["graphs"]["star of 30"]
    {'known': 0, 'found': 0, 'f1': None}
    """
    told = {}
    for name, (made, known) in _plain_graphs().items():
        graph = as_graph(made)
        found = _worth_telling(_counted(find(graph, max(1, len(known)), 0)[0][0]), graph)
        f1 = best_match_f1(found, known) if known and found else 0.0 if known else None
        told[name] = {"known": len(known), "found": len(found), "f1": f1}
    return {"graphs": told}


def _worth_telling(found: Sets, graph: Graph) -> Sets:
    """The communities, unless it is one of all nodes: a partition says in this way that there are none."""
    return [] if len(found) == 1 and len(found[0]) == graph.n_nodes else found


GENERATED: dict[str, Callable[[int], nx.Graph]] = {
    "Erdős-Rényi, 500 nodes, 5 links per node": lambda seed: nx.gnm_random_graph(500, 1250, seed=seed),
    "Erdős-Rényi, 500 nodes, 20 links per node": lambda seed: nx.gnm_random_graph(500, 5000, seed=seed),
    "Erdős-Rényi, 2,000 nodes, 10 links per node": lambda seed: nx.gnm_random_graph(2000, 10000, seed=seed),
    "Barabási-Albert, 500 nodes, 6 links per node": lambda seed: nx.barabasi_albert_graph(500, 3, seed=seed),
    "Barabási-Albert, 2,000 nodes, 10 links per node": lambda seed: nx.barabasi_albert_graph(2000, 5, seed=seed),
}

RANDOM_GRAPHS = (*GENERATED, *(name for name in NODES if NODES[name] <= 3000))
"""Those that are generated, and those with the degrees of a labelled graph."""


def random_graph(name: str, seed: int) -> Graph:
    """A generated graph, or a labelled one rewired so that only its degrees stay; the largest component.

    >>> random_graph("karate", 1).n_links > 70
    True
    """
    if name in GENERATED:
        graph = as_graph(GENERATED[name](seed))
    else:
        random.seed(seed)  # igraph draws from the global state
        rewired = _made_for_igraph(labelled(name)[0])
        rewired.rewire(n=20 * rewired.ecount())
        graph = as_graph(rewired.get_edgelist())
    parts = connected_components(graph.adjacency, directed=False)[1]
    return induced(graph, np.flatnonzero(parts == np.bincount(parts).argmax()))


def nothing_found(name: str, find: Find) -> dict[str, Any]:
    """How many communities a method finds in five random graphs."""
    found = []
    for seed in range(5):
        graph = random_graph(name, seed)
        found.append(len(_worth_telling(_counted(find(graph, 0, seed)[0][0]), graph)))
    return {"found": found, "nothing": sum(not number for number in found)}


def _igraph(algorithm: str, graph: Graph, seed: int, options: Mapping[str, Any]) -> Answer:
    random.seed(seed)  # igraph draws from the global state
    made = _made_for_igraph(graph)
    began = time.process_time()
    labels = getattr(made, algorithm)(**options).membership
    return [_as_sets(graph, labels)], time.process_time() - began


def _made_for_igraph(graph: Graph) -> Any:
    try:
        import igraph
    except ImportError:
        raise MissingDependencyError(
            "Leiden, Infomap and rewiring need igraph, which is not installed; install it with `pip install igraph`"
        ) from None
    return igraph.Graph(n=graph.n_nodes, edges=np.stack(graph.links, axis=1).tolist())


def _as_sets(graph: Graph, labels: Sequence[int]) -> Sets:
    groups: dict[int, set[Any]] = {}
    for node, label in zip(graph.nodes, labels, strict=True):
        groups.setdefault(label, set()).add(node)
    return list(groups.values())


@lru_cache(maxsize=1)
def _with_graph_tool() -> str:
    """A Python that has graph-tool: this one, or the system's, for which distributions package it."""
    for python in (sys.executable, "/usr/bin/python3"):
        trial = [python, "-c", "import graph_tool"]
        if Path(python).exists() and not subprocess.run(trial, capture_output=True, check=False).returncode:
            return python
    raise MissingDependencyError(
        "the block models need graph-tool, which neither this Python nor the system's has; see https://graph-tool.skewed.de"
    )


_BLOCKS = """
import json, signal, sys, time, warnings
warnings.simplefilter("ignore")
signal.alarm(3600)  # nobody waits any longer if the task was stopped
import numpy
from graph_tool import Graph, seed_rng
from graph_tool.inference import PPBlockState, minimize_blockmodel_dl, minimize_nested_blockmodel_dl

given = json.load(sys.stdin)
seed_rng(given["seed"])
numpy.random.seed(given["seed"])
graph = Graph(directed=False)
graph.add_vertex(given["n"])
graph.add_edge_list(given["links"])
began = time.process_time()
if given["kind"] == "planted":
    levels = [minimize_blockmodel_dl(graph, state=PPBlockState).get_blocks().a]
else:
    state = minimize_nested_blockmodel_dl(graph)
    levels = [state.project_level(level).get_blocks().a for level in range(len(state.get_levels()))]
seconds = time.process_time() - began
print(json.dumps({"levels": [labels.tolist() for labels in levels], "seconds": seconds}))
"""


Values = dict[str, dict[str, float]]
"""By graph and method."""


def _picked(results: Sequence[Result], key: str) -> Values:
    values: Values = {}
    for result in results:
        if result.method != WHOLE_FIT and result.values.get(key) is not None:
            values.setdefault(result.dataset, {})[result.method] = float(result.values[key])
    return values


def _methods(values: Values) -> list[str]:
    return [method for method in (*FINDERS, *TOLD) if any(method in row for row in values.values())]


def _means(values: Values, graphs: Sequence[str]) -> dict[str, float]:
    """The mean over these graphs of each method that was run on all of them."""
    rows = [values.get(name, {}) for name in graphs]
    methods = [method for method in _methods(values) if all(method in row for row in rows)]
    return {method: mean([row[method] for row in rows]) for method in methods if rows}


def _shared(values: Values) -> list[str]:
    """The graphs that all methods were run on."""
    return [name for name in NODES if len(values.get(name, {})) == len(_methods(values)) > 0]


def _by_graph(title: str, values: Values, *, digits: int, best: Callable[..., float] = max) -> Table:
    """A row per graph, a column per method, and the mean; the best of a row is in bold."""

    def row(name: str, found: Mapping[str, float]) -> tuple[str, ...]:
        top = best(round(value, digits) for value in found.values())
        texts = {m: f"**{v:.{digits}f}**" if round(v, digits) == top else f"{v:.{digits}f}" for m, v in found.items()}
        return name, *(texts.get(method, DASH) for method in methods)

    methods = _methods(values)
    rows = [row(name, values[name]) for name in NODES if name in values]
    for graphs in dict.fromkeys((tuple(values), tuple(_shared(values)))):
        means = _means(values, graphs)
        rows += [row(f"mean of {len(graphs)}", means)] if means else []
    note = "" if NESTED in methods else "graph-tool was not there: its block models are left out."
    return Table(title, ("graph", *methods), tuple(rows), note)


def _behind(results: Sequence[Result]) -> Table:
    """On how many graphs philia is ahead of each other method, and where it is well behind."""
    rows = []
    f1 = _picked(results, "f1")
    for other in _methods(f1)[1:]:
        cells = []
        for key in MEASURES:
            gaps = _gaps(_picked(results, key), other)
            ahead, behind = sum(gap > 0.005 for gap in gaps.values()), sum(gap < -0.005 for gap in gaps.values())
            cells.append(f"{ahead} / {behind}")
        far = [
            f"{name} {gap:+.2f}" for name, gap in sorted(_gaps(f1, other).items(), key=lambda p: p[1]) if gap < -0.05
        ]
        rows.append((other, *cells, ", ".join(far) or DASH))
    columns = ("method", *(f"{key}: ahead / behind" for key in ("F1", "omega", "NMI")), "F1 behind by more than 0.05")
    return Table("On how many graphs philia is ahead or behind, by more than 0.005", columns, tuple(rows))


WHY = {
    "polbooks": "Two camps and 13 neutral books, of whose links only an eighth are with each other. The level with "
    "three communities, 10 nats longer, has an F1 of 0.77.",
    "sp_school_day_1": "The ten teachers are no group (6 % of their links are with each other), and two pairs of "
    "classes are one community each. BigClam is told that there are 11.",
    "nocd_fb_3437": "Circles that one person made for a fifth of the nodes, most of fewer than twelve members with a "
    "tenth of their links inside. BigClam is told that there are 32.",
    "planetoid_citeseer": "1.4 links per node, in hundreds of parts without a link between them: six topics cannot be "
    "seen, only pieces of them. Coarser levels have a higher F1.",
    "fb100_Amherst41_year": "Years of study. Two are found, with an F1 of 0.93 and more; the others fall into parts, "
    "and several years have fewer than ten members. Coarser levels have a higher F1.",
}
"""Why known groups are not what the links say, where another method is well ahead of philia."""


def _explained(results: Sequence[Result]) -> Table:
    """Where the best other method is well ahead: by how much, what either description saves, and why."""
    rows = []
    own = {r.dataset: r.values for r in results if r.method == PHILIA}
    for name, values in _picked(results, "f1").items():
        others = {method: value for method, value in values.items() if method not in (PHILIA, WHOLE_FIT)}
        best = max(others, key=lambda method: others[method], default=None)
        if best is None or PHILIA not in values or values[PHILIA] >= others[best] - 0.05:
            continue
        saved = [own[name].get(key) for key in ("saved", "known_saved")]
        said = [DASH if value is None else f"{value:,.0f}" for value in saved]
        rows.append((name, f"{best} {others[best] - values[PHILIA]:+.2f}", *said, WHY.get(name, DASH)))
    columns = ("graph", "best other method", "nats saved by philia's sets", "by the known groups", "why")
    note = "Nats are given where groups do not overlap; more is a better description of the links."
    return Table("Where another method's F1 is ahead by more than 0.05", columns, tuple(rows), note)


def _conferences(results: Sequence[Result]) -> Table:
    """Football beside the conferences of its file, which are those of the next year, and beside the true ones."""
    found = {key: _picked(results, key) for key in MEASURES}
    rows = []
    for method in _methods(found["f1"]):
        cells = [
            " / ".join(f"{values[name][method]:.3f}" for name in ("football", FOOTBALL_2000))
            for values in found.values()
            if all(method in values.get(name, {}) for name in ("football", FOOTBALL_2000))
        ]
        rows += [(method, *cells)] if cells else []
    note = (
        "The games are of 2000, and the conferences in the file are of 2001 (Evans 2010). The left figure is with the "
        "file's conferences, as in the tables above; the right one with those of 2000. Teams in no conference count "
        "as a group in both."
    )
    return Table("Football's conferences, as in the file / of 2000", ("method", *MEASURES.values()), tuple(rows), note)


def _gaps(values: Values, other: str) -> dict[str, float]:
    return {name: row[PHILIA] - row[other] for name, row in values.items() if PHILIA in row and other in row}


def _detail(results: Sequence[Result]) -> Table:
    """What philia says besides, and the best of its levels, chosen with the groups in sight."""
    rows = []
    of = {(r.dataset, r.method): r.values for r in results}
    for name in NODES:
        if (name, PHILIA) not in of:
            continue
        own, whole, nested = (of.get((name, method), {}) for method in (PHILIA, WHOLE_FIT, NESTED))
        finest = f"{nested['f1']:.3f} / {nested['hindsight']:.3f}" if nested.get("hindsight") is not None else DASH
        fit = (
            (f"{whole['fit']:.1f}", "yes" if whole["same"] else "no", str(whole["repelling"])) if whole else (DASH,) * 3
        )
        sizes = (f"{own['nodes']:,}", f"{own['links']:,}")
        levels = f"{own['f1']:.3f} / {own['hindsight']:.3f}"
        rows.append((name, *sizes, levels, finest, f"{own['per_node']:.2f}", f"{own['seconds']:.2f}", *fit))
    columns = (
        "graph", "nodes", "links", "F1, default / best level of the first run in hindsight",
        "the same, nested block model",
        "communities per node", "seconds of reading", "seconds of the whole fit", "the same sets", "that repel",
    )  # fmt: skip
    return Table("philia in detail", columns, tuple(rows))


def _numbers(results: Sequence[Result]) -> Table:
    """How many communities each method finds, and how many groups there are."""
    found = {(r.dataset, r.method): r.values["found"] for r in results}
    known = {r.dataset: r.values["known"] for r in results}
    methods = [method for method in (*FINDERS, *TOLD) if any(method == each for _, each in found)]

    def cell(name: str, method: str) -> str:
        numbers = found.get((name, method))
        if not numbers:
            return DASH
        return f"{min(numbers)}" if min(numbers) == max(numbers) else f"{min(numbers)}–{max(numbers)}"

    rows = tuple((n, str(known[n]), *(cell(n, method) for method in methods)) for n in NODES if n in known)
    return Table("Number of communities, fewest and most of the runs", ("graph", "known", *methods), rows)


def _plain(results: Sequence[Result]) -> Table:
    told = {r.method: r.values["graphs"] for r in results if "graphs" in r.values}
    methods = [method for method in FINDERS if method in told]

    def cell(found: Mapping[str, Any]) -> str:
        text = str(found["found"] or "none") + ("" if found["f1"] is None else f" ({found['f1']:.2f})")
        right = found["found"] == found["known"] and found["f1"] in (None, 1.0)
        return f"**{text}**" if right else text

    names = list(told[methods[0]]) if methods else []
    rows = tuple(
        (name, str(told[methods[0]][name]["known"] or "none"), *(cell(told[method][name]) for method in methods))
        for name in names
    )
    note = "The number of communities and, where there are groups, the F1; in bold where all is as it should be."
    return Table("Graphs with a plain answer", ("graph", "groups", *methods), rows, note)


def _random(results: Sequence[Result]) -> Table:
    drawn = [r for r in results if r.dataset.startswith(RANDOM) and "error" not in r.values]
    found = {(r.dataset.removeprefix(RANDOM), r.method): r.values for r in drawn}
    methods = [method for method in FINDERS if any(method == each for _, each in found)]
    names = list(dict.fromkeys(name for name, _ in found))

    def cell(name: str, method: str) -> str:
        values = found.get((name, method))
        if values is None:
            return DASH
        said = f"{values['nothing']} of 5"
        return said if values["nothing"] == 5 else f"{said}; {min(values['found'])}–{max(values['found'])}"

    rows = [
        (name if name in GENERATED else f"degrees of {name}", *(cell(name, method) for method in methods))
        for name in names
    ]
    note = "In how many of five random graphs nothing is found, and how many communities are otherwise; – was not run."
    return Table("Random graphs", ("graph", *methods), tuple(rows), note)


def _best_mean(results: Sequence[Result], key: str, title: str) -> Claim:
    """Whether philia's mean over the graphs is the highest."""
    known = [r for r in results if r.dataset in NODES and "error" not in r.values]
    values = _picked(known, key)
    means = _means(values, list(values))
    complete = len(values) == len(NODES) and len(means) == len(FINDERS) + len(TOLD)
    best = bool(means) and means.get(PHILIA, -1.0) >= max(means.values())
    return Claim(
        "known groups",
        f"philia's {title[0].lower() + title[1:] if key != 'f1' else 'F1'} is at least that of every other method.",
        f"mean over {len(values)} graphs, of methods that were run on all",
        ", ".join(f"{method} {value:.3f}" for method, value in means.items()) or "nothing was run",
        verdict(None if not means else False if not best else True if complete else None),
    )


def _none_in_random(results: Sequence[Result]) -> Claim:
    """Whether philia finds no communities in random graphs."""
    drawn = [r for r in results if r.dataset.startswith(RANDOM) and r.method == PHILIA and "nothing" in r.values]
    nothing = sum(r.values["nothing"] for r in drawn)
    return Claim(
        "known groups",
        "philia finds no communities in random graphs.",
        "every graph",
        f"nothing in {nothing} of {5 * len(drawn)}" if drawn else "nothing was run",
        verdict(False if nothing < 5 * len(drawn) else True if len(drawn) == len(RANDOM_GRAPHS) else None),
    )
