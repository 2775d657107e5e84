"""Estimators have what scikit-learn asks of them."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr, get_tags
from sklearn.utils.validation import check_is_fitted as sklearn_check_is_fitted

from philia.fitting.estimator import Estimator, check_is_fitted


class Inner(Estimator):
    def __init__(self, size: int = 1, seed: Any = None) -> None:
        self.size = size
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Inner:
        self.seen_ = X
        return self


class Outer(Estimator):
    def __init__(self, inner: Any = None, names: Any = ()) -> None:
        self.inner = inner
        self.names = names


def test_settings_are_shown_if_they_differ_from_their_defaults() -> None:
    assert repr(Inner(1, seed=3)) == "Inner(seed=3)"
    assert repr(Outer(Inner(2))) == "Outer(inner=Inner(size=2))"
    assert "Inner(seed=3)" in repr(make_pipeline(Inner(1, seed=3)))


def test_settings_of_settings_are_read_and_set() -> None:
    outer = Outer(Inner(2))
    assert outer.get_params() == {"inner": outer.inner, "inner__seed": None, "inner__size": 2, "names": ()}
    assert outer.set_params(inner__size=7).inner.size == 7
    assert outer.set_params(inner__size=5, inner=Inner(3)).inner.size == 5, "inner settings are those of the new value"


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="no setting 'sizes'; it has seed, size"):
        Inner().set_params(sizes=2)


def test_a_clone_has_copies_of_the_settings_and_no_results() -> None:
    outer = Outer(Inner(2).fit([1]), names=["a"])
    fresh = clone(outer)
    assert fresh.names == ["a"]
    assert fresh.names is not outer.names
    assert fresh.inner.size == 2
    assert not hasattr(fresh.inner, "seen_")


def test_a_model_that_is_not_fitted_is_said_to_be_so_by_both_checks() -> None:
    for check in (check_is_fitted, sklearn_check_is_fitted):
        with pytest.raises(NotFittedError):
            check(Inner())
        check(Inner().fit([1]))
    with pytest.raises(TypeError, match="not a model"):
        check_is_fitted(3)


def test_scikit_learn_shows_an_estimator_as_a_page_and_reads_its_tags() -> None:
    assert "Inner" in Inner()._repr_html_()
    assert "Inner" in estimator_html_repr(make_pipeline(Inner()))
    assert get_tags(Inner()).requires_fit
