"""An estimator as scikit-learn knows it: settings that are read, set, copied and shown by name.

scikit-learn asks its estimators for methods, not for an ancestor. Its own ancestor takes longer to import than all of
philia, so the methods are here, and scikit-learn is imported by those that only it calls.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Self

from philia.exceptions import InvalidParameterError

AUTO: Final = "auto"
"""A setting that the fit chooses."""


class Estimator:
    """Settings are the arguments of ``__init__``, which stores each under its name.

    >>> class Tossed(Estimator):
    ...     def __init__(self, probability=0.5, seed=None):
    ...         self.probability, self.seed = probability, seed
    >>> Tossed(0.1).set_params(seed=2)
    Tossed(probability=0.1, seed=2)
    >>> Tossed(chance=0.1)
    Traceback (most recent call last):
    TypeError: Tossed has no setting 'chance'; it has probability, seed
    """

    if TYPE_CHECKING:

        def __init__(self, *settings: Any, **named: Any) -> None: ...

    def __init_subclass__(cls) -> None:
        """Make an unknown setting say which there are: people try the names that other libraries use."""
        super().__init_subclass__()
        if "__init__" in vars(cls):
            cls.__init__ = _refusing_unknown(cls.__init__)  # type: ignore[method-assign]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name; with ``deep``, also those of settings that have settings, as ``name__inner``."""
        settings = {name: getattr(self, name) for name in self._get_param_names()}
        if deep:
            for name, value in list(settings.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    settings |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
        return settings

    def set_params(self, **settings: Any) -> Self:
        """Change settings by name, or by ``name__inner``, and return the model."""
        for name, value in sorted(settings.items(), key=lambda setting: "__" in setting[0]):  # inner ones last
            outer, _, inner = name.partition("__")
            if outer not in self._get_param_names():
                raise ValueError(f"{self!r} has no setting {outer!r}; it has {', '.join(self._get_param_names())}")
            if inner:
                getattr(self, outer).set_params(**{inner: value})
            else:
                setattr(self, outer, value)
        return self

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(inspect.signature(cls).parameters)

    def __repr__(self) -> str:
        defaults = {name: repr(setting.default) for name, setting in inspect.signature(type(self)).parameters.items()}
        settings = {name: repr(value) for name, value in self.get_params(deep=False).items()}
        changed = [f"{name}={value}" for name, value in settings.items() if value != defaults[name]]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        from sklearn.utils import estimator_html_repr

        return str(estimator_html_repr(self))

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy with the same settings, as scikit-learn's ``clone`` makes it."""
        return type(self)(**{name: _copied(value) for name, value in self.get_params(deep=False).items()})

    def __sklearn_is_fitted__(self) -> bool:
        return any(name.endswith("_") and not name.startswith("_") for name in vars(self))

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator

        return BaseEstimator().__sklearn_tags__()


_NUMBERS = ("n_communities", "n_homophilous", "n_heterophilous", "n_columns")
_HABITS = {
    **dict.fromkeys(("k", "n_clusters", "n_components", "n_communities", "num_communities", "dimensions"), _NUMBERS),
    "seed": ("random_state",),
    "max_iter": ("solver", "iterations"),
}
"""Settings that users of other libraries write from habit, and those of ours that do the same."""


def _refusing_unknown(init: Callable[..., None]) -> Callable[..., None]:
    known = [name for name in inspect.signature(init).parameters if name != "self"]

    @wraps(init)
    def checked(self: Any, *settings: Any, **named: Any) -> None:
        for name in named:
            if name not in known:
                meant = [one for one in _HABITS.get(name, ()) if one in known]
                instead = f"use {' and '.join(meant)}" if meant else f"it has {', '.join(sorted(known))}"
                verbose = "; fit(graph, verbose=True) shows the progress" if name == "verbose" else ""
                raise TypeError(f"{type(self).__name__} has no setting {name!r}; {instead}{verbose}")
        init(self, *settings, **named)

    return checked


def _copied(value: Any) -> Any:
    clonable = hasattr(value, "__sklearn_clone__") and not isinstance(value, type)
    return value.__sklearn_clone__() if clonable else deepcopy(value)


def check_is_fitted(model: Any) -> None:
    """Raise scikit-learn's error for a model that is not fitted yet."""
    if not hasattr(model, "__sklearn_is_fitted__"):
        raise TypeError(f"{model!r} is not a model; give a fitted one")
    if not model.__sklearn_is_fitted__():
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"this {type(model).__name__} is not fitted yet; call its fit with a graph first")


def check_counts(model: Any, *names: str, least: int, auto: bool = False) -> None:
    """Raise unless each named setting is a whole number of at least ``least``, or "auto" where that is allowed."""
    for name in names:
        count = getattr(model, name)
        if auto and count == "auto":
            continue
        if not isinstance(count, numbers.Integral) or count < least:
            or_auto = ', or "auto"' if auto else ""
            raise InvalidParameterError(f"{name} is {count!r}; it must be a whole number, {least} or more{or_auto}")
