"""The models that are compared, each made for a number of columns and a seed.

Models that are told a number of columns are treated alike, in three ways: without a penalty, with the paper's penalty
of 10 and random start, and each with its own best settings, chosen by pairs that are hidden from it beyond those held
out.
BigClam and SymNMF are those of the paper's experiments, with the paper's solver, so that both pages say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.methods import FAMILIES, OWN, SAME, Family, Settings, Shape
from experiments.methods import Make as MakeShaped
from experiments.tuning import best_settings
from philia import SVD, AttractRepel, CommunityModel, IeClam, LogisticPCA
from philia.graphs import Graph
from philia.models import LinkModel
from philia.pairs import RandomPairs

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


def ieclam(settings: Settings) -> MakeShaped:
    """IeClam with as many numbers per node: half as many communities, with two sides each.

    >>> ieclam(SAME)(Shape(3, 2, seed=0, iterations=200)).n_communities
    2
    """
    return lambda shape: IeClam(
        max(1, shape.width // 2),
        penalty=settings.penalty,
        start=settings.start,
        solver=shape.solver,
        random_state=shape.seed,
    )


PENALIZED: dict[str, Family] = {**FAMILIES, "IeClam": ieclam}
"""The models that have a penalty and a start to choose; CommunityModel with the paper's other settings."""

TOLD = ("BigClam", "IeClam", "SymNMF")
"""Those among them that come without a penalty."""

FREE = Settings(0.0, "spectral")
"""The penalty and the start that they come with."""

LIKE_PAPER = ", penalty 10"
"""What follows the name of a model with the settings of ``paper``."""

MOST_NODES = 50_000
"""Up to here the paper's solver, which looks at all pairs, is the same for all; beyond, a model has its own."""


def _with(settings: Settings, name: str) -> Make:
    return lambda k, seed: PENALIZED[name](settings)(_shape(k, seed))


MODELS: dict[str, Make] = {
    PHILIA: philia,
    "paper": paper,
    **{name: _with(FREE, name) for name in TOLD},
    "SVD": lambda k, seed: SVD(k, random_state=seed),
    # A column of logistic PCA is two numbers per node.
    "LogisticPCA": lambda k, seed: LogisticPCA(max(1, k // 2), random_state=seed),
    "AttractRepel": lambda k, seed: AttractRepel(k - k // 2, k // 2, random_state=seed),
    **{name + LIKE_PAPER: _with(SAME, name) for name in TOLD},
}
CHOOSING = tuple(name + OWN for name in PENALIZED)
"""Models that choose their settings before the fit."""


def fitted(method: str, graph: Graph, k: int, seed: int, held_out: RandomPairs | None = None) -> LinkModel:
    """A model fitted to all pairs but those held out, after it chose its settings if it is one that does.

    >>> from philia.datasets import classic
    >>> fitted("BigClam, own settings", classic("karate"), 2, seed=0).n_communities
    2
    """
    if method in MODELS:
        model = MODELS[method](k, seed)
        if method in PENALIZED and graph.n_nodes > MOST_NODES:
            model.set_params(solver="auto")
        return model.fit(graph, held_out=held_out)
    family, shape = PENALIZED[method.removesuffix(OWN)], _shape(k, seed)
    chosen = best_settings(family, graph, shape, lambda found: found.average_precision, held_out)
    return family(chosen.settings)(shape).fit(graph, held_out=held_out)


def _shape(k: int, seed: int) -> Shape:
    return Shape(k - k // 2, k // 2, seed, 200)


EFFORT = {**dict.fromkeys(CHOOSING, 3.0), PHILIA: 3.0, "SVD": 0.05, "LogisticPCA": 2.0, "SymNMF": 0.8}
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
