from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from philia import CommunityModel
from philia.datasets import classic, dating_app
from philia.selection.selection import Selection, Step

STEPS = (
    Step(2.0, 9, 2, -0.052, 0.001),
    Step(1.0, 7, 2, -0.0505, 0.001),
    Step(1.0, 5, 1, -0.0500),
    Step(1.0, 4, 1, -0.0509, 0.001),
    Step(1.0, 3, 0, -0.060, 0.001),
)
CHOSEN = Selection(STEPS, 3, folds=5, share=0.2, links=100, density=-0.09, seconds=1.0, good=(1, 2, 3))


def test_the_range_holds_the_numbers_that_are_equally_good() -> None:
    assert CHOSEN.equally_good == STEPS[1:4]
    assert (CHOSEN.attracting, CHOSEN.repelling) == ((4, 7), (1, 2))


def test_the_choice_is_in_the_range_even_if_a_later_step_was_better() -> None:
    assert replace(CHOSEN, chosen=4).attracting == (3, 7)


def test_the_sentence_gives_the_range() -> None:
    assert str(CHOSEN) == (
        "4 communities that attract, 1 that repels, penalty 1. To predict: between 4 and 7 communities that attract "
        "and between 1 and 2 that repel predict hidden pairs equally well (within one standard error); penalties "
        "from 1 to 2 were tried"
    )


def test_reading_and_predicting_are_two_answers() -> None:
    said = str(replace(CHOSEN, read=3))
    assert said.startswith(
        "3 communities that attract and 1 more column, 1 that repels, penalty 1. To read: with these 3"
    )
    assert "To predict: between 4 and 7 columns that attract" in said


def test_numbers_of_communities_that_are_as_good_to_read_are_named() -> None:
    said = str(replace(CHOSEN, read=3, shortest=3, as_short=(4, 2)))
    assert "To read: with these 3 communities the links have the shortest description; 4 and 2 would do as well" in said
    many = str(replace(CHOSEN, read=3, shortest=57))
    assert "To read: these 3 communities say nearly as much as the 57 of the shortest description. " in many


def test_a_choice_at_its_limit_says_that_more_was_not_tried() -> None:
    steps = (Step(1.0, 58, 8, -0.05), Step(1.0, 40, 1, -0.06, 0.001))
    at_limit = replace(CHOSEN, steps=steps, chosen=0, good=(), read=10)
    untried = "more than 48 columns that attract and 8 that repel are not tried unless you ask for them"
    assert untried in str(at_limit)
    assert "not tried" not in str(replace(at_limit, chosen=1))


def test_no_range_is_given_where_no_other_number_is_as_good() -> None:
    alone = replace(CHOSEN, steps=(Step(1.0, 5, 1, -0.05), Step(1.0, 4, 1, -0.06, 0.001)), chosen=0, good=())
    assert str(alone).endswith("hidden pairs as well as 5 communities that attract and 1 that repels")


def test_a_choice_of_the_penalty_alone_says_nothing_about_numbers() -> None:
    steps = (Step(1.0, 5, 1, -0.05), Step(2.0, 5, 1, -0.06, 0.001))
    assert str(replace(CHOSEN, steps=steps, chosen=0, good=())).endswith("penalty 1. Penalties from 1 to 2 were tried")


def test_files_keep_the_range_and_those_without_one_can_be_read() -> None:
    kept = json.loads(json.dumps(CHOSEN.to_dict()))
    assert Selection.from_dict(kept) == CHOSEN
    del kept["good"], kept["as_short"], kept["shortest"]
    assert Selection.from_dict(kept).equally_good == (CHOSEN.choice,)


@pytest.mark.parametrize("good", [[5], [-1], ["1"], [1.0]])
def test_a_range_of_steps_that_are_not_there_is_refused(good: list[Any]) -> None:
    with pytest.raises(ValueError, match="was chosen or good"):
        Selection.from_dict({**CHOSEN.to_dict(), "steps": [asdict(step) for step in STEPS], "good": good})


@pytest.mark.parametrize("as_short", [["4"], [-1], [2.0]])
def test_levels_that_cannot_be_are_refused(as_short: list[Any]) -> None:
    with pytest.raises(ValueError, match="are as good, it says"):
        Selection.from_dict({**CHOSEN.to_dict(), "steps": [asdict(step) for step in STEPS], "as_short": as_short})


def test_an_interrupted_search_says_so() -> None:
    assert str(replace(CHOSEN, interrupted=True)).endswith("The search was interrupted")


def test_good_numbers_are_within_one_standard_error_of_the_best_of_their_penalty() -> None:
    selection = CommunityModel(random_state=0).fit(classic("karate")).selection_
    assert selection is not None
    assert selection.choice in selection.equally_good
    for step in selection.equally_good:
        beside = [s.log_likelihood for s in selection.equally_good if s.penalty == step.penalty]
        assert max(beside) - step.log_likelihood <= 2 * max(s.error for s in selection.steps)


def test_small_graphs_hide_every_pair_once() -> None:
    graph = classic("karate")
    selection = CommunityModel(random_state=0).fit(graph).selection_
    assert selection is not None
    assert (selection.folds, selection.links) == (5, graph.n_links)


def test_a_graph_with_one_link_can_be_chosen_for() -> None:
    assert CommunityModel(random_state=0).fit([("ann", "bob")]).selection_ is not None


@pytest.mark.parametrize("seed", range(3))
def test_two_genders_are_found_as_two_repelling_communities(seed: int) -> None:
    app = dating_app(n=120, cities=3, random_state=10 + seed)
    found = [set(c.members) for c in CommunityModel(random_state=seed).fit(app.graph).communities() if c.strength < 0]
    assert len(found) == 2
    for gender in (0, 1):
        known = {node for node in range(120) if app.gender[node] == gender}
        assert max(len(known & own) / len(known | own) for own in found) > 0.9
