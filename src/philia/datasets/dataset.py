"""Networks by name: real ones, read from their files and reduced to the part that is meant, and small classics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from philia.datasets.cache import OnBytes, fetched
from philia.datasets.catalog import Communities, DataFile, entry
from philia.exceptions import InvalidParameterError, MissingDependencyError
from philia.graphs import Graph, as_graph, read_communities, read_graph

CLASSICS = {
    "karate": "karate_club_graph",
    "davis": "davis_southern_women_graph",
    "florentine": "florentine_families_graph",
    "les_miserables": "les_miserables_graph",
}
"""The classic networks, and the functions of networkx that make them."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A network with the labels of its nodes, and where they come from.

    ``communities`` holds the members of each label; a node may have several labels, or none.

    >>> from philia import as_graph
    >>> pair = Dataset("pair", "Two friends", as_graph([("ann", "bob")]), {"1": ["ann", "bob"]}, "", "", "", "")
    >>> pair
    Dataset('pair': 2 nodes, 1 link, 1 label)
    """

    name: str
    title: str
    graph: Graph
    communities: Communities
    description: str
    citation: str
    licence: str
    source: str

    def __repr__(self) -> str:
        counts = {"node": self.graph.n_nodes, "link": self.graph.n_links, "label": len(self.communities)}
        sizes = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())
        return f"Dataset({self.name!r}: {sizes})"


def fetch(name: str, *, on_bytes: OnBytes | None = None) -> dict[DataFile, Path]:
    """The path of each file of a dataset on this machine; missing files are downloaded.

    Files are looked for in the folder that the environment variable PHILIA_DATA names, then in the cache, which is
    PHILIA_CACHE or the system's cache folder; downloads go to the cache. Wherever a file is, its checksum has to be
    right. ``on_bytes`` is called with the file and the number of bytes so far during a download.

    >>> fetch("karate")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no dataset 'karate'; choose one of 'blog', 'youtube', ...
    """
    return {file: fetched(file, on_bytes) for file in entry(name).files}


def load(name: str) -> Dataset:
    """A real network with the labels of its nodes, by its name (one of :func:`names`).

    ``load("blog").graph``, for example, has 10,312 bloggers and 333,983 friendships, and ``load("blog").communities``
    the members of 39 interest groups. Nodes have the names that they have in the file; those of a matrix are 0, 1, ….
    :func:`fetch` explains where the files come from.

    >>> load("karate")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: 'karate' is a classic network without labels, which needs no download: ...
    """
    if name in CLASSICS:
        raise InvalidParameterError(
            f"{name!r} is a classic network without labels, which needs no download: call classic({name!r})"
        )
    about, paths = entry(name), fetch(name)
    labels = {} if about.labels is None else read_communities(paths[about.labels])
    named: Communities = {str(label): members for label, members in labels.items()}
    graph, communities = about.part(read_graph(paths[about.links], weights=False), named)
    return Dataset(
        name, about.title, graph, communities, about.description, about.citation, about.licence, about.source
    )


def classic(name: str) -> Graph:
    """A classic network: "karate", "davis" (women and the events they attended), "florentine" or "les_miserables".

    >>> classic("karate")
    Graph(34 nodes, 78 links; ... weights dropped)
    """
    if name not in CLASSICS:
        raise InvalidParameterError(
            f"there is no classic network {name!r}; choose one of {', '.join(map(repr, CLASSICS))}"
        )
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError(
            f"the network {name!r} comes from networkx, which is not installed; install it with `pip install networkx`"
        ) from None
    return as_graph(getattr(networkx, CLASSICS[name])(), weights=False)
