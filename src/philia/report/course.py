"""How the fit went: its settings, its course and its end."""

from __future__ import annotations

from typing import Any

import numpy as np

from philia._types import Float64Array
from philia.models import CommunityModel

POINTS = 1000
"""More points than this a curve on a screen cannot show."""


def course(model: CommunityModel) -> dict[str, Any]:
    """The section of the payload about the fit.

    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> course(model)["settings"][:3]
    [['communities that attract', '1'], ['communities that repel', '0'], ['penalty', '0.1']]
    """
    solution = model.solution_
    return {
        "settings": settings(model),
        "reason": solution.reason,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "loss": curve(solution.history),
        "selection": None if model.selection_ is None else str(model.selection_),
    }


def curve(history: Float64Array, most: int = POINTS) -> list[list[float]]:
    """The loss after iterations, as pairs; of a long history evenly spaced ones, the first and the last among them.

    >>> curve(np.array([9.0, 5.0, 4.0, 3.5]), most=2)
    [[0, 9.0], [3, 3.5]]
    """
    shown = np.unique(np.linspace(0, len(history) - 1, min(len(history), most)).round().astype(np.int64))
    return [[iteration, float(history[iteration])] for iteration in shown.tolist() if np.isfinite(history[iteration])]


def settings(model: CommunityModel) -> list[list[str]]:
    """What was set, and what was chosen instead of being set, in words."""
    k_B, k_C = model.factors_.counts
    backgrounds = {
        "popularity": "each node has its own popularity",
        "constant": "all pairs have the same",
        "none": "none: even odds",
    }
    return [
        ["communities that attract", _chosen(k_B, model.n_homophilous)],
        ["communities that repel", _chosen(k_C, model.n_heterophilous)],
        ["penalty", _chosen(f"{model.penalty_:.3g}", model.penalty)],
        ["before any community", backgrounds[model.background]],
        ["start", _plain(model.start)],
        ["solver", _plain(model.solver)],
        ["seed", _plain(model.random_state)],
        ["hidden pairs", "none" if model.held_out_ is None else str(model.held_out_)],
    ]


def _chosen(value: object, asked: object) -> str:
    return f"{value} (chosen by hidden pairs)" if asked == "auto" else str(value)


def _plain(value: object) -> str:
    return str(value) if value is None or isinstance(value, (str, int, float)) else type(value).__name__
