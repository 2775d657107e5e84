"""The likelihood of a large graph and the ranking of its held-out pairs, from all links and a sample of other pairs.

A million nodes have half a trillion pairs, nearly all of them without a link. In a uniform sample of a million pairs,
none would rank near the links, where the precision is decided. So pairs are sampled with a probability that grows with
the score, and weighted by its inverse (Horvitz and Thompson): sums over the sample are unbiased estimates of the sums
over all pairs, with a variance that the same sample estimates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from philia._types import Float64Array
from philia.evaluate.link_prediction import link_scores
from philia.exceptions import InvalidParameterError
from philia.factors import LowRankFactors
from philia.graphs import Graph
from philia.objective import mean_log_likelihood
from philia.objective.likelihood import PAIRS, estimated_log_likelihood, sample_pairs
from philia.pairs.sample import Estimate

if TYPE_CHECKING:
    from philia.models import LinkModel


@dataclass(frozen=True)
class EstimatedLinkScores:
    """How well the order of scores tells held-out links from other held-out pairs, with intervals; None without pairs.

    ``links`` counts the held-out links, all of which are used, ``non_links`` the other held-out pairs in the sample.

    >>> print(EstimatedLinkScores(20, 1000, Estimate(0.9, 0.88, 0.92), Estimate(0.5, 0.45, 0.55)))
    20 links, 1,000 other pairs · AUC 0.9 (95 %: 0.88 to 0.92) · average precision 0.5 (95 %: 0.45 to 0.55)
    """

    links: int
    non_links: int
    auc: Estimate | None
    average_precision: Estimate | None

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
    if graph.n_nodes * (graph.n_nodes - 1) // 2 <= pairs or not isinstance(model.factors_, LowRankFactors):
        return Estimate.of_all(mean_log_likelihood(graph, model.factors_.score_block, model.loss))
    return estimated_log_likelihood(graph, model.factors_, model.loss, np.random.default_rng(random_state), pairs)


def estimated_link_scores(model: LinkModel, *, pairs: int = PAIRS, random_state: Any = 0) -> EstimatedLinkScores:
    """AUC and average precision of a fitted model over all pairs that were held out of its fit, with intervals.

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
    hidden = held_out.expected(graph.n_nodes)
    if hidden <= pairs or not isinstance(factors, LowRankFactors):
        rows, columns = held_out.pairs(graph.n_nodes)
        exact = link_scores(graph.linked(rows, columns), factors.scores(rows, columns), hits=())
        values = (None if value is None else Estimate.of_all(value) for value in (exact.auc, exact.average_precision))
        return EstimatedLinkScores(exact.links, exact.pairs - exact.links, *values)
    rng = np.random.default_rng(random_state)
    sample = sample_pairs(graph, factors, model.loss, rng, pairs, held_out)
    scores, linked = factors.scores(sample.rows, sample.columns), sample.linked
    auc, precision = weighted_order(scores[linked], scores[~linked], sample.weights[~linked])
    return EstimatedLinkScores(sample.n_links, len(scores) - sample.n_links, auc, precision)


def weighted_order(
    links: Float64Array, others: Float64Array, weights: Float64Array
) -> tuple[Estimate | None, Estimate | None]:
    """AUC and average precision from the scores of all links and of sampled other pairs with these weights.

    Both are smooth in the sums over the drawn pairs, so their variances follow from their slopes.

    >>> auc, precision = weighted_order(np.array([2.0, 0.0]), np.array([1.0]), np.array([4.0]))
    >>> auc.value, precision.value  # the other counts as four: links have precisions of 1 and of 2 in 6
    (0.5, 0.666...)
    """
    if not len(links) or not len(others):
        return None, None
    spread = weights**2 - weights  # the variance of a weight: 1/p with probability p, otherwise 0
    falling, place = np.unique(-np.concatenate([links, others]), return_inverse=True)
    at_links, at_others = place[: len(links)], place[len(links) :]
    linked = np.bincount(at_links, minlength=len(falling))
    above, before = np.cumsum(linked), np.cumsum(np.bincount(at_others, weights, minlength=len(falling)))
    beaten = ((above - linked / 2) / len(links))[at_others]
    auc = float(np.sum(weights * beaten) / np.sum(weights))
    auc_variance = float(np.sum(spread * (beaten - auc) ** 2) / np.sum(weights) ** 2)
    precision = above / np.where(above > 0, above + before, 1)
    slopes = np.cumsum((linked * precision / np.maximum(above + before, 1))[::-1])[::-1] / len(links)
    value, variance = float(np.sum(linked * precision) / len(links)), float(np.sum(spread * slopes[at_others] ** 2))
    return Estimate.from_variance(auc, auc_variance), Estimate.from_variance(value, variance)


def _check(pairs: int) -> None:
    if pairs < 1:
        raise InvalidParameterError(f"{pairs} pairs were asked for; ask for at least 1")
