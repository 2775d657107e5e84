"""Communities as a table with one row per node and community."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from philia.explain.communities import Communities, memberships_of, rows_of
from philia.graphs.frames import Frame
from philia.graphs.graph import Graph


def membership_table(found: Communities, graph: Graph) -> Frame:
    """One row per member: node, community, kind, the share of its links that lead to members, and its membership.

    If ``model.stability()`` was called, the ends of the interval of the membership follow (0 where a refit did not find
    the community). If ``model.significance()`` was called, z and its error on hidden pairs follow.

    >>> from philia import as_graph
    >>> from philia.explain import Community
    >>> graph = as_graph([("ann", "bob"), ("bob", "cat")])
    >>> pair = Community("B1", "homophilous", 2.0, {"ann": 1.0, "bob": 0.6}, threshold=0.5, typical=2.0)
    >>> membership_table(Communities((pair,), "", graph.nodes, ()), graph).to_pandas()
      node community         kind  share  membership
    0  ann        B1  homophilous    1.0         1.0
    1  bob        B1  homophilous    0.5         0.6
    """
    columns: dict[str, list[Any]] = {"node": [], "community": [], "kind": [], "share": [], "membership": []}
    refitted, tested = any(community.refits for community in found), any(community.tested for community in found)
    columns |= ({"lower": [], "upper": []} if refitted else {}) | ({"z": [], "error": []} if tested else {})
    inside = np.zeros(graph.n_nodes)
    for community in found:
        rows = rows_of(community.members, found.nodes)
        inside[rows] = 1
        shares = (graph.adjacency[rows] @ inside) / np.maximum(graph.degrees[rows], 1)
        columns["node"] += found.nodes.pick(rows)
        columns["community"] += [community.name] * len(rows)
        columns["kind"] += [community.kind] * len(rows)
        columns["share"] += shares.tolist()
        columns["membership"] += memberships_of(community.members).tolist()
        for name in ("lower", "upper") if refitted else ():
            ends = getattr(community.refits, name, None)
            columns[name] += [math.nan] * len(rows) if ends is None else ends[rows].tolist()
        for name in ("z", "error") if tested else ():
            columns[name] += [getattr(community.tested, name, math.nan)] * len(rows)
        inside[rows] = 0
    return Frame(columns)
