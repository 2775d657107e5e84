"""How long the first answer takes: a default fit with the full automatic choice, beside methods that find communities.

    python -m benchmarks.first_answer                         # five networks, beside the peers that are installed
    python -m benchmarks.first_answer --networks blog         # one of them again; the other results are kept
    python -m benchmarks.first_answer --growth 1e3 1e4 1e5    # then `philia fit` on generated graphs of these sizes

Seconds are of processor time, summed over threads, so that a busy machine changes them little. The peers are igraph's
Leiden and Infomap and graph-tool's nested block model; one that is not installed is left out, and the result says so.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.graphs import real_graph
from benchmarks.measuring import RESULTS, save
from benchmarks.quality.known_groups import block_model
from experiments.code import digest_of
from philia import CommunityModel, Graph
from philia.datasets import classic, overlapping_cliques
from philia.exceptions import MissingDependencyError
from philia.graphs import write_graph

NETWORKS = ("karate", "football", "email", "lastfm", "blog")

_REPEATED, _REPEATS = 2000, 3
"""Up to this many nodes a fit is measured several times, each with another seed; larger ones take long enough."""

_BLOCK_LINKS = 100_000
"""With more links the nested block model takes many minutes."""

_PICTURE = RESULTS / "first_answer.svg"


def networks(names: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """A row per network, ratios first, and what was left out."""
    CommunityModel(random_state=0).fit(classic("karate"))  # compiled code is loaded once
    rows, notes = [], []
    peers, missing = _peers()
    notes += missing
    for name in names:
        graph = classic(name) if name == "karate" else real_graph(name)
        if graph is None:
            notes.append(f"{name} is not among the data, so it was left out")
            continue
        row = _row(name, graph, peers)
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows, notes


def _row(name: str, graph: Graph, peers: dict[str, Callable[[Graph, int], float]]) -> dict[str, Any]:
    repeats = _REPEATS if graph.n_nodes <= _REPEATED else 1
    if graph.n_nodes > 512:  # larger graphs have kernels of their own
        CommunityModel(2, 0, penalty=1.0, random_state=0).fit(graph)
    took = {"philia": statistics.median(_fitted(graph, seed) for seed in range(repeats))}
    for peer, of in peers.items():
        if peer != _NESTED or graph.n_links <= _BLOCK_LINKS:
            took[peer] = statistics.median(of(graph, seed) for seed in range(repeats))
    command, _ = _command(graph)
    ratios = {f"philia / {peer}": round(took["philia"] / max(took[peer], 1e-3), 2) for peer in took if peer != "philia"}
    seconds = {f"{method}, s": round(value, 3) for method, value in took.items()}
    return {
        "network": name,
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        **ratios,
        **seconds,
        "philia fit, s": round(command, 2),
    }


def _fitted(graph: Graph, seed: int) -> float:
    began = time.process_time()
    CommunityModel(random_state=seed).fit(graph)
    return time.process_time() - began


def _command(graph: Graph) -> tuple[float, float]:
    """Seconds of ``philia fit`` from a file to a saved model and a summary, and the peak memory in GB."""
    with tempfile.TemporaryDirectory() as folder:
        links = Path(folder) / "links.tsv"
        write_graph(graph, links)
        philia = str(Path(sys.executable).with_name("philia"))
        model = str(Path(folder) / "model.safetensors")
        ran = subprocess.run(
            [sys.executable, "-c", _CHILD, philia, "fit", str(links), "-o", model],
            check=True, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"},
        )  # fmt: skip
    processor, memory = ran.stdout.split()[-2:]
    return float(processor), float(memory)


_CHILD = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e9)
"""
"""A process of its own: the largest memory is that of all children so far."""

_LEIDEN, _INFOMAP, _NESTED = "Leiden", "Infomap", "nested block model"


def _peers() -> tuple[dict[str, Callable[[Graph, int], float]], list[str]]:
    """Seconds of processor time that each installed peer takes for a graph with a seed, and which are missing."""
    peers: dict[str, Callable[[Graph, int], float]] = {}
    notes = []
    try:
        import igraph

        peers[_LEIDEN] = lambda graph, _: _of_igraph(graph, lambda g: g.community_leiden("modularity", n_iterations=-1))
        peers[_INFOMAP] = lambda graph, _: _of_igraph(graph, igraph.Graph.community_infomap)
    except ImportError:
        notes.append("igraph is not installed, so Leiden and Infomap were left out")
    try:
        block_model("nested", classic("karate"), 0, 0)
        peers[_NESTED] = lambda graph, seed: block_model("nested", graph, 0, seed)[1]
    except MissingDependencyError:
        notes.append("graph-tool is not installed, so its nested block model was left out")
    return peers, notes


def _of_igraph(graph: Graph, find: Callable[[Any], object]) -> float:
    import igraph

    links = igraph.Graph(graph.n_nodes, list(zip(*(ends.tolist() for ends in graph.links), strict=True)))
    began = time.process_time()
    find(links)
    return time.process_time() - began


def growth(sizes: Sequence[int]) -> list[dict[str, Any]]:
    """``philia fit`` on generated graphs with a community per 25 nodes, and igraph's Leiden on the same graphs."""
    peers, _ = _peers()
    rows = []
    for n in sizes:
        graph = overlapping_cliques(n, n // 25, random_state=0).graph
        seconds, memory = _command(graph)
        row = {
            "nodes": n,
            "links": graph.n_links,
            "philia fit, s": round(seconds, 1),
            "peak memory, GB": round(memory, 2),
            "microseconds per link": round(1e6 * seconds / graph.n_links, 1),
        }
        if _LEIDEN in peers:
            row["Leiden, s"] = round(peers[_LEIDEN](graph, 0), 2)
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def draw(rows: Sequence[dict[str, Any]]) -> None:
    """The growth as a picture, on logarithmic axes."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "philia"  # the same picture is the same file
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, marker in (("philia fit, s", "o"), ("Leiden, s", "s")):
        known = [(row["nodes"], row[name]) for row in rows if row.get(name)]
        if known:
            axes.loglog(*zip(*known, strict=True), marker=marker, label=name.removesuffix(", s"))
            axes.annotate(f"{known[-1][1]:,.0f} s", known[-1], xytext=(0, 7), textcoords="offset points", ha="center")
    axes.set(xlabel="nodes", ylabel="seconds of processor time")
    axes.margins(0.1)
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(_PICTURE, metadata={"Date": None})
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, keep the result and draw the growth; what is not measured again stays as it was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="*", default=list(NETWORKS))
    parser.add_argument("--growth", nargs="*", type=lambda text: int(float(text)), default=[])
    asked = parser.parse_args(arguments)
    path = RESULTS / "first_answer.json"
    before = json.loads(path.read_text())["result"] if path.is_file() else {"rows": [], "growth": []}
    rows, notes = networks(asked.networks)
    measured = {row["network"]: row for row in (*before["rows"], *rows)}
    grown = {row["nodes"]: row for row in before["growth"]} | {row["nodes"]: row for row in growth(asked.growth)}
    result: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "other programs running at the end": round(os.getloadavg()[0], 1),
        "code": digest_of(networks),
        "left out": notes,
        "rows": [measured[name] for name in NETWORKS if name in measured],
        "growth": [grown[n] for n in sorted(grown)],
    }
    save("first_answer", result)
    if result["growth"]:
        draw(result["growth"])


if __name__ == "__main__":
    main()
