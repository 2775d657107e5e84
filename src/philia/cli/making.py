"""From options to a model: what is asked for, in each model's own words."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.models import LinkModel


class ModelName(StrEnum):
    """The models by name; the same as in ``philia.models.MODELS``, which is loaded only when it is needed."""

    CommunityModel = "CommunityModel"
    LogisticPCA = "LogisticPCA"
    BigClam = "BigClam"
    SymNMF = "SymNMF"
    SoftClustering = "SoftClustering"
    SVD = "SVD"
    AttractRepel = "AttractRepel"
    NormalizedCuts = "NormalizedCuts"
    VGraph = "VGraph"
    RandomLinks = "RandomLinks"


_USUAL = (8, 4)


def make_model(name: str, homophilous: int | None, heterophilous: int | None, seed: int, **settings: Any) -> LinkModel:
    """A model for so many communities that attract and that repel; those that know one kind only get the sum.

    A setting of None was not asked for: where the model does not choose it by itself, there are 8 and 4 communities.
    One that the model does not have is refused.

    >>> make_model("BigClam", 8, 4, seed=0)
    BigClam(n_communities=12, random_state=0)
    >>> make_model("CommunityModel", None, 2, seed=0)
    CommunityModel(n_heterophilous=2, random_state=0)
    >>> make_model("SVD", 8, 4, seed=0, penalty=1.0)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: --penalty is no setting of SVD; leave it out
    """
    from philia.models import MODELS

    kind: Any = MODELS[name]
    known = kind._get_param_names()
    if name != ModelName.CommunityModel:
        homophilous, heterophilous = (
            usual if given is None else given for given, usual in zip((homophilous, heterophilous), _USUAL, strict=True)
        )
    both = (homophilous or 0) + (heterophilous or 0)
    widths = {"n_homophilous": homophilous, "n_heterophilous": heterophilous, "n_communities": both, "n_columns": both}
    asked = {key: value for key, value in settings.items() if value is not None}
    for key in asked:
        if key not in known:
            option = {"n_jobs": "threads"}.get(key, key).replace("_", "-")
            raise InvalidParameterError(f"--{option} is no setting of {name}; leave it out")
    columns = {key: value for key, value in widths.items() if key in known and value is not None}
    model: LinkModel = kind(**columns, random_state=seed, **asked)
    return model
