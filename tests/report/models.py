"""Small fitted models of all kinds, each made once."""

from __future__ import annotations

from functools import cache

from philia import CommunityModel, as_graph
from philia.datasets import classic, dating_app
from philia.graphs import Graph, Nodes

HOSTILE: list[object] = [
    "</script><script>window.hacked=1</script>",
    '"><img src=x onerror=alert(1)>',
    "<!-- ' ` ${1} -->",
    "\u202eright to left\u202c",
    "😀\ud83d",
    "line\nbreak\x00\u2028",
    "philia:data /*philia:js*/",
    "y" * 10_000 + "a",
    "y" * 10_000 + "b",
    1,
    "1",
    ("a", 2),
]


@cache
def dating() -> CommunityModel:
    return CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(150, cities=3, random_state=0).graph)


@cache
def chosen() -> CommunityModel:
    """A model that chose its communities: two that are read off the links, and a column of finer structure."""
    model = CommunityModel(random_state=0).fit(classic("karate"))
    assert model.communities().finer
    return model


@cache
def crowd() -> CommunityModel:
    """Nodes with more neighbours than are listed."""
    return CommunityModel(1, 1, penalty=1, random_state=0).fit(dating_app(120, cities=1, random_state=0).graph)


@cache
def hidden() -> CommunityModel:
    """A model from whose fit a fifth of all pairs was held out."""
    app = dating_app(150, cities=3, random_state=0)
    return CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph, held_out=0.2)


@cache
def hostile() -> CommunityModel:
    """Two cliques of nodes with hostile names, joined by one link."""
    left, right = HOSTILE[:6], HOSTILE[6:]
    links = [(a, b) for side in (left, right) for i, a in enumerate(side) for b in side[:i]]
    return CommunityModel(2, 0, penalty=0.1, random_state=0).fit([*links, (left[0], right[0])])


def graphs() -> dict[str, Graph]:
    """Edge cases."""
    empty = as_graph([("a", "b")])
    return {
        "one node": Graph.from_rows(empty.adjacency.indptr[:0], empty.adjacency.indptr[:0], Nodes(["alone"])),
        "no links": Graph.from_rows(empty.adjacency.indptr[:0], empty.adjacency.indptr[:0], Nodes(["a", "b", "c"])),
        "two nodes": empty,
        "complete": as_graph([(i, j) for i in range(6) for j in range(i)]),
        "isolated nodes": Graph.from_rows(*as_graph([(0, 1), (1, 2), (0, 2)]).links, Nodes.numbered(7)),
        "weights": as_graph([("a", "b", 2.5), ("b", "c", 1), ("a", "c", 3), ("c", "d", 1)], weights=True),
        "integer names": as_graph([(-7, 10**12), (10**12, 3), (3, -7)]),
    }
