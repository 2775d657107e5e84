"""How well links are predicted: by the order of pairs, by yes or no, and by probabilities.

**Large graphs.** A million nodes have half a trillion pairs, nearly all of them without a link. In a uniform sample of
a million pairs, none would rank near the links, where the precision is decided. So pairs are sampled with a probability
that grows with the score, and weighted by its inverse (Horvitz and Thompson): sums over the sample are unbiased
estimates of the sums over all pairs, with a variance that the same sample estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from philia._types import BoolArray, Float64Array, Int64Array
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph
from philia.objective import mean_log_likelihood
from philia.objective.likelihood import PAIRS, estimated_log_likelihood, sample_pairs
from philia.pairs.calibration import Calibration, calibrate
from philia.pairs.sample import Estimate, PairSample, weighted_order

if TYPE_CHECKING:
    from philia.models import LinkModel

_HITS = (10, 100, 1000)
"""How many of the highest-scoring pairs the share of links is reported for: a screen, a page, a list."""

_CHUNK = 2**20
"""Pairs scored at once; with 50 columns the factors of both nodes take 0.8 GB."""

_CLIP = 1e-12
"""Probabilities are kept this far from 0 and 1, so that one impossible event does not make the loss infinite."""

_MOST = 2**31
"""The most pairs that are listed: their row numbers, scores and probabilities would take 64 GB."""


@dataclass(frozen=True, eq=False)
class _Ranking:
    """For each distinct score, highest first: how many pairs reach it and how many links are among them.

    Pairs with the same score have no order, so they are taken together.

    >>> order = _Ranking.of(np.array([True, False, True, False]), np.array([3.0, 2.0, 2.0, 1.0]))
    >>> order.scores.tolist(), order.reached.tolist(), order.links.tolist()
    ([3.0, 2.0, 1.0], [1, 3, 4], [1, 2, 2])
    """

    scores: Float64Array
    reached: Int64Array
    links: Int64Array

    @classmethod
    def of(cls, linked: BoolArray, scores: Float64Array) -> _Ranking:
        """The ranking of pairs that are linked or not by their scores."""
        order = np.argsort(scores)[::-1]
        falling = scores[order]
        last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)) if len(falling) else np.empty(0, np.int64)
        return cls(falling[last], last + 1, np.cumsum(linked[order], dtype=np.int64)[last])

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return int(self.reached[-1]) if len(self.reached) else 0

    @property
    def n_links(self) -> int:
        """The number of linked pairs."""
        return int(self.links[-1]) if len(self.links) else 0

    @property
    def auc(self) -> float | None:
        """How often a link has a higher score than a pair without one, a tie counting half; None without either."""
        absent = self.n_pairs - self.n_links
        if not self.n_links or not absent:
            return None
        links = np.diff(self.links, prepend=0)
        below = absent - (self.reached - self.links)
        same = np.diff(self.reached, prepend=0) - links
        return float(np.sum(links * (below + same / 2)) / (self.n_links * absent))

    @property
    def average_precision(self) -> float | None:
        """The precision at each score, averaged over the links that have it; None without links."""
        if not self.n_links:
            return None
        return float(np.sum(np.diff(self.links, prepend=0) * (self.links / self.reached)) / self.n_links)

    @property
    def best_f1(self) -> tuple[float, float] | tuple[None, None]:
        """The best F1 that a threshold gives, and that threshold, the highest of several; None without links."""
        if not self.n_links:
            return None, None
        f1 = 2 * self.links / (self.reached + self.n_links)
        best = int(np.argmax(f1))
        return float(f1[best]), float(self.scores[best])

    def precision_at(self, count: int) -> float | None:
        """The expected share of links among the first ``count`` pairs, ties in random order; None if there are fewer.

        >>> _Ranking.of(np.array([True, False, True]), np.array([2.0, 1.0, 1.0])).precision_at(2)
        0.75
        """
        if not 0 < count <= self.n_pairs:
            return None
        tie = int(np.searchsorted(self.reached, count))
        reached, links = (int(each[tie - 1]) if tie else 0 for each in (self.reached, self.links))
        share = (int(self.links[tie]) - links) / (int(self.reached[tie]) - reached)
        return (links + (count - reached) * share) / count


@dataclass(frozen=True, eq=False)
class LinkScores:
    """How well links are told from other pairs; a measure that is undefined for the pairs at hand is None.

    By the order of the scores alone: ``auc`` is how often a link ranks above a pair without one, ``average_precision``
    the precision averaged over the links, ``hits`` the share of links among that many highest-scoring pairs,
    ``f1_matched`` the F1 of predicting as many links as there are, and ``f1_best`` that of the best threshold,
    ``best_threshold``, which is only known afterwards. Pairs with equal scores count half in ``auc`` and are on the
    same side of any threshold; ``hits`` and ``f1_matched`` are expected values over all orders of such pairs.

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
    hits: Sequence[int] = _HITS,
) -> LinkScores:
    """How well scores, and probabilities if there are any, tell linked pairs from others; one entry per pair.

    >>> link_scores([True, False, False], [2.0, 1.0, 1.0], hits=[1, 2]).hits
    {1: 1.0, 2: 0.5}
    """
    is_linked, score = _checked(linked, scores)
    ranking = _Ranking.of(is_linked, score)
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
            f"the links have the shape {is_linked.shape} and the scores {score.shape}; give one entry per pair in each"
        )
    if np.isnan(score).any():
        raise InvalidParameterError(f"{np.isnan(score).sum():,} scores are not numbers; give every pair a score")
    if is_linked.dtype != bool and not np.isin(is_linked, (0, 1)).all():
        raise InvalidParameterError("some entries of linked are neither 0 nor 1; give True or False for each pair")
    return is_linked.astype(bool), score


def _of_probabilities(linked: BoolArray, probabilities: npt.ArrayLike | None) -> dict[str, Any]:
    if probabilities is None or not len(linked):
        return dict.fromkeys(("f1", "brier", "log_loss", "calibration"))
    linked, p = _checked(linked, probabilities)
    if p.min() < 0 or p.max() > 1:
        raise InvalidParameterError(
            f"the probabilities go from {p.min():g} to {p.max():g}; clip them to [0, 1], or pass them as scores"
        )
    predicted = p >= 0.5
    clipped = np.clip(p, _CLIP, 1 - _CLIP)
    return {
        "f1": float(2 * np.sum(predicted & linked) / (np.sum(predicted) + np.sum(linked))) if linked.any() else None,
        "brier": float(np.mean((p - linked) ** 2)),
        "log_loss": -float(np.mean(np.where(linked, np.log(clipped), np.log1p(-clipped)))),
        "calibration": calibrate(linked, p),
    }


def evaluate_links(
    model: LinkModel, *, sample: int | None = None, random_state: Any = 0, hits: Sequence[int] = _HITS
) -> LinkScores:
    """How well a fitted model predicts the pairs that were held out of its fit.

    ``sample`` is the largest number of pairs, drawn at random; by default all are used. Expected entries of A are
    clipped to [0, 1] to be read as probabilities. In large sparse graphs few of the drawn pairs are links;
    ``estimated_link_scores`` uses all held-out links.

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
            "no pairs were held out of the fit, so there is nothing to evaluate on; fit again with held_out=0.1"
        )
    if sample is not None and sample < 1:
        raise InvalidParameterError(f"a sample of {sample} pairs was asked for; ask for at least 1")
    hidden = int(held_out.expected(model.graph_.n_nodes))
    if sample is None and hidden > _MOST:
        raise InvalidParameterError(
            f"about {hidden:,} pairs were held out, too many to score each; use estimated_link_scores(model), or give "
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


@dataclass(frozen=True)
class EstimatedLinkScores:
    """How well scores tell held-out links from other held-out pairs, with intervals; None without pairs.

    ``links`` counts the held-out links, all of which are used, ``non_links`` the other held-out pairs in the sample.
    ``log_likelihood`` is the mean per held-out pair.

    >>> print(EstimatedLinkScores(20, 1000, Estimate(0.9, 0.88, 0.92), Estimate(0.5, 0.45, 0.55), Estimate.of_all(-2)))
    20 links, 1,000 other pairs · AUC 0.9 (95 %: 0.88 to 0.92) · average precision 0.5 (95 %: 0.45 to 0.55)
    """

    links: int
    non_links: int
    auc: Estimate | None
    average_precision: Estimate | None
    log_likelihood: Estimate | None

    def __str__(self) -> str:
        shown = f"AUC {self.auc or '-'} · average precision {self.average_precision or '-'}"
        return f"{self.links:,} links, {self.non_links:,} other pairs · {shown}"


def estimated_likelihood(
    model: LinkModel, graph: Graph | None = None, *, pairs: int = PAIRS, random_state: Any = 0
) -> Estimate:
    """The mean log-likelihood per pair, as ``model.score`` gives it, with a confidence interval.

    ``graph`` has the nodes of the fitted graph, which is the default. All of its links count, and about ``pairs`` of
    the other pairs are drawn. If there are no more, the value is exact.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(100, cities=2, random_state=0)
    >>> model = CommunityModel(2, 2, penalty=1, random_state=0).fit(app.graph)
    >>> estimated_likelihood(model).exact, estimated_likelihood(model, pairs=500).exact
    (True, False)
    """
    _check(pairs)
    graph = model.graph_ if graph is None else graph
    if graph.n_nodes * (graph.n_nodes - 1) // 2 <= pairs:
        return Estimate.of_all(mean_log_likelihood(graph, model.factors_.score_block, model.loss))
    return estimated_log_likelihood(graph, model.factors_, model.loss, np.random.default_rng(random_state), pairs)


def estimated_link_scores(model: LinkModel, *, pairs: int = PAIRS, random_state: Any = 0) -> EstimatedLinkScores:
    """AUC, average precision and log-likelihood of a fitted model over all pairs held out of its fit, with intervals.

    All held-out links are used, and about ``pairs`` of the other held-out pairs are drawn. The intervals are for the
    values over all held-out pairs. If these are listed, or no more than ``pairs``, the values are exact.

    >>> from philia import CommunityModel
    >>> from philia.datasets import dating_app
    >>> app = dating_app(200, cities=2, random_state=0)
    >>> model = CommunityModel(2, 2, penalty=1, random_state=0).fit(app.graph, held_out=0.2)
    >>> found = estimated_link_scores(model, pairs=500)
    >>> found.auc.lower < found.auc.value < found.auc.upper, estimated_link_scores(model).auc.exact
    (True, True)
    """
    _check(pairs)
    held_out, graph, factors = model.held_out_, model.graph_, model.factors_
    if held_out is None:
        raise InvalidParameterError(
            "no pairs were held out of the fit, so there is nothing to judge it by; fit again with held_out=0.1"
        )
    if held_out.expected(graph.n_nodes) <= pairs:
        sample = PairSample.every(graph, held_out)
        scores = factors.scores(sample.rows, sample.columns)
        exact = link_scores(sample.linked, scores, hits=())
        auc, precision = (
            None if value is None else Estimate.of_all(value) for value in (exact.auc, exact.average_precision)
        )
    else:
        sample = sample_pairs(graph, np.random.default_rng(random_state), pairs, held_out)
        scores, linked = factors.scores(sample.rows, sample.columns), sample.linked
        auc, precision = weighted_order(scores[linked], scores[~linked], sample.weights[~linked])
    each = model.loss.log_likelihood(scores, sample.linked)
    likelihood = Estimate.of_mean(each, sample.weights) if len(scores) else None
    return EstimatedLinkScores(sample.n_links, len(scores) - sample.n_links, auc, precision, likelihood)


def _check(pairs: int) -> None:
    if pairs < 1:
        raise InvalidParameterError(f"{pairs} pairs were asked for; ask for at least 1")
