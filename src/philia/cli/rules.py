"""What each rule of membership makes of a model, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from philia.cli.output import Output

if TYPE_CHECKING:
    from philia.explain import RuleComparison


def show_rules(out: Output, comparison: RuleComparison) -> None:
    """The table, and what the rules mean.

    >>> from philia.explain import RuleComparison, RuleEffect
    >>> show_rules(Output(), RuleComparison((RuleEffect("split", "cut in two", {"B1": 2}, 6, 4),)))
                        split
    ...
    split: cut in two.
    """
    out.data(
        {
            "rules": [
                {
                    "rule": effect.rule,
                    "meaning": effect.said,
                    "sizes": dict(effect.sizes),
                    "nodes_in_none": effect.n_unassigned,
                    "communities_a_node": effect.communities_a_node,
                }
                for effect in comparison.effects
            ]
        }
    )
    titles = ["", *(effect.rule for effect in comparison.effects)]
    out.table(titles, comparison.rows(), right=range(1, len(titles)))
    for effect in comparison.effects:
        out.say(f"{effect.rule}: {effect.said}.")
