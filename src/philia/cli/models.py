"""Models on the command line: their names, and a model from the options of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from philia.cli.options import choice
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.models import LinkModel

OURS = "CommunityModel"

_DEFAULT = (8, 4)
"""Communities for models that do not choose their number: the library's default of 8, and half as many that repel."""


def model_option(text: str) -> Any:
    """The option ``--model``, which takes any model of the library."""

    def names() -> list[str]:
        from philia.models import MODELS

        return list(MODELS)

    return choice("--model", text, names)


def make_model(name: str, homophilous: int | None, heterophilous: int | None, seed: int, **settings: Any) -> LinkModel:
    """A model with these numbers of attracting and repelling communities; models with only one kind get the sum.

    None means that an option was not given: the model then chooses the number, or uses 8 and 4 if it cannot. A setting
    that the model does not have is refused.

    >>> make_model("BigClam", 8, 4, seed=0)
    BigClam(n_communities=12, random_state=0)
    >>> make_model("CommunityModel", None, 2, seed=0)
    CommunityModel(n_heterophilous=2, random_state=0)
    >>> make_model("SVD", 8, 4, seed=0, penalty=1.0)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: SVD has no --penalty option; remove it
    """
    from philia.models import MODELS

    kind: Any = MODELS[name]
    known = kind._get_param_names()
    if name != OURS:
        homophilous, heterophilous = (
            default if given is None else given
            for given, default in zip((homophilous, heterophilous), _DEFAULT, strict=True)
        )
    both = (homophilous or 0) + (heterophilous or 0)
    widths = {"n_homophilous": homophilous, "n_heterophilous": heterophilous, "n_communities": both, "n_columns": both}
    asked = {key: value for key, value in settings.items() if value is not None}
    for key in asked:
        if key not in known:
            option = {"n_jobs": "threads"}.get(key, key).replace("_", "-")
            raise InvalidParameterError(f"{name} has no --{option} option; remove it")
    columns = {key: value for key, value in widths.items() if key in known and value is not None}
    model: LinkModel = kind(**columns, random_state=seed, **asked)
    return model
