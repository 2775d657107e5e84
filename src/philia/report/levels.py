"""The section about levels: how communities merge into coarser ones, and what each level is worth."""

from __future__ import annotations

from typing import Any

from philia.plots.hierarchy import Tree
from philia.reading import Hierarchy
from philia.report.findings import Findings

_LEAVES = 60
"""Communities of the finest level that the tree shows: each name needs a line."""


def levels(found: Findings) -> dict[str, Any] | None:
    """The section of the payload; None unless the communities were read off the graph and there are several.

    ``tree`` holds the brackets of a tree and the names of its leaves from the top; None if there are too many.

    >>> from philia import CommunityModel
    >>> from philia.datasets import classic
    >>> section = levels(Findings.of(CommunityModel(random_state=0).fit(classic("karate"))))
    >>> [level["communities"] for level in section["levels"]], section["default"], section["tree"]["leaves"]
    ([2, 1], 2, ['B1', 'B2'])
    """
    if found.model.level() is None:
        return None
    known = found.model.hierarchy()
    if known.counts[0] < 2:
        return None
    good = [len(level) for level in known.equally_good]
    return {
        "levels": [
            {"communities": count, "saved": saved, "as_good": count in good}
            for count, saved in zip(known.counts, known.saved, strict=True)
            if count
        ],
        "default": len(known.default),
        "tree": _tree(known) if known.counts[0] <= _LEAVES else None,
    }


def _tree(levels: Hierarchy) -> dict[str, Any]:
    tree, names = Tree.of(levels), levels[0].names
    return {
        "leaves": [names[leaf] for leaf in tree.leaves],
        "branches": [{"at": list(at), "lost": list(lost)} for at, lost in zip(tree.at, tree.lost, strict=True)],
        "cut": tree.cut,
    }
