"""Thousands of communities: found again where they were planted, and links that were hidden, beside other methods.

    python -m benchmarks.thousands planted                          # 2,000 communities among 50,000 nodes
    python -m benchmarks.thousands planted --dealt random           # a third of the nodes in none
    python -m benchmarks.thousands planted --nodes 317080 --communities 10000
    python -m benchmarks.thousands planted --nodes 1000000 --communities 20000 --only philia
    python -m benchmarks.thousands links FILE                       # average precision of a tenth of the links
    python -m benchmarks.thousands whole FILE                       # philia fit with summary and report, timed

Leiden, Infomap and label propagation are igraph's. None of the methods is told anything, except that CPM needs a
resolution: it gets several, and the best for the truth is a choice that only hindsight can make. BigClam is that of
`benchmarks/bigclam.py`, told the number of communities. Each of the others has half an hour of processor time.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from benchmarks import bigclam
from benchmarks.measuring import RESULTS
from philia import CommunityModel, Graph, read_graph
from philia._types import Float64Array
from philia.datasets import overlapping_cliques, random_cliques
from philia.evaluate import best_match_f1
from philia.evaluate.predictors import PREDICTORS
from philia.pairs import ListedPairs, PairSample, seen
from philia.pairs.calibration import calibrate
from philia.pairs.sample import near_and_far, weighted_order

_RESOLUTIONS = (0.01, 0.02, 0.05, 0.1, 0.2)
_OTHERS, _HIDDEN = 2_000_000, 0.1


_DEALT = {"evenly": overlapping_cliques, "random": random_cliques}
_LIMIT = 1800


def planted(nodes: int, communities: int, dealt: str, inside: float, outside: float, only: str) -> dict[str, Any]:
    """The communities of a generated graph, found by each method; philia by the command line, with a report."""
    began = time.process_time()
    drawn = _DEALT[dealt](nodes, communities, inside=inside, outside=outside, random_state=0)
    truth, graph = drawn.communities(), drawn.graph
    print(f"{graph.n_links:,} links generated in {time.process_time() - began:.1f} s", flush=True)
    rows = []

    def judged(name: str, found: Iterable[Sequence[Any]], seconds: float, **more: float) -> None:
        large = [group for group in found if len(group) >= 3]
        row = {"method": name, "found": len(large), "f1": best_match_f1(large, truth), "seconds": seconds, **more}
        rows.append(row)
        print(json.dumps(row), flush=True)

    if only in "philia":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "links.tsv"
            np.savetxt(path, np.stack(graph.links, axis=1), fmt="%d", delimiter="\t")
            used = whole(path, Path(folder) / "model.safetensors")
            model = CommunityModel.load(Path(folder) / "model.safetensors")
            sets = [[int(str(node)) for node in community.members] for community in model.communities()]
            judged("philia", sets, used.pop("processor_seconds"), **used)
    methods = {**_methods(), "BigClam, told the number": lambda graph: bigclam.communities(graph, communities)}
    for name in [name for name in methods if only in name]:
        found, seconds = _within_limit(methods[name], graph)
        if found is None:
            rows.append({"method": name, "stopped_after": seconds})
            print(json.dumps(rows[-1]), flush=True)
        else:
            judged(name, found, seconds)
    return {"nodes": nodes, "links": graph.n_links, "planted": communities, "dealt": dealt, "rows": rows}


def _within_limit(
    method: Callable[[Graph], Sequence[Sequence[Any]]], graph: Graph
) -> tuple[Sequence[Sequence[Any]] | None, float]:
    """What a method finds, and its processor time; None after the limit."""
    context = multiprocessing.get_context("fork")
    answers, answer = context.Pipe(duplex=False)

    def run() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT, _LIMIT))
        began = time.process_time()
        found = [list(group) for group in method(graph)]
        answer.send((found, time.process_time() - began))

    process = context.Process(target=run)
    process.start()
    answer.close()
    try:
        found: tuple[Sequence[Sequence[Any]] | None, float] = answers.recv()
    except EOFError:
        found = None, float(_LIMIT)  # it was killed
    process.join()
    return found


def _methods() -> dict[str, Callable[[Graph], Sequence[Sequence[Any]]]]:
    found: dict[str, Callable[[Graph], Sequence[Sequence[Any]]]] = {}
    try:
        import igraph  # noqa: F401
    except ImportError:
        print("igraph is not installed, so the other methods are left out; pip install igraph")
        return found
    found["label propagation"] = lambda graph: list(_igraph(graph).community_label_propagation())
    for resolution in _RESOLUTIONS:
        found[f"Leiden, CPM {resolution}"] = lambda graph, at=resolution: list(  # type: ignore[misc]
            _igraph(graph).community_leiden("CPM", resolution=at, n_iterations=-1)
        )
    found["Leiden, modularity"] = lambda graph: list(_igraph(graph).community_leiden("modularity", n_iterations=-1))
    found["Infomap"] = lambda graph: list(_igraph(graph).community_infomap())
    return found


def _igraph(graph: Graph) -> Any:
    import igraph

    return igraph.Graph(n=graph.n_nodes, edges=np.stack(graph.links, axis=1).tolist())


def links(path: Path) -> dict[str, Any]:
    """The average precision of hidden links among all pairs that are not linked, by the model and by formulas."""
    hidden = _Hidden.of(read_graph(path))
    began = time.process_time()
    model = CommunityModel(random_state=0, storage="sparse").fit(hidden.graph, held_out=hidden.held_out)
    seconds, known = time.process_time() - began, seen(hidden.graph, hidden.held_out)
    found = [hidden.judged("philia, sparse", model.factors_.scores(hidden.pairs.rows, hidden.pairs.columns))]
    for name in ("resource allocation", "Adamic-Adar", "common neighbours"):
        found.append(hidden.judged(name, PREDICTORS[name](known, hidden.pairs.rows, hidden.pairs.columns)))
    logits = model.factors_.scores(hidden.pairs.rows, hidden.pairs.columns)
    print(calibrate(hidden.pairs.linked, expit(logits), weights=hidden.pairs.weights), flush=True)
    return {
        "log_likelihood": hidden.log_likelihood(logits),
        "hidden": hidden.pairs.n_links,
        "communities": len(model.communities()),
        "seconds": seconds,
        "rows": found,
    }


@dataclass(frozen=True)
class _Hidden:
    """A tenth of the links of a graph, and a sample of pairs that are not linked."""

    graph: Graph
    held_out: ListedPairs
    pairs: PairSample

    @classmethod
    def of(cls, graph: Graph) -> _Hidden:
        rng, (rows, columns) = np.random.default_rng(0), graph.links
        hidden = np.flatnonzero(rng.random(len(rows)) < _HIDDEN)
        held_out = ListedPairs.of_rows(graph, rows[hidden], columns[hidden])
        i, j, chances = near_and_far(graph, seen(graph, held_out), _OTHERS, rng)
        weights = np.append(np.ones(len(hidden)), _HIDDEN / chances)
        ends = (rows[hidden], columns[hidden]), (i, j)
        return cls(graph, held_out, PairSample.of_links(graph.n_nodes, *ends, weights))

    def judged(self, name: str, scores: Float64Array) -> dict[str, Any]:
        """AUC and average precision."""
        linked = self.pairs.linked
        auc, precision = weighted_order(scores[linked], scores[~linked], self.pairs.weights[~linked] / _HIDDEN)
        assert auc is not None
        assert precision is not None
        reach = precision.upper - precision.value
        found = {"method": name, "auc": auc.value, "precision": precision.value, "reach": reach}
        print(json.dumps(found), flush=True)
        return found

    def log_likelihood(self, logits: Float64Array) -> float:
        """The log-likelihood of all hidden pairs per hidden link."""
        return float(self.pairs.log_likelihoods(logits).sum()) / self.pairs.n_links


def whole(path: Path, model: Path | None = None) -> dict[str, Any]:
    """The command line from a file of links to a saved model and a report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        model = Path(folder) / "model.safetensors" if model is None else model
        command = [sys.executable, "-m", "philia", "fit", str(path), "-o", str(model), "--report", str(report)]
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        seconds = time.perf_counter() - began
        print(done.stdout, done.stderr, flush=True)
        size = report.stat().st_size
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "processor_seconds": used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
        "wall_seconds": seconds,
        "peak_gigabytes": used.ru_maxrss / 2**20,
        "report_megabytes": size / 2**20,
    }


def main() -> None:
    """Run what the command line asks for, and add it to the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["planted", "links", "whole"])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--communities", type=int, default=2_000)
    parser.add_argument("--dealt", choices=list(_DEALT), default="evenly", help="how nodes get their communities")
    parser.add_argument("--inside", type=float, default=10)
    parser.add_argument("--outside", type=float, default=2)
    parser.add_argument("--only", default="", help="methods with this in their names, such as philia or Infomap")
    asked = parser.parse_args()
    if asked.what == "planted":
        found = planted(asked.nodes, asked.communities, asked.dealt, asked.inside, asked.outside, asked.only)
    elif asked.file is None:
        parser.error(f"{asked.what} needs a file of links")
    else:
        found = {"graph": asked.file.name, **{"links": links, "whole": whole}[asked.what](asked.file)}
    results = RESULTS / "thousands.json"
    before = json.loads(results.read_text()) if results.exists() else []
    results.write_text(json.dumps([*before, {"what": asked.what, **found}], indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
