"""What the experiments share: the networks, which of them were used for choices, and a guess of what a task costs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy import sparse

from experiments.data import dataset
from experiments.experiment import Experiment, Scope, Task
from philia.datasets import entry
from philia.graphs import Graph, Nodes
from philia.graphs.degeneracy import core_numbers

CORE = "slashdot 25-core"
"""What is left of slashdot when nodes with fewer than 25 links are taken away, again and again: 5,417 nodes."""

REPORTED = ("amazon", "youtube", "ppi", "pos", "blog", CORE, "slashdot")
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


def network(name: str) -> Graph:
    """The graph that goes by a name."""
    if name != CORE:
        return dataset(name).graph
    whole = dataset("slashdot").graph
    kept = np.flatnonzero(core_numbers(whole) >= 25)
    links = sparse.triu(whole.adjacency[kept][:, kept], k=1, format="coo")
    return Graph.from_rows(links.row, links.col, Nodes(whole.nodes.pick(kept)))


def labels(name: str) -> int:
    """How many labels there are; none in a part of a network.

    >>> labels("football"), labels(CORE)
    (12, 0)
    """
    return 0 if name == CORE else entry(name).n_labels or 0


def columns(name: str) -> int:
    """How many communities the methods get that must be told: the number of labels.

    >>> columns("football"), columns("slashdot")
    (12, 16)
    """
    return labels(name) or WITHOUT_LABELS


def fit_cost(name: str) -> float:
    """About how many seconds 200 steps over all pairs take.

    >>> fit_cost("football") < 1 < fit_cost("blog")
    True
    """
    nodes = 5417 if name == CORE else entry(name).n_nodes
    return 200 * nodes**2 * (columns(name) + 10) * 1e-10
