"""Heterophily: a network in which one kind of group attracts and another repels.

The users of a dating app live in one of four cities and have one of two genders. A match is likely within a city and
unlikely within a gender. The model sees the matches alone; cities and genders only serve to check what it found.

    python examples/dating_app.py
"""

from __future__ import annotations

from collections.abc import Sequence

import philia
from philia.datasets import dating_app
from philia.explain import Community


def how_many_are_found(labels: Sequence[int], communities: Sequence[Community]) -> int:
    """How many groups of users with one label agree with a community in at least 95 % of all who are in either."""
    found = 0
    for label in set(labels):
        group = {user for user, own in enumerate(labels) if own == label}
        agreement = [len(group & c.members.keys()) / len(group | c.members.keys()) for c in communities]
        found += max(agreement, default=0.0) >= 0.95
    return found


def main() -> None:
    """Fit, compare with the truth, and explain one pair."""
    app = dating_app(n=400, cities=4, random_state=0)
    print(app.graph)

    # Four communities that attract and two that repel. Numbers and penalty that are not given are chosen.
    model = philia.CommunityModel(4, 2, penalty=3, random_state=0).fit(app.graph)
    print(f"the fit {model.solution_}\n")

    # Cities: a community is the set of users nearest to its affinities, which is the default rule.
    cities = [community for community in model.communities() if community.kind == "homophilous"]
    for community in cities:
        print(community)
    print(f"{how_many_are_found(app.city.tolist(), cities)} of 4 cities are a homophilous community\n")

    # Genders: the two communities that repel.
    genders = [community for community in model.communities() if community.kind == "heterophilous"]
    for community in genders:
        print(community)
    print(f"{how_many_are_found(app.gender.tolist(), genders)} of 2 genders are a heterophilous community\n")

    # Two users of one city and one gender: the city speaks for a match, the gender against it.
    alike = [
        user
        for user in range(1, app.graph.n_nodes)
        if (app.city[user], app.gender[user]) == (app.city[0], app.gender[0])
    ]
    print(model.explain(0, alike[0]))


if __name__ == "__main__":
    main()
