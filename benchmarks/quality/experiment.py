"""What the experiments share: the networks, which of them were used for choices, and a guess of what a task costs."""

from __future__ import annotations

from abc import abstractmethod

from philia.datasets import entry
from philia.experiments.task import Experiment, Scope, Task

REPORTED = ("amazon", "youtube", "ppi", "pos", "blog", "slashdot")
"""Networks that no choice was made on; they are reported."""

TUNING = ("football", "chameleon", "email")
"""Networks on which settings were chosen; good figures there prove little."""

WITHOUT_LABELS = 16
"""How many columns the methods get that must be told, where a network has no labels to count."""

ALL = Scope(TUNING + REPORTED, seeds=(0, 1, 2), iterations=200)


class Measured(Experiment):
    """An experiment that can say beforehand which of its tasks are cheap, so that those come first.

    >>> from benchmarks.quality.links import LinkPrediction
    >>> links = LinkPrediction()
    >>> football, blog = (next(t for t in links.tasks(ALL) if t.dataset == name) for name in ("football", "blog"))
    >>> links.cost(football) < links.cost(blog)
    True
    """

    @abstractmethod
    def cost(self, task: Task) -> float:
        """About how many seconds a task takes on two cores; only the order matters."""

    def left_out(self) -> dict[tuple[str, str], str]:
        """Methods that are not run on a network, as (dataset, method), and why."""
        return {}


def columns(dataset: str) -> int:
    """How many communities the methods get that must be told: the number of labels.

    >>> columns("football"), columns("slashdot")
    (12, 16)
    """
    return entry(dataset).n_labels or WITHOUT_LABELS


def fit_cost(dataset: str) -> float:
    """About how many seconds 200 steps over all pairs take.

    >>> fit_cost("football") < 1 < fit_cost("blog")
    True
    """
    return 200 * entry(dataset).n_nodes ** 2 * (columns(dataset) + 10) * 1e-10
