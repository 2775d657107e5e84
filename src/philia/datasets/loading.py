"""Real networks by name: found on this machine or downloaded, checked, read, and cut to the part that is meant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from philia.datasets.catalog import CATALOG
from philia.datasets.download import OnBytes, download
from philia.datasets.entries import CatalogEntry, DataFile
from philia.datasets.parts import Communities
from philia.datasets.places import check, find, place_in_cache
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, read_communities, read_graph


@dataclass(frozen=True, eq=False)
class Dataset:
    """A network with the labels of its nodes, and what to say about it.

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
        said = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())
        return f"Dataset({self.name!r}: {said})"


def names() -> list[str]:
    """The names that :func:`load` knows.

    >>> names()
    ['blog', 'youtube', 'pos', 'ppi', 'amazon', 'amazon-100', 'email', 'football', 'chameleon', 'slashdot']
    """
    return list(CATALOG)


def entry(name: str) -> CatalogEntry:
    """What the catalog says about a dataset, without its files.

    >>> entry("football").description
    'Games between American college teams in autumn 2000. Labels: 12 conferences, one a team.'
    >>> entry("karate")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no dataset 'karate'; there are 'blog', 'youtube', ...
    """
    if name not in CATALOG:
        raise InvalidParameterError(f"there is no dataset {name!r}; there are {', '.join(map(repr, CATALOG))}")
    return CATALOG[name]


def fetch(name: str, *, on_bytes: OnBytes | None = None) -> dict[DataFile, Path]:
    """Where each file of a dataset lies on this machine; what is not here yet is downloaded.

    Files are looked for in the folder that the environment variable PHILIA_DATA names, then in the cache, which is
    PHILIA_CACHE or the usual folder of the system, and downloads go to the cache. Wherever a file lies, its checksum
    has to be right. ``on_bytes`` is called with the file and the number of bytes so far while one is downloaded.

    >>> fetch("karate")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no dataset 'karate'; there are 'blog', 'youtube', ...
    """
    return {file: _fetched(file, on_bytes) for file in entry(name).files}


def _fetched(file: DataFile, on_bytes: OnBytes | None) -> Path:
    place = find(file)
    if place is None:
        place = place_in_cache(file)
        download(file, place, on_bytes)
    else:
        check(file, place)
    return place


def load(name: str) -> Dataset:
    """A real network with the labels of its nodes, by one of the :func:`names`.

    ``load("blog").graph``, for example, has 10,312 bloggers and 333,983 friendships, and ``load("blog").communities``
    the members of 39 groups of interest. Nodes are called what the file calls them; those of a matrix are 0, 1, ….
    Where the files come from, :func:`fetch` tells.

    >>> load("karate")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no dataset 'karate'; there are 'blog', 'youtube', ...
    """
    about, places = entry(name), fetch(name)
    labels = {} if about.labels is None else read_communities(places[about.labels])
    named: Communities = {str(label): members for label, members in labels.items()}
    graph, communities = about.part(read_graph(places[about.links]), named)
    return Dataset(
        name, about.title, graph, communities, about.description, about.citation, about.licence, about.source
    )
