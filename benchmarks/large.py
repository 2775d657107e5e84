"""Large graphs: from a file of links to a saved model, the course of the search, and what an epoch costs.

The graphs are generated: popularities that follow a power law, 28 overlapping communities that attract and 4 that
repel, 10 links a node. One link in a hundred is kept out of the file, to test on.

    python -m benchmarks.large whole --nodes 1e6     # the command line, timed, and what the model knows
    python -m benchmarks.large course --nodes 1e6    # the same fit, with the test links looked at after every epoch
    python -m benchmarks.large epochs                # seconds per epoch from 100,000 to 10 million links
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import philia
from benchmarks.graphs import random_graph
from benchmarks.measuring import RESULTS, own_peak, save, seconds
from philia import CommunityModel, Graph, read_graph
from philia._types import BoolArray, FloatArray, Int64Array
from philia.datasets import planted
from philia.evaluate import link_scores
from philia.execution import one_blas_thread
from philia.fitting import SampledPairs, sampled_pairs
from philia.fitting.sampled_pairs import calibrated
from philia.graphs import Nodes, write_graph
from philia.objective import Recipe
from philia.objective.likelihood import sample_loss
from philia.pairs import PairSample
from philia.solvers import Adam, adam_for

K_B, K_C, PENALTY = 28, 4, 4.0
"""The penalty was chosen on a graph of the same kind with 8,000 nodes, where 2 left noise in the columns."""

TEST_SHARE, MOST_TESTED = 0.01, 100_000


@dataclass(frozen=True, eq=False)
class Example:
    """A generated graph in a file, what was planted in it, and pairs to test on; nodes without a link are in none."""

    path: Path
    B: BoolArray
    C: BoolArray
    pairs: Int64Array
    linked: BoolArray

    @classmethod
    def made(cls, n: int, folder: Path) -> Example:
        """The example with n nodes, from the folder if it was made before."""
        path, kept = folder / f"planted_{n}.txt", folder / f"planted_{n}.npz"
        if not kept.exists():
            drawn = planted(n, K_B, K_C, degree=20.0, popularity=0.5, overlap=0.2, random_state=0)
            rng = np.random.default_rng(1)
            ends = np.stack(drawn.graph.links)
            hidden = rng.random(ends.shape[1]) < TEST_SHARE
            test = ends[:, hidden][:, :MOST_TESTED]
            other = rng.integers(n, size=(2, 2 * test.shape[1]))
            other = other[:, (other[0] != other[1]) & ~drawn.graph.linked(*other)][:, : test.shape[1]]
            seen = Graph.from_rows(ends[0, ~hidden], ends[1, ~hidden], Nodes.numbered(n))
            write_graph(seen, path)
            pairs, linked = (
                np.concatenate([test, other], axis=1),
                np.repeat([True, False], [test.shape[1], other.shape[1]]),
            )
            known = (seen.degrees[pairs] > 0).all(axis=0)
            np.savez(kept, B=drawn.B > 0, C=drawn.C > 0, pairs=pairs[:, known], linked=linked[known])
        arrays = np.load(kept)
        return cls(path, arrays["B"], arrays["C"], arrays["pairs"], arrays["linked"])

    def auc(self, scores: FloatArray) -> float:
        """How well scores of the test pairs tell links from others."""
        return float(link_scores(self.linked, scores).auc or 0.0)

    def rows(self, graph: Graph) -> Int64Array:
        """The test pairs as rows of the graph that was read; names are the numbers that nodes had."""
        return np.asarray(graph.nodes.rows(self.pairs.ravel().tolist())).reshape(2, -1)


def whole(n: int, folder: Path, memory: str | None = None) -> None:
    """``philia fit`` in a process of its own, and what its model and its start know of the planted communities."""
    example, target = Example.made(n, folder), folder / f"model_{n}.safetensors"
    command = [
        str(Path(sys.executable).parent / "philia"),
        "fit",
        str(example.path),
        "-o",
        str(target),
        "--force",
        "--json",
    ]
    command += ["-B", str(K_B), "-C", str(K_C), "--penalty", str(PENALTY)]
    command += [] if memory is None else ["--memory", memory]
    target.unlink(missing_ok=True)
    began, clock = time.time(), time.perf_counter()
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    everything, used = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime
    model: Any = philia.load(target)
    names = np.asarray(model.graph_.nodes.integers)
    facts, scores = json.loads(out), model.factors_.scores(*example.rows(model.graph_))
    start = _start(model, example)
    save(f"large_{n}", {
        "nodes": n, "links in the file": model.graph_.n_links, "columns": [K_B, K_C], "penalty": PENALTY,
        "memory allowed": memory, "seconds from file to saved model": round(target.stat().st_mtime - began, 1),
        "seconds with the summary": round(everything, 1), "seconds of processor": round(processor, 1),
        "peak memory, GB": round(used.ru_maxrss * 1024 / 1e9, 2),
        "epochs": facts["fit"]["iterations"], "seconds of the search": round(facts["fit"]["seconds"], 1),
        "reason": facts["fit"]["reason"], "test AUC": round(example.auc(scores), 4),
        "test AUC of the start": round(start["auc"], 4),
        "planted communities, F1 of the best match": {
            f"{verb}: model, start": [round(_best_f1(sets, truth), 3) for sets in (_read(model, kind), _cut(begun))]
            for verb, kind, begun, truth in (
                ("attracting", "homophilous", start["B"], example.B[names]),
                ("repelling", "heterophilous", start["C"], example.C[names]),
            )
        },
    })  # fmt: skip


def _start(model: Any, example: Example) -> dict[str, Any]:
    """Where the search began: the scaled spectral start, what it predicts and the columns it has."""
    fresh = model._settled()
    fresh.held_out_ = None
    columns, graph, rng = fresh.parametrization(), model.graph_, np.random.default_rng(0)
    drawn = PairSample.draw(graph, None, 50_000, rng)
    with one_blas_thread():
        factors = columns.factors(calibrated(columns.start(graph, rng), columns.recipe, drawn))
    scores = factors.scores(*example.rows(graph))
    return {"auc": example.auc(scores), "B": factors.homophilous, "C": factors.heterophilous}


def _best_f1(found: BoolArray, truth: BoolArray) -> float:
    """The mean over planted communities of the F1 of the one that matches best."""
    sets, planted_sets = found.astype(np.float32), truth.astype(np.float32)
    common = sets.T @ planted_sets
    sizes = sets.sum(axis=0)[:, None] + planted_sets.sum(axis=0)
    return float((2 * common / np.maximum(sizes, 1)).max(axis=0, initial=0).mean())


def _read(model: Any, kind: str) -> BoolArray:
    """The members of the communities of a kind as the model shows them (n × k)."""
    shown = [community for community in model.communities() if community.kind == kind]
    members = np.zeros((model.graph_.n_nodes, len(shown)), bool)
    for c, community in enumerate(shown):
        members[model.graph_.nodes.rows(community.members), c] = True
    return members


def _cut(columns: FloatArray) -> BoolArray:
    """The members of columns that no rule reads, each cut where it is nearest (n × k)."""
    return np.stack([_members(column) for column in columns.T], axis=1)


def _members(column: FloatArray) -> BoolArray:
    """The set whose indicator has the smallest angle to the column."""
    order = np.argsort(-column)
    sizes = np.arange(1, len(column) + 1)
    count = int(np.argmax(np.cumsum(column[order]) / np.sqrt(sizes))) + 1
    members = np.zeros(len(column), bool)
    members[order[:count]] = True
    return members


def course(n: int, folder: Path) -> None:
    """The fit once more, the test pairs scored whenever the hidden pairs are: how far its end is from its best."""
    example = Example.made(n, folder)
    found: list[dict[str, float]] = []

    def watched(sample: PairSample, recipe: Recipe, F: FloatArray) -> float:
        verdict = sample_loss(sample, recipe, F)
        scores = np.einsum("ij,ij->i", F[rows[0]] @ recipe.mixing.astype(F.dtype), F[rows[1]])
        found.append({"verdict": round(verdict), "test AUC": round(example.auc(scores), 4)})
        print(found[-1], flush=True)
        return verdict

    graph = read_graph(example.path)
    rows = example.rows(graph)
    sampled_pairs.sample_loss = watched  # type: ignore[attr-defined]
    model = CommunityModel(K_B, K_C, penalty=PENALTY, random_state=0)
    took = seconds(lambda: model.fit(graph))
    best, end = max(row["test AUC"] for row in found), example.auc(model.factors_.scores(*rows))
    save(f"large_course_{n}", {
        "nodes": n, "links": graph.n_links, "seconds": round(took, 1), "epochs": model.solution_.iterations,
        "peak memory, GB": round(own_peak(), 2), "best test AUC after any epoch": best,
        "test AUC of the model": round(end, 4), "below the best by": round(best - end, 4), "course": found,
    })  # fmt: skip


def epochs(sizes: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000, 1_000_000)) -> None:
    """Seconds an epoch, median of three, on graphs with ten links a node."""
    result = []
    for n in sizes:
        graph, model = random_graph(n, 10 * n), CommunityModel(K_B, K_C, penalty=PENALTY)
        recipe, rng = model.recipe(), np.random.default_rng(0)
        F = rng.uniform(0, 0.1, (n, len(recipe.mixing)))
        lower = np.repeat([g.lower_bound for g in recipe.groups], [g.width for g in recipe.groups])
        ends: list[float] = []
        columns = model.parametrization()
        objective = SampledPairs(graph=graph, parametrization=columns, penalty=PENALTY, rng=rng).objective
        with one_blas_thread():
            Adam(4).minimize(objective, F, lower, rng, lambda progress, ends=ends: ends.append(progress.seconds))  # type: ignore[misc]
        took = float(np.median(np.diff(ends)))
        result.append({"nodes": n, "links": graph.n_links, "seconds per epoch": round(took, 3)})
        result[-1]["microseconds per link"] = round(1e6 * took / graph.n_links, 3)
        result[-1]["epochs of a whole search, at most"] = adam_for(n).iterations
        print(result[-1], flush=True)
    save("large_epochs", result)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["whole", "course", "epochs"])
    parser.add_argument("--nodes", type=float, default=1e6)
    parser.add_argument("--memory", help="what `philia fit` is allowed to take, for example 16G")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "philia_large")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(exist_ok=True)
    if asked.what == "epochs":
        epochs()
    elif asked.what == "whole":
        whole(int(asked.nodes), asked.folder, asked.memory)
    else:
        course(int(asked.nodes), asked.folder)
