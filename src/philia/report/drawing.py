"""The drawing on the first screen: all nodes of a small network, or a map of communities that can be opened."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array, Int64Array
from philia.graphs import Graph, Nodes
from philia.plots.layout import Layout
from philia.plots.network import MOST_NODES, CommunityMap, Drawing, member_shares
from philia.plots.style import categories
from philia.report.explorer import narrow
from philia.report.findings import Findings
from philia.report.tree import CommunityTree

_MEMBERS = 120
"""Members that are drawn when a community of the map is opened, those with the most links inside."""

_PARTS = 24
"""Parts that are shown at a time of thousands of communities, as in the page's cards."""


def drawing(found: Findings, index: Int64Array) -> dict[str, Any]:
    """The section of the payload; ``index`` is each row's position in the page's list of nodes, -1 if it has none.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> section = drawing(Findings.of(model), np.arange(5))
    >>> section["kind"], section["positions"].shape, len(section["links"])
    ('nodes', (5, 2), 4)
    """
    return _nodes(found, index) if found.graph.n_nodes <= MOST_NODES else _map(found, index)


def _nodes(found: Findings, index: Int64Array) -> dict[str, Any]:
    drawn = Drawing.of(found.model)
    shown = [_numbers(found)[community.name] for community in drawn.communities]
    whole = len(index) == 0 or bool((index == np.arange(len(index))).all())
    return {
        "kind": "nodes",
        **_places(drawn.layout),
        "links": narrow(drawn.links),
        "of_links": found.graph.n_links,
        "names": None if whole else found.names.texts,
        "rows": None if whole else (index + 1).astype(np.uint32),
        "degrees": found.graph.degrees.astype(np.uint32),
        "shares": _slices(drawn.shares),
        "communities": [
            {"number": number, "color": color, "outlines": [_rounded(polygon) for polygon in polygons]}
            for number, color, polygons in zip(shown, drawn.colors, drawn.outlines, strict=True)
        ],
    }


def _numbers(found: Findings) -> dict[str, int]:
    return {community.name: number for number, community in enumerate(found.communities)}


def _places(layout: Layout) -> dict[str, Any]:
    return {
        "height": layout.height,
        "positions": np.round(np.clip(layout.positions, 0, 1) * 65535).astype(np.uint16),
        "radii": layout.radii.astype(np.float32),
    }


def _slices(shares: sparse.csr_array) -> dict[str, Any]:
    """Pies, each share as one of 255 parts."""
    parts = np.round(shares.data * 255)
    kept = sparse.csr_array((parts, shares.indices, shares.indptr), shape=shares.shape)
    kept.eliminate_zeros()
    return {
        "start": kept.indptr.astype(np.uint32),
        "communities": narrow(kept.indices.astype(np.int64)),
        "parts": kept.data.astype(np.uint8),
    }


def _rounded(polygon: Float64Array) -> npt.NDArray[np.uint16]:
    """Every second point of an outline, from -1 to 2 in steps far below a pixel."""
    return np.round((np.clip(polygon[::2], -1, 2) + 1) * 21845).astype(np.uint16)


def _map(found: Findings, index: Int64Array) -> dict[str, Any]:
    """The map of the communities, and the best connected members of each."""
    drawn = CommunityMap.of(found.model)
    numbers = [_numbers(found)[name] for name in drawn.names]
    return {
        "kind": "map",
        **_places(drawn.layout),
        "communities": [
            {"number": number, "color": color, "outlines": []}
            for number, color in zip(numbers, categories(len(numbers)), strict=True)
        ],
        "sizes": drawn.sizes.astype(np.uint32),
        "lines": [list(line) for line in drawn.lines()],
        "opened": [_opened(found, index, number) for number in numbers],
    }


def _opened(found: Findings, index: Int64Array, number: int) -> dict[str, Any]:
    """A drawing of the members of one community that have the most links to others of it."""
    graph, every = found.graph, found.rows(number)
    inside = np.asarray(graph.adjacency[every][:, every].sum(axis=1)).ravel()
    rows = np.sort(every[np.argsort(-inside, kind="stable")[:_MEMBERS]])
    own = sparse.coo_array(sparse.triu(graph.adjacency[rows][:, rows], k=1))
    part = Graph.from_rows(own.row.astype(np.int64), own.col.astype(np.int64), Nodes.numbered(len(rows)))
    shown = tuple(c for c in found.communities if c.kind == "homophilous") or tuple(found.communities)
    return {
        **_places(Layout.of_nodes(part, sparse.csr_array((len(rows), 0)))),
        "links": narrow(np.column_stack(part.links)),
        "of": len(every),
        "names": found.names.pick(rows.tolist()),
        "rows": (index[rows] + 1).astype(np.uint32),
        "degrees": graph.degrees[rows].astype(np.uint32),
        "shares": _slices(member_shares(shown, found.communities)[rows]),
    }


def tree_drawing(tree: CommunityTree) -> dict[str, Any]:
    """The section of the payload of a sparse model: for every part that can be opened, where its own parts are.

    ``places`` (parts × 3) holds x, y and the radius of each part in the view that it is in; ``lines`` (lines × 3) two
    parts of one view and their links as a share, in 255 parts, of the links of the smaller one.

    >>> from philia import CommunityModel
    >>> from philia.datasets import overlapping_cliques
    >>> graph = overlapping_cliques(300, 30, random_state=0).graph
    >>> tree = CommunityTree.of(Findings.of(CommunityModel(storage="sparse", random_state=0).fit(graph)), budget=1e6)
    >>> section = tree_drawing(tree)
    >>> section["kind"], section["places"].shape == (tree.leaves + len(tree.merges), 3)
    ('tree', True)
    """
    places = np.zeros((tree.leaves + len(tree.merges), 3), np.float32)
    heights = np.zeros(len(places), np.float32)
    lines = []
    for part, inside, links in tree.views(_PARTS):
        layout = Layout.of_communities(links, tree.sizes[inside])
        places[inside, :2], places[inside, 2] = layout.positions, layout.radii
        heights[part] = layout.height
        drawn = CommunityMap([], tree.sizes[inside], links, layout)
        lines += [[inside[a], inside[b], min(255, round(255 * share))] for a, b, share in drawn.lines()]
    return {
        "kind": "tree",
        "places": places,
        "heights": heights,
        "lines": np.array(lines, dtype=np.uint32).reshape(-1, 3),
        "colors": categories(_PARTS),
    }
