"""Stability of fitted models: refits, what they leave in the model, and what a file keeps of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from philia import BigClam, CommunityModel, VGraph, load
from philia.datasets import dating_app
from philia.exceptions import InvalidParameterError
from philia.explain import Stability

GRAPH = dating_app(80, cities=2, random_state=0).graph


def fitted(**settings: Any) -> CommunityModel:
    return CommunityModel(2, 2, **{"penalty": 1, "random_state": 0, **settings}).fit(GRAPH)


def same(a: Stability, b: Stability) -> bool:
    return [c.name for c in a.communities] == [c.name for c in b.communities] and all(
        np.array_equal(getattr(x, part), getattr(y, part))
        for x, y in zip(a.communities, b.communities, strict=True)
        for part in ("likenesses", "lower", "upper")
    )


def test_clear_communities_come_back() -> None:
    model = fitted()
    found = model.stability(fits=3)
    assert found is model.stability_
    assert found.fits == 3
    assert all(c.score > 0.8 for c in found.communities if c.name.startswith("B"))
    assert "found in 3 of 3 other fits" in str(model.communities())
    assert "memberships" in str(model.explain(0, 1))


def test_columns_beyond_what_there_is_to_find_come_back_less_often() -> None:
    many = CommunityModel(8, 2, penalty=1, random_state=0).fit(GRAPH)
    few, more = ([c.score for c in model.stability(fits=3).communities] for model in (fitted(), many))
    assert np.mean(more) < min(few)


def test_the_same_model_gives_the_same_answer_and_keeps_its_factors() -> None:
    model = fitted(start="uniform")
    before = model.factors_.homophilous.copy()
    assert same(model.stability(fits=2), fitted(start="uniform").stability(fits=2))
    np.testing.assert_array_equal(model.factors_.homophilous, before)


def test_other_fits_begin_elsewhere() -> None:
    found = fitted(start="uniform", solver="lbfgsb").stability(fits=2)
    assert any(c.score < 1 - 1e-9 for c in found.communities)


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(0), np.int64(3)])
def test_any_seed_will_do(random_state: Any) -> None:
    assert fitted(random_state=random_state).stability(fits=1).fits == 1


def test_a_new_fit_forgets_the_old_stability() -> None:
    model = fitted()
    model.stability(fits=1)
    assert model.fit(GRAPH).stability_ is None
    assert "fits" not in str(model.communities())


def test_held_out_pairs_stay_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    model = CommunityModel(1, 1, random_state=0).fit(GRAPH, held_out=0.2)
    seen, fit = [], CommunityModel.fit

    def watched(self: CommunityModel, X: Any, **told: Any) -> CommunityModel:
        seen.append(told["held_out"])
        return fit(self, X, **told)

    monkeypatch.setattr(CommunityModel, "fit", watched)
    model.stability(fits=2)
    assert seen == [model.held_out_] * 2


def test_an_interrupt_keeps_the_fits_that_are_done() -> None:
    def stop(done: int, asked: int) -> None:
        if (done, asked) == (2, 5):
            raise KeyboardInterrupt

    assert fitted().stability(fits=5, on_fit=stop).fits == 2


def test_an_interrupt_of_the_first_fit_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    model = fitted()

    def interrupted(self: CommunityModel, X: Any, **told: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(CommunityModel, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.stability(fits=2)
    assert model.stability_ is None


def test_a_fit_that_the_solver_ended_early_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    model, fit = fitted(), CommunityModel.fit
    done: list[Any] = []

    def interrupted_later(self: CommunityModel, X: Any, **told: Any) -> CommunityModel:
        fit(self, X, **told)
        if done:
            self.solution_ = replace(self.solution_, reason="interrupted")
        done.append(X)
        return self

    monkeypatch.setattr(CommunityModel, "fit", interrupted_later)
    assert model.stability(fits=3).fits == 1
    assert len(done) == 2


@pytest.mark.parametrize("fits", [0, -1, 1.5, True])
def test_strange_numbers_of_fits_are_refused(fits: Any) -> None:
    with pytest.raises(InvalidParameterError, match="whole number, 1 or more"):
        fitted().stability(fits)


@pytest.mark.parametrize("model", [BigClam(2, random_state=0), VGraph(2, iterations=20, random_state=0)])
def test_other_models_have_a_stability_too(model: Any) -> None:
    model.fit(GRAPH).stability(fits=1)
    assert all(c.stability is not None for c in model.communities())


def test_a_file_keeps_the_stability(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    model = fitted()
    model.save(path)
    assert load(path).stability_ is None
    found = model.stability(fits=2)
    model.save(path)
    again = load(path)
    assert again.stability_ is not None
    assert same(again.stability_, found)
    assert (again.stability_.fits, again.stability_.threshold) == (2, found.threshold)
    assert str(again.communities()) == str(model.communities())


def test_a_model_without_communities_is_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    model = CommunityModel(0, 0, background="constant", random_state=0).fit(GRAPH)
    assert str(model.stability(fits=1)) == "the model has no communities"
    model.save(path)
    assert load(path).stability_ is not None


def test_the_rules_of_a_model_stand_side_by_side() -> None:
    model = fitted()
    compared = model.compare_rules()
    assert [effect.rule for effect in compared.effects] == ["links", "nearest", "odds", "density", "split"]
    assert compared.effects[0].sizes == {c.name: len(c) for c in model.communities()}
    assert model.communities().rule == model.communities("links").rule


def test_a_model_without_odds_has_no_rule_of_odds() -> None:
    model = BigClam(2, random_state=0).fit(GRAPH)
    assert model.communities().rule == model.communities("density").rule
    with pytest.raises(InvalidParameterError, match="'density' or 'split' or a membership"):
        model.communities("odds")
    assert [effect.rule for effect in VGraph(2, iterations=5, random_state=0).fit(GRAPH).compare_rules().effects] == [
        "links"
    ]
