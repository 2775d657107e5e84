"""The graphs that are measured: real ones where they are at hand, and random ones of any size."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from philia import Graph, read_graph
from philia.graphs import Nodes

FILES = {
    "blog": "blog/blogcatalog.mat",
    "ppi": "ppi/Homo_sapiens.mat",
    "football": "extra/football/football.gml",
    "email": "extra/email-Eu-core/eu-core.edges",
    "lastfm": "labelled/musae_lastfm.tsv",
}


def real_graph(name: str) -> Graph | None:
    """A real graph from $PHILIA_DATA or from ../shared/data; None if it is not there."""
    folders: list[str | Path] = [os.environ.get("PHILIA_DATA", ""), Path(__file__).parents[2] / "shared" / "data"]
    paths = [Path(folder) / FILES[name] for folder in folders if folder]
    found = next((path for path in paths if path.is_file()), None)
    return None if found is None else read_graph(found)


def random_graph(n: int, n_links: int, seed: int = 0) -> Graph:
    """A random graph of about this size with unequal degrees."""
    rng = np.random.default_rng(seed)
    weights = rng.pareto(2.5, n) + 0.2
    ends = rng.choice(n, size=(2, n_links), p=weights / weights.sum())
    return Graph.from_rows(ends[0], ends[1], Nodes.numbered(n))


def blog_or_twin() -> tuple[str, Graph]:
    """BlogCatalog, or a random graph of its size."""
    graph = real_graph("blog")
    return ("blog", graph) if graph is not None else ("random graph of blog's size", random_graph(10_312, 333_983))
