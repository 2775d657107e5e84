"""One card a community: what it does, how large and how dense it is, who is in it, and what it resembles."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._types import Int64Array
from philia.explain.communities import odds_effect
from philia.report.findings import Findings, affinities
from philia.report.inside import Inside, look_inside
from philia.report.labels import Match

MEMBERS, OVERLAPS = 12, 5


def cards(found: Findings, shared: Int64Array, matches: list[Match | None], places: Int64Array) -> list[dict[str, Any]]:
    """The cards, in the order of the communities.

    ``shared`` counts the members that two communities have in common, ``matches`` has the label nearest to each, and
    ``places`` where each row stands in the list of nodes that can be looked up, -1 if nowhere.

    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> card = cards(Findings.of(model), np.array([[3]]), [None], np.arange(5))[0]
    >>> card["kind"], card["size"], card["inside"]["density"], sorted(name for name, _, _ in card["members"])
    ('attracts', 3, 1.0, ['1', '2', '3'])
    """
    inside = look_inside(found.graph, found.memberships)
    made = []
    for c, community in enumerate(found.communities):
        refits, match = community.refits, matches[c]
        made.append(
            {
                "name": community.name,
                "kind": "attracts" if community.kind == "homophilous" else "repels",
                "strength": community.strength,
                "effect": community.effect,
                "typical": {"log_odds": found.typical(c), "effect": odds_effect(found.typical(c))},
                "size": int(found.sizes[c]),
                "share": found.sizes[c] / found.graph.n_nodes,
                "inside": _density(inside[c]),
                "members": _members(found, c, places),
                "overlaps": _overlaps(found, shared, c),
                "label": None if match is None else match.facts(),
                "stability": None if refits is None else {"score": refits.score, "words": refits.in_words()},
            }
        )
    return made


def _density(inside: Inside) -> dict[str, Any]:
    return {
        "links": inside.links,
        "pairs": inside.pairs,
        "density": inside.density,
        "expected": inside.expected,
        "ratio": inside.ratio,
    }


def _members(found: Findings, c: int, places: Int64Array) -> list[list[Any]]:
    rows = found.rows(c)[:MEMBERS]
    column = affinities(found.factors, found.communities[c].name)
    shares = column[rows] / column.max(initial=1e-300)
    at = [place if place >= 0 else None for place in places[rows].tolist()]
    return [list(member) for member in zip(found.names.pick(rows.tolist()), shares.tolist(), at, strict=True)]


def _overlaps(found: Findings, shared: Int64Array, c: int) -> list[list[Any]]:
    common = shared[c].copy()
    common[c] = 0
    first = np.argsort(-common, kind="stable")[:OVERLAPS]
    return [
        [found.communities[d].name, int(common[d]), common[d] / found.sizes[c]] for d in first.tolist() if common[d]
    ]
