"""The models that are compared, each made for a number of columns and a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from philia import SVD, AttractRepel, BigClam, CommunityModel, IeClam, LogisticPCA, SymNMF
from philia.models import LinkModel

PHILIA = "philia"
Make = Callable[[int, int], LinkModel]


def philia(_: int, seed: int) -> LinkModel:
    """The model as it comes: nothing is told to it, not even the number of labels."""
    return CommunityModel(random_state=seed)


def paper(k: int, seed: int) -> LinkModel:
    """The paper's settings: half of the columns of either kind, a penalty of 10, a random start."""
    return paper_split(k - k // 2, k // 2, seed)


def paper_split(n_homophilous: int, n_heterophilous: int, seed: int) -> LinkModel:
    """The paper's settings with another split.

    >>> paper_split(3, 2, seed=0).penalty
    10.0
    """
    return CommunityModel(
        n_homophilous,
        n_heterophilous,
        penalty=10.0,
        background="none",
        start="uniform",
        solver="lbfgsb",
        include_diagonal=True,
        random_state=seed,
    )


MODELS: dict[str, Make] = {
    PHILIA: philia,
    "paper": paper,
    "BigClam": lambda k, seed: BigClam(k, include_diagonal=False, random_state=seed),
    # A community of IeClam is two numbers per node, too.
    "IeClam": lambda k, seed: IeClam(max(1, k // 2), random_state=seed),
    "SymNMF": lambda k, seed: SymNMF(k, random_state=seed),
    "SVD": lambda k, seed: SVD(k, random_state=seed),
    # A column of logistic PCA is two numbers per node.
    "LogisticPCA": lambda k, seed: LogisticPCA(max(1, k // 2), random_state=seed),
    "AttractRepel": lambda k, seed: AttractRepel(k - k // 2, k // 2, random_state=seed),
}

EFFORT = {PHILIA: 3.0, "SVD": 0.05, "LogisticPCA": 2.0, "SymNMF": 0.8}
"""How much longer than a fit of 200 steps a model takes, where it is not about as long."""


def about(model: LinkModel) -> dict[str, Any]:
    """What a fit says about itself: its numbers of communities, how they were chosen, why and when it ended.

    >>> about(paper(4, seed=0).fit([(0, 1), (1, 2), (2, 3)]))["numbers"]
    [2, 2]
    """
    chosen = list(model.factors_.counts) if isinstance(model, CommunityModel) else []
    told = getattr(model, "selection_", None)
    return {
        "numbers": chosen,
        "selection": None if told is None else str(told),
        "reason": model.solution_.reason,
        "iterations": model.solution_.iterations,
        "fit_seconds": round(model.solution_.seconds, 2),
    }
