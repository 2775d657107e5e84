"""How well hidden links are predicted: the order of pairs, the yes or no, and the probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from philia._types import BoolArray, Float64Array
from philia.evaluate.ranking import Ranking
from philia.exceptions import InvalidParameterError
from philia.pairs.calibration import Calibration, calibrate

if TYPE_CHECKING:
    from philia.models import LinkModel

HITS = (10, 100, 1000)

_CHUNK = 2**20
_CLIP = 1e-12
_MOST = 2**31


@dataclass(frozen=True, eq=False)
class LinkScores:
    """How well links are told from other pairs; what makes no sense for the pairs at hand is None.

    By the order of the scores alone: ``auc`` is how often a link stands above a pair without one, ``average_precision``
    the precision averaged over the links, ``hits`` the share of links among so many first pairs, ``f1_matched`` the F1
    of predicting as many links as there are, and ``f1_best`` that of the best threshold, ``best_threshold``, which
    nobody could have known. Pairs with equal scores count half in ``auc`` and stand or fall together at a threshold;
    ``hits`` and ``f1_matched`` are expected values over all orders of such pairs.

    By the probabilities: ``f1`` is the F1 of predicting a link where the probability is at least ½, ``brier`` the mean
    squared error, ``log_loss`` the mean of -log p of what happened with p clipped to 10⁻¹², and ``calibration`` the
    predicted and observed rates.

    >>> print(link_scores([True, False, True, False], [3.0, 2.0, 1.0, 0.0], [0.9, 0.6, 0.4, 0.1]))
    2 links among 4 pairs · AUC 0.750 · average precision 0.833 · F1 0.500 (best 0.800, matched 0.500)
    """

    pairs: int
    links: int
    auc: float | None
    average_precision: float | None
    f1: float | None
    f1_best: float | None
    best_threshold: float | None
    f1_matched: float | None
    hits: Mapping[int, float | None]
    brier: float | None
    log_loss: float | None
    calibration: Calibration | None

    def __str__(self) -> str:
        said = [f"{self.links:,} links among {self.pairs:,} pairs"]
        said += [f"AUC {_shown(self.auc)}", f"average precision {_shown(self.average_precision)}"]
        said += [f"F1 {_shown(self.f1)} (best {_shown(self.f1_best)}, matched {_shown(self.f1_matched)})"]
        return " · ".join(said)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def link_scores(
    linked: npt.ArrayLike,
    scores: npt.ArrayLike,
    probabilities: npt.ArrayLike | None = None,
    *,
    hits: Sequence[int] = HITS,
) -> LinkScores:
    """How well scores, and probabilities if there are any, tell linked pairs from others; one entry a pair.

    >>> link_scores([True, False, False], [2.0, 1.0, 1.0], hits=[1, 2]).hits
    {1: 1.0, 2: 0.5}
    """
    is_linked, score = _checked(linked, scores)
    ranking = Ranking.of(is_linked, score)
    best, threshold = ranking.best_f1
    return LinkScores(
        pairs=ranking.n_pairs,
        links=ranking.n_links,
        auc=ranking.auc,
        average_precision=ranking.average_precision,
        f1_best=best,
        best_threshold=threshold,
        f1_matched=ranking.precision_at(ranking.n_links),
        hits={int(count): ranking.precision_at(count) for count in hits},
        **_of_probabilities(is_linked, probabilities),
    )


def _checked(linked: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[BoolArray, Float64Array]:
    is_linked, score = np.asarray(linked), np.asarray(scores, dtype=np.float64)
    if is_linked.ndim != 1 or is_linked.shape != score.shape:
        raise InvalidParameterError(
            f"the links have the shape {is_linked.shape} and the scores {score.shape}; give one entry a pair in each"
        )
    if np.isnan(score).any():
        raise InvalidParameterError(f"{np.isnan(score).sum():,} scores are not numbers; give every pair a score")
    if is_linked.dtype != bool and not np.isin(is_linked, (0, 1)).all():
        raise InvalidParameterError("whether a pair is linked is neither 0 nor 1 for some; give True or False a pair")
    return is_linked.astype(bool), score


def _of_probabilities(linked: BoolArray, probabilities: npt.ArrayLike | None) -> dict[str, Any]:
    if probabilities is None or not len(linked):
        return dict.fromkeys(("f1", "brier", "log_loss", "calibration"))
    linked, p = _checked(linked, probabilities)
    if p.min() < 0 or p.max() > 1:
        raise InvalidParameterError(
            f"the probabilities go from {p.min():g} to {p.max():g}; clip them to [0, 1], or pass them as scores"
        )
    told = p >= 0.5
    clipped = np.clip(p, _CLIP, 1 - _CLIP)
    return {
        "f1": float(2 * np.sum(told & linked) / (np.sum(told) + np.sum(linked))) if linked.any() else None,
        "brier": float(np.mean((p - linked) ** 2)),
        "log_loss": -float(np.mean(np.where(linked, np.log(clipped), np.log1p(-clipped)))),
        "calibration": calibrate(linked, p),
    }


def evaluate_links(
    model: LinkModel, *, sample: int | None = None, random_state: Any = 0, hits: Sequence[int] = HITS
) -> LinkScores:
    """How well a fitted model predicts the pairs that were held out of its fit.

    ``sample`` judges at most so many of them, drawn by chance; without it, all. Expected entries of A are clipped to
    [0, 1] to be read as probabilities. In large sparse graphs few of the drawn pairs are links;
    ``estimated_link_scores`` judges by all hidden links.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(100, cities=2, random_state=0)
    >>> model = CommunityModel(2, 2, penalty=1, random_state=0).fit(app.graph, held_out=0.2)
    >>> evaluate_links(model, sample=500).auc > 0.5
    True
    """
    held_out = model.held_out_
    if held_out is None:
        raise InvalidParameterError(
            "no pairs were held out of the fit, so there is nothing to judge it by; fit again with held_out=0.1"
        )
    if sample is not None and sample < 1:
        raise InvalidParameterError(f"a sample of {sample} pairs was asked for; ask for at least 1")
    hidden = int(held_out.expected(model.graph_.n_nodes))
    if sample is None and hidden > _MOST:
        raise InvalidParameterError(
            f"about {hidden:,} pairs were held out, too many to judge each; use estimated_link_scores(model), or give "
            "a sample such as 1,000,000"
        )
    if sample is None:
        rows, columns = held_out.pairs(model.graph_.n_nodes)
    else:
        rows, columns = held_out.sample(model.graph_.n_nodes, sample, np.random.default_rng(random_state))
    scores, probabilities = np.empty(len(rows)), np.empty(len(rows))
    for first in range(0, len(rows), _CHUNK):
        some = slice(first, first + _CHUNK)
        scores[some] = model.factors_.scores(rows[some], columns[some])
        probabilities[some] = np.clip(model.expected(rows[some], columns[some]), 0, 1)
    return link_scores(model.graph_.linked(rows, columns), scores, probabilities, hits=hits)
