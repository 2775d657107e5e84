"""How well the model tells links from other pairs: on held-out pairs if there are any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from philia._text import counted
from philia._types import Float64Array
from philia.models import CommunityModel
from philia.objective.likelihood import sample_pairs
from philia.pairs.calibration import calibrate
from philia.pairs.sample import weighted_order

_PAIRS = 2**20
"""With fewer pairs, all are judged; with more, all links and about this many others, drawn more often if likely.

A million are drawn, scored and sorted in a few seconds.
"""

_LOOK = 2**16
"""Pairs drawn to see whether the model expects many times the actual links."""

_MANY = 2.0
"""A model may expect up to this many times the actual links before fewer pairs are drawn for it."""

_DRAWN = 4.0
"""Up to this many times the pairs asked for are drawn to find held-out ones."""


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """The scores of all links and of a sample of other pairs, each with its probability of being sampled.

    Each sampled pair is weighted by the inverse of that probability (Horvitz and Thompson), so sums are over all pairs.

    >>> judged = JudgedPairs(np.array([0.0]), np.array([0.0]), np.array([2.0]), held_out=False)
    >>> judged.pairs, judged.mean_log_likelihood
    (3.0, -0.69...)
    """

    links: Float64Array
    others: Float64Array
    weights: Float64Array
    held_out: bool

    @classmethod
    def of(cls, model: CommunityModel, pairs: int = _PAIRS) -> JudgedPairs:
        """The pairs held out of a fit or, if there are none, the pairs it was fitted to."""
        graph, factors, held_out = model.graph_, model.factors_, model.held_out_
        rng = np.random.default_rng(0)
        if held_out is None or held_out.expected(graph.n_nodes) > pairs:
            pairs = _affordable(model, pairs, rng)
        sample = sample_pairs(graph, rng, pairs, held_out)
        scores, linked = factors.scores(sample.rows, sample.columns), sample.linked
        return cls(scores[linked], scores[~linked], sample.weights[~linked], held_out is not None)

    @property
    def pairs(self) -> float:
        """The number of pairs that the sample represents."""
        return len(self.links) + float(np.sum(self.weights))

    def rounded(self, count: float) -> int:
        """A number of pairs to three digits, unless every pair was judged."""
        return round(count) if self.exact else int(float(f"{count:.3g}"))

    @property
    def exact(self) -> bool:
        """Whether every pair was judged."""
        return bool((self.weights == 1).all())

    @property
    def mean_log_likelihood(self) -> float:
        """The mean log-likelihood per pair."""
        links, others = -np.logaddexp(0, -self.links), -np.logaddexp(0, self.others)
        return float((links.sum() + np.sum(others * self.weights)) / self.pairs)

    @property
    def log_likelihood_error(self) -> float:
        """The standard error of the mean log-likelihood: 0 if every pair was judged."""
        others = -np.logaddexp(0, self.others)
        return float(np.sqrt(np.sum(others**2 * self.weights * (self.weights - 1))) / self.pairs)

    @property
    def density_alone(self) -> float:
        """The mean log-likelihood per pair if all pairs had the same probability, the share of links."""
        share = len(self.links) / self.pairs
        return float(xlogy(share, share) + xlogy(1 - share, 1 - share))

    @property
    def explained(self) -> float:
        """The share of the uncertainty left by the density alone that the model removes: 1 is all of it."""
        return 1 - self.mean_log_likelihood / self.density_alone


def _affordable(model: CommunityModel, pairs: int, rng: np.random.Generator) -> int:
    """How many pairs to ask for, so that about ``pairs`` are drawn.

    Likely pairs are drawn more often, on the assumption that the model expects about as many links as there are. A fit
    that was stopped early may expect thousands of times as many, and as many pairs would be drawn. If few pairs are
    held out, many are drawn for each one kept.
    """
    n, factors = model.graph_.n_nodes, model.factors_
    if n * (n - 1) <= pairs:  # all are used
        return pairs
    rows = rng.integers(n, size=_LOOK)
    others = (rows + rng.integers(1, n, size=_LOOK)) % n
    expected = float(expit(factors.scores(rows, others)).mean()) * n * (n - 1) / 2
    kept = 1.0 if model.held_out_ is None else model.held_out_.random_share
    return max(1, int(pairs * min(1.0, _MANY * model.graph_.n_links / max(expected, 1.0)) * min(1.0, _DRAWN * kept)))


def hidden_pairs(model: CommunityModel) -> dict[str, Any] | None:
    """What the pairs say that the choice of the numbers of communities hid from itself; None if it hid none.

    The choice is the likeliest of what was tried, within one standard error, so its own likelihood is hardly too good.

    >>> from philia.datasets import classic
    >>> section = hidden_pairs(CommunityModel(random_state=0).fit(classic("karate")))
    >>> 0 < section["explained"] < 1, section["words"][:30]
    (True, 'To choose the numbers of commu')
    """
    chosen = model.selection_
    if chosen is None or chosen.storage == "sparse" or not chosen.steps or not chosen.density:
        return None
    likelihood, (fewest, most) = chosen.choice.log_likelihood, chosen.attracting
    numbers = {(step.n_homophilous, step.n_heterophilous) for step in chosen.steps}
    what = "the numbers of communities" if len(numbers) > 1 else "the penalty"
    often = "" if chosen.folds == 1 else f" at a time, {chosen.folds} times"
    return {
        "log_likelihood": likelihood,
        "error": chosen.choice.error,
        "density": chosen.density,
        "explained": 1 - likelihood / chosen.density,
        "range": [fewest, most] if len({attracting for attracting, _ in numbers}) > 1 else None,
        "words": f"To choose {what}, philia hid {100 * chosen.share:.3g} % of all pairs from the "
        f"model{often}, with {counted(chosen.links, 'link')} among them, and compared its predictions with the truth. "
        "The model had not seen these pairs, so this is an honest test.",
    }


def quality(judged: JudgedPairs) -> dict[str, Any] | None:
    """The section of the payload; None unless there are both links and other pairs.

    >>> found = quality(JudgedPairs(np.array([2.0]), np.array([-1.0]), np.array([1.0]), held_out=True))
    >>> found["auc"], found["auc_interval"], found["held_out"]
    (1.0, None, True)
    """
    auc, precision = weighted_order(judged.links, judged.others, judged.weights)
    if auc is None or precision is None:
        return None
    return {
        "held_out": judged.held_out,
        "pairs": judged.rounded(judged.pairs),
        "links": len(judged.links),
        "auc": auc.value,
        "auc_interval": None if auc.exact else [auc.lower, auc.upper],
        "average_precision": precision.value,
        "average_precision_interval": None if precision.exact else [precision.lower, precision.upper],
        "mean_log_likelihood": judged.mean_log_likelihood,
        "log_likelihood_error": None if judged.exact else judged.log_likelihood_error,
        "density_alone": judged.density_alone,
        "calibration": _calibration(judged),
        "words": _words(judged, auc.value),
    }


def _calibration(judged: JudgedPairs) -> dict[str, list[float]]:
    """Predicted and observed rates of links per bin, with an interval for each observed rate.

    >>> sure = JudgedPairs(np.array([0.0]), np.array([0.0]), np.array([1.0]), held_out=False)
    >>> _calibration(sure)["predicted"], _calibration(sure)["observed"], _calibration(sure)["pairs"]
    ([0.5], [0.5], [2])
    """
    found = calibrate(
        np.repeat([True, False], [len(judged.links), len(judged.others)]),
        expit(np.concatenate([judged.links, judged.others])),
        weights=np.concatenate([np.ones(len(judged.links)), judged.weights]),
    )
    low, high = found.intervals
    return {
        "predicted": found.predicted.tolist(),
        "observed": found.observed.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "pairs": found.counts.tolist(),
    }


def _words(judged: JudgedPairs, auc: float) -> str:
    links, others = counted(len(judged.links), "link"), judged.rounded(judged.pairs - len(judged.links))
    said = (
        f"Measured on pairs held out of the fit: {links} and {others:,} other pairs."
        if judged.held_out
        else "No pairs were held out of the final fit, so these numbers show how closely the model follows its data; "
        "they are not a test. For one, fit again with --held-out 0.1 (held_out=0.1 in Python)."
    )
    said += (
        f" Given a random linked pair and a random unlinked one, the model gives the linked pair the higher "
        f"probability in {100 * auc:.1f} % of cases; guessing gets 50 %."
    )
    if not judged.exact:
        said += f" All links are used, and a sample of {len(judged.others):,} pairs represents the rest."
    return said
