"""Estimators: thin shells over graphs, starts, objectives, solvers and factors."""

from typing import TYPE_CHECKING, Any

from philia.fitting.warm_starts import FromFactors as FromFactors
from philia.fitting.warm_starts import FromModel as FromModel
from philia.models.catalog import *  # noqa: F403  (the models; type checkers follow their "X as X")
from philia.models.catalog import MODELS as MODELS
from philia.models.catalog import load as load
from philia.models.factorization import Factorization as Factorization
from philia.models.link_model import LinkModel as LinkModel
from philia.models.nonnegative import NonnegativeFactorization as NonnegativeFactorization
from philia.models.placement import Placement as Placement

if TYPE_CHECKING:
    from philia.models.node_features import NodeFeatures as NodeFeatures
else:  # type checkers only understand lists that are spelled out
    __all__ = [
        "MODELS",
        "Factorization",
        "FromFactors",
        "FromModel",
        "LinkModel",
        "NodeFeatures",
        "NonnegativeFactorization",
        "Placement",
        "load",
        *MODELS,
    ]


def __getattr__(name: str) -> Any:
    if name != "NodeFeatures":
        raise AttributeError(f"module 'philia.models' has no attribute {name!r}")
    from philia.models.node_features import NodeFeatures  # imports scikit-learn, which takes a second

    return NodeFeatures
