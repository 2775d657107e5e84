"""New nodes: placed in a model that was fitted without them, beside a fit that saw them and beside formulas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.quality.claims import beats_all_but_one, never_below
from benchmarks.quality.experiment import REPORTED, TUNING, Measured, columns, fit_cost, network
from benchmarks.quality.links import CONSTANT, FORMULAS
from benchmarks.quality.methods import EFFORT, PHILIA, about, paper, philia
from benchmarks.quality.tables import best_in_bold, failures, picked, times
from benchmarks.quality.weighted import mean_log_likelihood, order_measures
from experiments.experiment import Claim, Result, Scope, Table, Task, verdict
from philia import CommunityModel
from philia._types import BoolArray, Float64Array, Int64Array
from philia.graphs import Graph, Nodes
from philia.pairs import ListedPairs, seen

SHARE, MOST = 0.05, 200
"""How many nodes are new: this share of them, and not more than this number."""

HIDDEN = 0.5
"""The share of a new node's pairs that is held out and evaluated."""

AGAIN = f"{PHILIA}, fitted again"
PLACED = {PHILIA: philia, "paper": paper}


@dataclass(frozen=True, eq=False)
class Newcomers:
    """A graph, the rows of its new and of its old nodes, and which of their pairs are held out (new × old)."""

    graph: Graph
    new: Int64Array
    old: Int64Array
    hidden: BoolArray

    @classmethod
    def drawn(cls, graph: Graph, seed: int) -> Newcomers:
        """Random new nodes and held-out pairs.

        >>> from philia.datasets import dating_app
        >>> Newcomers.drawn(dating_app(100, random_state=0).graph, seed=0).hidden.shape
        (5, 95)
        """
        rng, n = np.random.default_rng(seed), graph.n_nodes
        new = np.sort(rng.choice(n, min(MOST, int(np.ceil(SHARE * n))), replace=False))
        old = np.setdiff1d(np.arange(n), new)
        return cls(graph, new, old, rng.random((len(new), len(old))) < HIDDEN)

    @cached_property
    def judged(self) -> tuple[Int64Array, Int64Array]:
        """The held-out pairs, as rows of the graph."""
        i, j = np.nonzero(self.hidden)
        return self.new[i], self.old[j]

    @cached_property
    def unseen(self) -> ListedPairs:
        """The held-out pairs and the pairs of two new nodes, which no method may use."""
        i, j = np.triu_indices(len(self.new), k=1)
        rows, others = self.judged
        return ListedPairs.of_rows(
            self.graph, np.concatenate([rows, self.new[i]]), np.concatenate([others, self.new[j]])
        )

    def without_new(self) -> Graph:
        """The graph of the old nodes."""
        place = np.full(self.graph.n_nodes, -1)
        place[self.old] = np.arange(len(self.old))
        rows, others = (place[side] for side in self.graph.links)
        kept = (rows >= 0) & (others >= 0)
        return Graph.from_rows(rows[kept], others[kept], Nodes(list(self.graph.nodes.pick(self.old))))

    def told(self) -> tuple[dict[Any, list[Any]], dict[Any, list[Any]]]:
        """Of each new node the neighbours that are seen, and the nodes of which nothing is known."""
        linked = self.graph.adjacency[self.new][:, self.old].toarray().astype(bool)
        names = self.graph.nodes.pick(self.new)
        neighbours, unknown = (
            {name: list(self.graph.nodes.pick(self.old[row])) for name, row in zip(names, which, strict=True)}
            for which in (linked & ~self.hidden, self.hidden)
        )
        return neighbours, unknown

    def density(self) -> float:
        """The density of the pairs that are seen."""
        n, n_new = self.graph.n_nodes, len(self.new)
        pairs = n * (n - 1) / 2 - self.hidden.sum() - n_new * (n_new - 1) / 2
        return float(seen(self.graph, self.unseen).n_links / pairs)


class NewNodes(Measured):
    """Hidden pairs of nodes that the fit did not know."""

    name = "place"
    title = "New nodes"
    about = (
        f"A twentieth of the nodes, at most {MOST}, is removed from the network. `philia` and `paper` are fitted to "
        "the rest; then each new node is placed with `place` (fold-in), given half of its pairs with the others, and "
        f"the other half is predicted. `{AGAIN}` is fitted to the whole network without those pairs and shows what "
        "fold-in costs; it is never in bold. The formulas know the same links. No method knows the links between two "
        "new nodes."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every method on every network with every seed; each seed takes out other nodes."""
        settings = {"share": SHARE, "most": MOST, "hidden": HIDDEN}
        for name in scope.datasets:
            if name == "slashdot":  # a fit of all its pairs takes an hour or more
                continue
            for method in (*PLACED, AGAIN, *FORMULAS, CONSTANT):
                for seed in scope.seeds:
                    yield Task(self.name, name, method, seed, settings, partial(predict_new, name, method, seed))

    def cost(self, task: Task) -> float:
        """As for the prediction of links."""
        shares = {PHILIA: EFFORT[PHILIA], AGAIN: EFFORT[PHILIA], "paper": 1.0}
        return shares.get(task.method, 0.02) * fit_cost(task.dataset)

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """Every measure on either group of networks."""
        measures = {
            "average_precision": "Average precision",
            "log_likelihood": "Mean log-likelihood",
            "auc": "Area under the ROC curve",
        }
        tables = []
        for key, title in measures.items():
            found, digits = picked(results, key), 5 if key == "log_likelihood" else 3
            for names, kind in ((REPORTED, "reported"), (TUNING, "tuning")):
                if any(name in found for name in names):
                    words = f"{title} of a new node's held-out pairs: {kind} networks"
                    tables.append(best_in_bold(words, found, names, digits=digits, beside=(AGAIN,)))
        broken = failures(results)
        return [*tables, times(results, (*TUNING, *REPORTED)), *([broken] if broken else [])]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """None: the tables say it."""
        return {}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Placed nodes beside formulas and the density."""
        precision, where = picked(results, "average_precision"), "new nodes, reported"
        return [
            beats_all_but_one(precision, list(FORMULAS), REPORTED, where, "average precision"),
            never_below(picked(results, "log_likelihood"), CONSTANT, REPORTED, where, "log-likelihood"),
            _as_good_as_a_refit(results),
        ]


def _as_good_as_a_refit(results: Sequence[Result]) -> Claim:
    """Whether the held-out links of a placed node are predicted as well as after a fit with all nodes."""
    found = picked(results, "auc")
    both = {name: by for name, by in found.items() if name in REPORTED and {PHILIA, AGAIN} <= by.keys()}
    lost = {name: float(np.mean(by[AGAIN]) - np.mean(by[PHILIA])) for name, by in both.items()}
    said = ", ".join(f"{name} {-value:+.3f}" for name, value in lost.items())
    return Claim(
        "new nodes, reported",
        "The area under the ROC curve of placed nodes is at most 0.02 below that of a fit that saw them.",
        "mean over seeds, placed less refitted",
        said or "nothing yet",
        verdict(max(lost.values()) <= 0.02 if lost else None),
    )


def predict_new(name: str, method: str, seed: int) -> dict[str, Any]:
    """The measures of one method on the held-out pairs of the nodes that a seed removes."""
    graph = network(name)
    newcomers = Newcomers.drawn(graph, seed)
    rows, others = newcomers.judged
    probabilities: Float64Array | None = None
    said: dict[str, Any] = {}
    if method in FORMULAS:
        scores = FORMULAS[method](seen(graph, newcomers.unseen), rows, others)
    elif method == CONSTANT:
        scores = probabilities = np.full(len(rows), newcomers.density())
    else:
        scores, probabilities, said = _by_model(newcomers, method, columns(name), seed)
    linked, weights = graph.linked(rows, others), np.ones(len(rows))
    likelihood = None if probabilities is None else mean_log_likelihood(linked, probabilities, weights, 1e-12)
    found = {**order_measures(linked, scores, weights), "log_likelihood": likelihood}
    return {**found, "links": int(linked.sum()), "pairs": len(rows), "new": len(newcomers.new), **said}


def _by_model(
    newcomers: Newcomers, method: str, k: int, seed: int
) -> tuple[Float64Array, Float64Array, dict[str, Any]]:
    rows, others = newcomers.judged
    names = newcomers.graph.nodes
    if method == AGAIN:
        model = philia(k, seed).fit(newcomers.graph, held_out=newcomers.unseen)
        scores = model.factors_.scores(rows, others)
        return scores, np.asarray(model.loss.probability(scores)), about(model)
    model = PLACED[method](k, seed).fit(newcomers.without_new())
    assert isinstance(model, CommunityModel)
    placed = model.place(*newcomers.told())
    scores = placed.decision_function(zip(names.pick(rows), names.pick(others), strict=True))
    return scores, np.asarray(model.loss.probability(scores)), {**about(model), "residual": placed.kkt}
