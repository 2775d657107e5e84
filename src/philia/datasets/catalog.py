"""The catalog of real networks that can be loaded by name: what they are, who published them, and where they are.

The files are downloaded unchanged from public repositories, each at one commit, and are checked against their
checksums. Nodes and links are counted after the part has been selected and loops and weights have been dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from philia._types import Node
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph, Nodes

Communities = dict[str, list[Node]]
Part = Callable[[Graph, Communities], tuple[Graph, Communities]]


def _whole(graph: Graph, communities: Communities) -> tuple[Graph, Communities]:
    """Everything in the files."""
    return graph, communities


def largest_component(graph: Graph, communities: Communities) -> tuple[Graph, Communities]:
    """The largest connected component, and the members of each community in it.

    >>> from philia.graphs import as_graph
    >>> largest_component(as_graph([(1, 2), (2, 3), (8, 9)]), {"odd": [1, 3, 9], "far": [8]})
    (Graph(3 nodes, 2 links), {'odd': [1, 3]})
    """
    from scipy.sparse.csgraph import connected_components  # takes longer to load than everything else here

    labels = connected_components(graph.adjacency, directed=False)[1]
    kept = induced(graph, np.flatnonzero(labels == np.bincount(labels).argmax()))
    inside = {label: [node for node in members if node in kept.nodes] for label, members in communities.items()}
    return kept, {label: members for label, members in inside.items() if members}


def largest_communities(count: int) -> Part:
    """The part with only the largest communities, and the nodes that are in any of them.

    Of equally large communities the earlier one counts as larger; two with the same members count as two.

    >>> from philia.graphs import as_graph
    >>> graph = as_graph([(1, 2), (2, 3), (3, 4)])
    >>> largest_communities(1)(graph, {"few": [1, 2], "many": [2, 3, 4]})
    (Graph(3 nodes, 2 links), {'many': [2, 3, 4]})
    """

    def part(graph: Graph, communities: Communities) -> tuple[Graph, Communities]:
        largest = sorted(communities, key=lambda label: -len(communities[label]))[:count]
        kept = {label: communities[label] for label in communities if label in largest}
        members = {node for listed in kept.values() for node in listed}
        return induced(graph, np.sort(graph.nodes.rows(members))), kept

    return part


def induced(graph: Graph, rows: npt.NDArray[np.int64]) -> Graph:
    """The subgraph of some rows; ``changes`` stays that of the whole graph.

    >>> from philia.graphs import as_graph
    >>> induced(as_graph([("ann", "bob"), ("bob", "cat")]), np.array([1, 2])).nodes
    Nodes(2: 'bob', 'cat')
    """
    new = np.full(graph.n_nodes, -1)
    new[rows] = np.arange(len(rows))
    i, j = (new[ends] for ends in graph.links)
    inside = (i >= 0) & (j >= 0)
    weights = None if graph.link_weights is None else graph.link_weights[inside]
    return Graph.from_rows(i[inside], j[inside], Nodes(graph.nodes.pick(rows)), graph.changes, weights)


@dataclass(frozen=True)
class DataFile:
    """A file: its path in a folder of data, its size in bytes, its checksum, and the address it comes from.

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

    Links and labels may be in one file or in two; ``part`` selects the part of them that makes up the dataset.

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
    part: Part = _whole

    @property
    def files(self) -> tuple[DataFile, ...]:
        """All files of the dataset, each once."""
        return tuple(dict.fromkeys(file for file in (self.links, self.labels) if file is not None))


def names() -> list[str]:
    """The names of all datasets.

    >>> names()
    ['blog', 'youtube', 'pos', 'ppi', 'amazon', 'amazon-100', 'email', 'football', 'chameleon', 'slashdot']
    """
    return list(CATALOG)


def entry(name: str) -> CatalogEntry:
    """What is known about a dataset, without loading its files.

    >>> entry("football").description
    'Games between American college teams in autumn 2000. Labels: 12 conferences, one per team.'
    >>> entry("karate")
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no dataset 'karate'; choose one of 'blog', 'youtube', ...
    """
    if name not in CATALOG:
        raise InvalidParameterError(f"there is no dataset {name!r}; choose one of {', '.join(map(repr, CATALOG))}")
    return CATALOG[name]


def _at(repository: str, commit: str, path: str) -> str:
    return f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"


_OPEN_NE = "thunlp/OpenNE", "78eda10eee0fb060f831de4f449a60c6095fa8a1"
_SUN = "luckiday/249-Sun", "f97b6915bc60374709b2079bbb8cfa2119d42617"
_COMMUNITY_GAN = "SamJia/CommunityGAN", "e5e0c88046344bc3a8b5c09c4f88595c199f587f"
_COMMUNITY_GRAPHS = "vlivashkin/community-graphs", "e282fe406e8b0c7b09a1d0c59af95632b8757b31"

_BLOG = DataFile(
    "blog/blogcatalog.mat",
    1_255_783,
    "d4f4fb89ce1ccd4b7e2a183386c000773cc9362cc61f1be5b246a6d9c259da8f",
    _at("GTmac/HARP", "72a13bf05ca58095f72574bb7adfc2718ae4d029", "example_graphs/blogcatalog/blogcatalog.mat"),
)
_POS = DataFile(
    "pos/POS.mat",
    2_318_552,
    "b40977b48dec1d5016af0f6d5d2bce6f1c1037ccab948c2bbe324cea16754835",
    _at(*_OPEN_NE, "data/Wikipedia/POS.mat"),
)
_PPI = DataFile(
    "ppi/Homo_sapiens.mat",
    1_014_752,
    "8a32b88b0576276f02d7aaa3fd282e8617a3e6db8d39abb6212a283363bf1183",
    _at(*_OPEN_NE, "data/PPI/Homo_sapiens.mat"),
)
_AMAZON = DataFile(
    "amazon/com-amazon_train.txt",
    95_372,
    "637065ec518fc6a96937542cc101455f665a2603acaeecebc4fec30c9c045a30",
    _at(*_COMMUNITY_GAN, "data/community_detection/com-amazon_train.txt"),
)
_AMAZON_LABELS = DataFile(
    "amazon/com-amazon.sampled.cmty.txt",
    45_376,
    "27d9d58edd4ea89972fbb5ec943a0820a6acd2e3972b36132d7be5f953da3c30",
    _at(*_COMMUNITY_GAN, "data/community_detection/com-amazon.sampled.cmty.txt"),
)
_FOOTBALL = DataFile(
    "extra/football/football.gml",
    33_379,
    "48bc58e19bf674cc9064e60fe7128f0b95a908e684fed575178f1388ac34e949",
    _at(*_COMMUNITY_GRAPHS, "raw_graphs/football/football.gml"),
)
_CHAMELEON = DataFile(
    "extra/chameleon/chameleon_filtered.npz",
    58_924,
    "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5",
    _at(
        "yandex-research/heterophilous-graphs",
        "a431395582e929d88271309716bea4fe24ce6318",
        "data/chameleon_filtered.npz",
    ),
)

_GROUND_TRUTH = (
    'J. Yang and J. Leskovec, "Defining and evaluating network communities based on ground-truth", ICDM 2012.'
)
_NODE2VEC = 'A. Grover and J. Leskovec, "node2vec: Scalable feature learning for networks", KDD 2016.'
_NOT_STATED = "None is stated for the data."
_SNAP_ASKS = "None is stated for the data; SNAP asks to be cited."
_COM_AMAZON = "SNAP, com-Amazon: https://snap.stanford.edu/data/com-Amazon.html"

CATALOG: dict[str, CatalogEntry] = {
    "blog": CatalogEntry(
        title="BlogCatalog",
        description="Friendships between bloggers. Labels: 39 interest groups; a blogger is in 1 to 11 of them.",
        citation='L. Tang and H. Liu, "Relational learning via latent social dimensions", KDD 2009.',
        source="http://leitang.net/social_dimension.html",
        licence=_NOT_STATED,
        n_nodes=10_312,
        n_links=333_983,
        n_labels=39,
        links=_BLOG,
        labels=_BLOG,
    ),
    "youtube": CatalogEntry(
        title="YouTube, five largest groups",
        description=(
            "Friendships between users of YouTube. Labels: groups created by users, the 5 largest of SNAP's best "
            "5,000; the nodes are their members."
        ),
        citation=_GROUND_TRUTH,
        source="SNAP, com-Youtube: https://snap.stanford.edu/data/com-Youtube.html",
        licence=_SNAP_ASKS,
        n_nodes=5_346,
        n_links=24_121,
        n_labels=5,
        links=DataFile(
            "youtube/top5CommunitiesEdges-Yu.csv",
            286_419,
            "52018f5c5f0ddf6206b11a68a6bbc8a6a4bef2be40876ec2ce3eaf0888216e95",
            _at(*_SUN, "data/top5CommunitiesEdges-Yu.csv"),
        ),
        labels=DataFile(
            "youtube/top5Communities-Yu.txt",
            50_494,
            "0d7f553154af8a5f3e68f392fc4c2e866fb36472944f2e011f79d67eda6df517",
            _at(*_SUN, "data/top5Communities-Yu.txt"),
        ),
    ),
    "pos": CatalogEntry(
        title="Parts of speech",
        description=(
            "Words that occur near each other in a part of the English Wikipedia; how often is dropped. Labels: the 40 "
            "parts of speech that a word was tagged with. Words that share one are linked less often than others."
        ),
        citation=_NODE2VEC,
        source="http://snap.stanford.edu/node2vec/POS.mat",
        licence=_NOT_STATED,
        n_nodes=4_777,
        n_links=92_295,
        n_labels=40,
        links=_POS,
        labels=_POS,
    ),
    "ppi": CatalogEntry(
        title="Protein interactions, human",
        description=(
            "Human proteins that interact, the largest component; 864 of the 894 self-loops in the file are in it. "
            "Labels: 50 hallmark gene sets, which stand for biological states."
        ),
        citation=(
            f"{_NODE2VEC} B.-J. Breitkreutz et al., "
            '"The BioGRID interaction database: 2008 update", Nucleic Acids Research 36, 2008.'
        ),
        source="http://snap.stanford.edu/node2vec/Homo_sapiens.mat",
        licence="None is stated for the file, which was made from BioGRID.",
        n_nodes=3_852,
        n_links=37_841,
        n_labels=50,
        links=_PPI,
        labels=_PPI,
        part=largest_component,
    ),
    "amazon": CatalogEntry(
        title="Amazon, five largest categories",
        description=(
            "Products that were often bought together. Labels: the 5 largest of the 100 categories in the file. All "
            "but one of them are connected components, two the same one."
        ),
        citation=_GROUND_TRUTH,
        source=_COM_AMAZON,
        licence=_SNAP_ASKS,
        n_nodes=794,
        n_links=2_109,
        n_labels=5,
        links=_AMAZON,
        labels=_AMAZON_LABELS,
        part=largest_communities(5),
    ),
    "amazon-100": CatalogEntry(
        title="Amazon, hundred categories",
        description="Products that were often bought together. Labels: 100 large categories, which overlap.",
        citation=_GROUND_TRUTH,
        source=_COM_AMAZON,
        licence=_SNAP_ASKS,
        n_nodes=3_225,
        n_links=10_262,
        n_labels=100,
        links=_AMAZON,
        labels=_AMAZON_LABELS,
    ),
    "email": CatalogEntry(
        title="E-mails in an institution",
        description=(
            "People in a European research institution who wrote to each other; 19 of them only to themselves. Labels: "
            "42 departments, one per person."
        ),
        citation='H. Yin, A. R. Benson, J. Leskovec and D. F. Gleich, "Local higher-order graph clustering", KDD 2017.',
        source="SNAP, email-Eu-core: https://snap.stanford.edu/data/email-Eu-core.html",
        licence=_SNAP_ASKS,
        n_nodes=1_005,
        n_links=16_064,
        n_labels=42,
        links=DataFile(
            "extra/email-Eu-core/eu-core.edges",
            126_199,
            "51a9307655c3d625dc83e953a1dcbb38411b050112652cdb4593a7c74597396d",
            _at(*_COMMUNITY_GRAPHS, "raw_graphs/eu-core/eu-core.edges"),
        ),
        labels=DataFile(
            "extra/email-Eu-core/eu-core.clusters",
            6_537,
            "9724e297561cfca674de1389c95d339e3328af56dcd2e6dd664e3172c95f5db6",
            _at(*_COMMUNITY_GRAPHS, "raw_graphs/eu-core/eu-core.clusters"),
        ),
    ),
    "football": CatalogEntry(
        title="College football",
        description="Games between American college teams in autumn 2000. Labels: 12 conferences, one per team.",
        citation=(
            'M. Girvan and M. E. J. Newman, "Community structure in social and biological networks", PNAS 99, 2002.'
        ),
        source="M. Newman's network data: http://www-personal.umich.edu/~mejn/netdata/",
        licence=_NOT_STATED,
        n_nodes=115,
        n_links=613,
        n_labels=12,
        links=_FOOTBALL,
        labels=_FOOTBALL,
    ),
    "chameleon": CatalogEntry(
        title="Chameleon pages of Wikipedia",
        description=(
            "Wikipedia pages that link to each other, without the duplicates of the first version. Labels: 5 classes "
            "of traffic, one per page, which linked pages share hardly more often than others."
        ),
        citation=(
            'B. Rozemberczki, C. Allen and R. Sarkar, "Multi-scale attributed node embedding", Journal of Complex '
            'Networks 9, 2021. O. Platonov et al., "A critical look at the evaluation of GNNs under heterophily: Are '
            'we really making progress?", ICLR 2023.'
        ),
        source="https://github.com/yandex-research/heterophilous-graphs",
        licence="MIT, of the repository.",
        n_nodes=890,
        n_links=8_854,
        n_labels=5,
        links=_CHAMELEON,
        labels=_CHAMELEON,
    ),
    "slashdot": CatalogEntry(
        title="Slashdot Zoo, February 2009",
        description="Users of Slashdot, linked if one tagged the other as a friend or a foe. No labels.",
        citation=(
            'J. Leskovec, K. Lang, A. Dasgupta and M. Mahoney, "Community structure in large networks: Natural cluster '
            'sizes and the absence of large well-defined clusters", Internet Mathematics 6, 2009.'
        ),
        source="SNAP, soc-Slashdot0902: https://snap.stanford.edu/data/soc-Slashdot0902.html",
        licence=_SNAP_ASKS,
        n_nodes=82_168,
        n_links=504_230,
        n_labels=0,
        links=DataFile(
            "extra/soc-slashdot0902/soc-slashdot0902-undirected.jlg",
            1_976_497,
            "5e9d06049c187f07833739edc9f6b538b39724f4a80d4504659c54ec1ada21ca",
            _at(
                "JuliaGraphs/SNAPDatasets.jl",
                "dadd14a69b908d3dfc824d7c9f8c04f6fda72e59",
                "data/soc-slashdot0902/soc-slashdot0902-undirected.jlg",
            ),
        ),
        labels=None,
    ),
}
