"""The sections of a sparse model's page: a tree of communities that opens at the top, and nodes to look up."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._types import Float64Array, Int64Array
from philia.reading import Hierarchy
from philia.report.attributes import Known
from philia.report.drawing import tree_drawing
from philia.report.explorer import OnProgress
from philia.report.findings import Findings, Match
from philia.report.looked_up import LookedUp
from philia.report.tree import CommunityTree

_TREE = 0.5
"""The share of the page's room that communities may take; nodes to look up take the rest."""


def thousands(found: Findings, known: Known, budget: float, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """The sections about communities, levels and nodes; there are no cards, and no matrix of pairs.

    >>> from philia import CommunityModel
    >>> from philia.datasets import overlapping_cliques
    >>> graph = overlapping_cliques(300, 10, random_state=0).graph
    >>> found = Findings.of(CommunityModel(storage="sparse", random_state=0).fit(graph))
    >>> sections = thousands(found, Known.of(found, None, None), budget=1e6)
    >>> sections["tree"]["communities"] == len(found.communities), sections["matrix"]
    (True, None)
    """
    tree = CommunityTree.of(found, _TREE * budget)
    members, shares = tree.members()
    best = tree.best_known()
    named = np.unique(np.concatenate([members.ravel(), best.ravel()]))
    looked_up = LookedUp.of(found, (1 - _TREE) * budget)
    nodes, index = looked_up.section(named[named >= 0], on_progress)
    return {
        "communities": [],
        "attributes": known.section(found, looked_up.rows),
        "tree": {
            **_numbers(found, tree),
            "members": _numbered(members, index),
            "shares": shares.astype(np.float32),
            "known": _numbered(best, index),
            "labels": _labels(tree, known.matches),
        },
        "drawing": tree_drawing(tree),
        "levels": _levels(found.model.hierarchy()),
        "matrix": None,
        "explorer": nodes,
    }


def _numbers(found: Findings, tree: CommunityTree) -> dict[str, Any]:
    """The numbers of each part of the tree."""
    return {
        "communities": len(found.communities),
        "median": float(np.median(found.sizes)) if len(found.sizes) else 0.0,
        "leaves": tree.leaves,
        "named": tree.named,
        "merges": tree.merges.astype(np.uint32),
        "leaf_of": None if tree.leaves == len(found.communities) else tree.leaf_of.astype(np.uint32),
        "sizes": tree.sizes.astype(np.uint32),
        "counts": tree.communities().astype(np.uint32),
        "largest": tree.largest().astype(np.uint32),
        "inside": tree.stays_inside().astype(np.float32),
        "links": tree.links_inside().astype(np.uint32),
        "expected": tree.links_expected().astype(np.float32),
        "strengths": _strengths(found, tree).astype(np.float32),
    }


def _levels(known: Hierarchy) -> dict[str, Any]:
    """What each level saves; those that overlap are the finest, and no other is as good."""
    levels = [
        {"communities": count, "saved": saved, "as_good": False}
        for count, saved in zip(known.counts, known.saved, strict=True)
        if count
    ]
    return {"levels": levels, "default": len(known.default), "tree": None}


def _strengths(found: Findings, tree: CommunityTree) -> Float64Array:
    return np.array([found.communities[c].typical for c in tree.largest()[: tree.leaves].tolist()])


def _numbered(rows: Int64Array, index: Int64Array) -> Any:
    """Positions in the page's list of names, from 1; 0 stands for none."""
    return np.where(rows >= 0, index[rows] + 1, 0).astype(np.uint32)


def _labels(tree: CommunityTree, matches: list[Match | None]) -> list[dict[str, Any] | None] | None:
    """The label most like the first community of each leaf; None if nothing is known."""
    if not any(matches):
        return None
    some = [matches[c] for c in tree.largest()[: tree.leaves].tolist()]
    return [None if match is None else match.facts() for match in some]
