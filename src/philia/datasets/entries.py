"""What a row of the catalog says: the files of a dataset, and the words and numbers that go with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from philia.datasets.parts import Part, whole


@dataclass(frozen=True)
class DataFile:
    """A file: its place in a folder of data, its size in bytes, its checksum, and the address it comes from.

    >>> DataFile("extra/football/football.gml", 33_379, "48bc…", "https://example.org/football.gml").name
    'football.gml'
    """

    path: str
    size: int
    sha256: str
    address: str

    @property
    def name(self) -> str:
        """The name without the folder."""
        return PurePosixPath(self.path).name


@dataclass(frozen=True)
class CatalogEntry:
    """What is known about a dataset before it is loaded.

    Links and labels may be in one file or in two; ``part`` says which part of them the dataset is.

    >>> from philia.datasets import CATALOG
    >>> entry = CATALOG["blog"]
    >>> entry.title, entry.n_nodes, entry.n_links, entry.n_labels, len(entry.files)
    ('BlogCatalog', 10312, 333983, 39, 1)
    """

    title: str
    description: str
    citation: str
    source: str
    licence: str
    n_nodes: int
    n_links: int
    n_labels: int
    links: DataFile
    labels: DataFile | None
    part: Part = whole

    @property
    def files(self) -> tuple[DataFile, ...]:
        """All files that are needed, each once."""
        return tuple(dict.fromkeys(file for file in (self.links, self.labels) if file is not None))
