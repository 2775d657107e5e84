"""Prediction of held-out links: models, formulas that need no fit, and the density for every pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.quality.claims import at_least, beats_all_but_one, never_below
from benchmarks.quality.experiment import REPORTED, TUNING, Measured, columns, fit_cost, network
from benchmarks.quality.methods import CHOOSING, EFFORT, MODELS, PHILIA, about, fitted
from benchmarks.quality.tables import DASH, best_in_bold, failures, picked, times
from benchmarks.quality.weighted import EXACT, SAMPLE, judged_pairs, mean_log_likelihood, order_measures
from experiments.experiment import Claim, Result, Scope, Table, Task
from philia._types import Float64Array
from philia.evaluate import PREDICTORS
from philia.pairs import RandomPairs, seen

RATE = 0.1
CONSTANT = "constant"
FORMULAS = {name: PREDICTORS[name] for name in ("Adamic-Adar", "common neighbours", "preferential attachment")}
CLIPS = {"log_likelihood": 1e-12, "log_likelihood_1e-6": 1e-6}
"""How far probabilities are kept from 0 and 1: as in ``evaluate_links``, and milder to models that are sure."""

_TOO_LONG = "a fit of all pairs takes an hour or more"
FITTED = (*MODELS, *CHOOSING)
LEFT_OUT = {
    ("slashdot", method): _TOO_LONG
    for method in FITTED
    if method == "paper" or method.endswith(("penalty 10", "settings"))
}
"""The others search by themselves on sampled pairs where a graph is that large."""


class LinkPrediction(Measured):
    """Hidden pairs, told apart by every method."""

    name = "links"
    title = "Prediction of held-out links"
    about = (
        "A tenth of all pairs of nodes, links and non-links alike, is held out; each seed holds out different pairs, "
        "the same for all methods. `philia` is `CommunityModel(random_state=seed)` without further settings. All "
        "others get k columns, where k is the number of labels (16 for slashdot and its core): `paper` and "
        "AttractRepel half of each kind, IeClam and LogisticPCA k/2 of two numbers each. They are treated alike: "
        "BigClam, IeClam and SymNMF without a penalty, as they come; with the penalty of 10 and the random start that "
        "`paper` has; and, as the paper's model too, each with its *own settings*, the penalty of 0, 0.1, 1 or 10 and "
        "the random or spectral start that predict best a further tenth of the pairs, which is not among those tested "
        "on. All of these have the paper's solver and its 200 iterations, as in the paper's experiments. The formulas, "
        "and SVD, do not know which pairs are held out and treat them as non-links. The log-likelihood is the mean "
        "over held-out pairs, in nats. SymNMF, SVD and AttractRepel give no probabilities: "
        "their expected entries are clipped, as in `evaluate_links`, to 10⁻¹² from 0 and 1, as are all probabilities; "
        f"a second table clips at 10⁻⁶, which is milder to them. If more than {EXACT:,} pairs are held out (slashdot), "
        f"all links and {SAMPLE:,} of the others are evaluated, with weights that make the figures estimates of those "
        "of all pairs. There the models search on sampled pairs, as is their default on graphs of that size."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every method on every network with every seed, but for those left out."""
        for name in scope.datasets:
            for method in (*FITTED, *FORMULAS, CONSTANT):
                if (name, method) in LEFT_OUT:
                    continue
                for seed in scope.seeds:
                    settings = {"rate": RATE} | ({"k": columns(name)} if method in FITTED else {})
                    yield Task(self.name, name, method, seed, settings, partial(predict, name, method, seed))

    def cost(self, task: Task) -> float:
        """Fits by their size, formulas by that of the pairs."""
        share = EFFORT.get(task.method, 1.0) if task.method in FITTED else 0.02
        return share * fit_cost(task.dataset)

    def left_out(self) -> dict[tuple[str, str], str]:
        """What is too large."""
        return LEFT_OUT

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """Every measure on reported networks, and on those that settings were chosen on."""
        measures = {
            "average_precision": "Average precision",
            "log_likelihood": "Mean log-likelihood per held-out pair",
            "log_likelihood_1e-6": "The same, with probabilities clipped at 10⁻⁶",
            "auc": "Area under the ROC curve",
            "f1_best": "F1 at the best threshold",
        }
        tables = []
        for key, title in measures.items():
            found = picked(results, key)
            digits = 5 if key.startswith("log") else 3
            for names, kind in ((REPORTED, "reported"), (TUNING, "tuning")):
                if any(name in found for name in names):
                    tables.append(best_in_bold(f"{title}: {kind} networks", found, names, digits=digits, missing=_why))
        broken = failures(results)
        chosen = [table for table in (_chosen(results), times(results, (*TUNING, *REPORTED))) if table.rows]
        return [*tables, *chosen, *([broken] if broken else [])]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """None: the tables say it."""
        return {}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Ours beside factor models, formulas and the density, on either group of networks."""
        others = [method for method in FITTED if method != PHILIA]
        precision = picked(results, "average_precision")
        claims = []
        for group, where in ((REPORTED, "links, reported"), (TUNING, "links, tuning")):
            names = [name for name in group if (name, PHILIA) not in LEFT_OUT]
            claims.append(at_least(precision, others, names, where, "average precision", LEFT_OUT))
            for key, clip in CLIPS.items():
                what = f"log-likelihood, clipped at {clip:g}"
                claims.append(at_least(picked(results, key), others, names, where, what, LEFT_OUT))
            claims.append(beats_all_but_one(precision, list(FORMULAS), names, where, "average precision"))
            claims.append(never_below(picked(results, "log_likelihood"), CONSTANT, names, where, "log-likelihood"))
        return claims


def _why(name: str, method: str) -> str:
    return "not run" if (name, method) in LEFT_OUT else DASH


def _chosen(results: Sequence[Result]) -> Table:
    """How many communities of either kind the model chose, seed by seed."""
    numbers: dict[str, list[str]] = {}
    for result in results:
        if result.method == PHILIA and result.values.get("numbers"):
            numbers.setdefault(result.dataset, []).append(" + ".join(map(str, result.values["numbers"])))
    rows = tuple((name, str(columns(name)), ", ".join(found)) for name, found in numbers.items())
    return Table("Numbers that philia had, attracting + repelling", ("network", "labels", "a seed each"), rows)


def predict(name: str, method: str, seed: int) -> dict[str, Any]:
    """The measures of one method on the pairs that a seed holds out."""
    graph, hidden = network(name), RandomPairs(RATE, seed=seed)
    judged = judged_pairs(graph, hidden)
    probabilities: Float64Array | None = None
    said: dict[str, Any] = {}
    if method in FITTED:
        model = fitted(method, graph, columns(name), seed, hidden)
        scores = model.factors_.scores(judged.rows, judged.columns)
        probabilities = np.clip(np.asarray(model.loss.expected(scores)), 0, 1)
        said = about(model)
    elif method == CONSTANT:
        known = seen(graph, hidden)
        n_seen = graph.n_nodes * (graph.n_nodes - 1) / 2 - judged.weights.sum()
        scores = probabilities = np.full(len(judged.rows), known.n_links / n_seen)
    else:
        scores = FORMULAS[method](seen(graph, hidden), judged.rows, judged.columns)
    likelihoods = {
        key: None if probabilities is None else mean_log_likelihood(judged.linked, probabilities, judged.weights, clip)
        for key, clip in CLIPS.items()
    }
    return {
        **order_measures(judged.linked, scores, judged.weights),
        **likelihoods,
        "links": int(judged.linked.sum()),
        "pairs": round(float(judged.weights.sum())),
        "judged": len(judged.rows),
        **said,
    }
