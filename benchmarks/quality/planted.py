"""Communities that were planted: does the model find how many there are of either kind, and who is in them?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from benchmarks.quality.experiment import Measured
from benchmarks.quality.methods import PHILIA, about, paper_split
from benchmarks.quality.phase import phase
from benchmarks.quality.tables import failures, with_spread
from experiments.experiment import Claim, Result, Scope, Table, Task, verdict
from philia import CommunityModel
from philia.datasets import planted
from philia.evaluate import compare_communities, trivial_covers
from philia.models import LinkModel

N, DEGREE = 1000, 20.0
HOMOPHILOUS, HETEROPHILOUS = (5, 10, 20), (0, 2, 4)
ATTRACTIONS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
USUAL = 4.0
"""The attraction at which overlap and popularity are varied."""

STRONG, GOOD = 3.0, 0.9
"""From this attraction on, communities are expected to be found, with at least this F1."""

REPULSION = 0.75
"""Repulsion as a share of attraction."""


@dataclass(frozen=True)
class Plan:
    """What is planted.

    >>> Plan(10, 2, attraction=4.0).name
    '10 + 2, attraction 4'
    """

    n_homophilous: int
    n_heterophilous: int
    attraction: float
    overlap: float = 0.2
    popularity: float = 0.0

    @property
    def name(self) -> str:
        """What stands for a dataset in the results."""
        words = [f"{self.n_homophilous} + {self.n_heterophilous}", f"attraction {self.attraction:g}"]
        words += [] if self.overlap else ["no overlap"]
        words += ["power law"] if self.popularity else []
        return ", ".join(words)


def plans() -> list[Plan]:
    """Every strength of the signal, then overlap and popularity at the usual one; each once."""
    kinds = [(k_B, k_C) for k_B in HOMOPHILOUS for k_C in HETEROPHILOUS]
    strengths = [Plan(*kind, attraction) for attraction in ATTRACTIONS for kind in kinds]
    varied = [Plan(*kind, USUAL, overlap, popularity) for overlap in (0.2, 0.0) for popularity in (0.0, 1.0)
              for kind in kinds]  # fmt: skip
    return list(dict.fromkeys([*strengths, *varied]))


METHODS: dict[str, Callable[[Plan, int], LinkModel]] = {
    PHILIA: lambda _, seed: CommunityModel(random_state=seed),
    "philia, numbers given": lambda plan, seed: CommunityModel(
        plan.n_homophilous, plan.n_heterophilous, random_state=seed
    ),
    # Without a repelling column the paper's model cannot say that a link is unlikely.
    "paper, numbers given": lambda plan, seed: paper_split(plan.n_homophilous, max(1, plan.n_heterophilous), seed),
}


class PlantedCommunities(Measured):
    """Graphs drawn from the model, with what they were drawn from."""

    name = "planted"
    title = "Planted communities"
    about = (
        f"Graphs of {N:,} nodes and {DEGREE:g} links per node, drawn from the model with k_B communities that attract "
        "and k_C that repel. Sharing a community that attracts adds the attraction to the log-odds of a link; sharing "
        f"one that repels subtracts {REPULSION:g} times as much. A fifth of the nodes is in two that attract, unless "
        "there is no overlap; with a power law some nodes are popular. `philia` is not told k_B and k_C; the others "
        "are. F1 is the two-way best match for each kind alone. The trivial cover, all nodes together, reaches "
        "2 / (k + 1) for k equal communities: 0.67 for two, 0.18 for ten. Numbers are those of `communities()` with "
        "members."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every plan with every method and seed; a seed draws the graph too."""
        for plan in plans():
            for method in METHODS:
                for seed in scope.seeds:
                    settings = {**asdict(plan), "n": N, "degree": DEGREE, "repulsion": REPULSION * plan.attraction}
                    yield Task(self.name, plan.name, method, seed, settings, partial(recover, plan, method, seed))

    def cost(self, task: Task) -> float:
        """As much as a fit of this size, and of several where the numbers are chosen."""
        return 30.0 if task.method == PHILIA else 3.0

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """Numbers and F1 with and without overlap and popularity, at the usual strength."""
        usual = [r for r in results if r.settings["attraction"] == USUAL]
        broken = failures(results)
        tables = [_table(usual, overlap, popularity) for overlap in (0.2, 0.0) for popularity in (0.0, 1.0)]
        tables.append(_counted([r for r in results if r.settings["attraction"] >= STRONG and "error" not in r.values]))
        return [*(table for table in tables if table.rows), *([broken] if broken else [])]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """Where it works and where it fails, by the strength of the signal."""
        drawn = {}
        for method in METHODS:
            shown = [r for r in results if r.method == method and "error" not in r.values]
            shown = [r for r in shown if r.settings["overlap"] and not r.settings["popularity"]]
            if shown:
                file = f"planted-{method.replace(',', '').replace(' ', '-')}.svg"
                drawn[file] = (phase(shown, chosen=method == PHILIA), f"{method}, by the strength of the signal")
        return drawn

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Whether the numbers are found where the signal is strong."""
        strong = [r for r in results if r.method == PHILIA and r.settings["attraction"] >= USUAL and "f1" in r.values]
        wrong = [r for r in strong if _off(r) > 1]
        needed = {plan.name for plan in plans() if plan.attraction >= USUAL}
        complete = needed <= {r.dataset for r in strong}
        names = sorted({r.dataset for r in wrong})
        said = f"{len(strong) - len(wrong)} of {len(strong)} fits" if strong else "nothing was run"
        return [
            Claim(
                "planted",
                f"philia finds both numbers of communities where the attraction is {USUAL:g} or more.",
                "each number right to one, with every seed",
                said + (f"; not {'; '.join(names[:6])}" + (" and others" if len(names) > 6 else "") if names else ""),
                verdict(False if wrong else True if complete else None),
            )
        ]


def recover(plan: Plan, method: str, seed: int) -> dict[str, Any]:
    """Numbers and memberships of either kind, beside what was planted."""
    truth = planted(
        N, plan.n_homophilous, plan.n_heterophilous, degree=DEGREE, attraction=plan.attraction,
        repulsion=REPULSION * plan.attraction, overlap=plan.overlap, popularity=plan.popularity, random_state=seed,
    )  # fmt: skip
    model = METHODS[method](plan, seed).fit(truth.graph)
    found = model.communities()
    scores: dict[str, Any] = {}
    everyone = trivial_covers(truth.graph)["one community of all nodes"]
    for kind in _KINDS:
        sets, known = [set(c.members) for c in found if c.kind == kind], getattr(truth, kind)
        if known:
            compared = compare_communities(sets, known, truth.graph)
            trivial = compare_communities(everyone, known, truth.graph).f1
            scores[kind] = {"f1": compared.f1, "nmi": compared.nmi_mgh, "omega": compared.omega, "trivial": trivial}
        scores[f"empty_{kind}"] = sum(not c.members for c in found if c.kind == kind)
    told = about(model)
    # A model that reads its communities off the graph may have further columns, which nobody reads.
    read = [sum(bool(c.members) for c in found if c.kind == kind) for kind in _KINDS]
    f1 = scores["homophilous"]["f1"]
    return {"f1": f1, **scores, "links": truth.graph.n_links, **told, "columns": told["numbers"], "numbers": read}


def _off(result: Result) -> int:
    """By how much the worse of the two numbers is wrong."""
    told = result.settings["n_homophilous"], result.settings["n_heterophilous"]
    return int(max(abs(number - known) for number, known in zip(result.values["numbers"], told, strict=True)))


def _table(results: Sequence[Result], overlap: float, popularity: float) -> Table:
    rows = []
    for k_B in HOMOPHILOUS:
        for k_C in HETEROPHILOUS:
            for method in METHODS:
                told = {"n_homophilous": k_B, "n_heterophilous": k_C, "overlap": overlap, "popularity": popularity}
                same = [r for r in results if r.method == method and told.items() <= dict(r.settings).items()]
                same = [r for r in same if "error" not in r.values]
                if same:
                    rows.append((f"{k_B} + {k_C}", method, _numbers(same), *map(partial(_f1, same), _KINDS)))
    words = f"{'Overlap' if overlap else 'No overlap'}, {'power law' if popularity else 'equal popularity'}"
    columns = ("planted", "method", "numbers, per seed", "F1 attracting", "F1 repelling")
    return Table(f"{words}, attraction {USUAL:g}", columns, tuple(rows))


def _counted(results: Sequence[Result]) -> Table:
    """In how many fits of each method members and numbers are about right."""
    rows = []
    for method in METHODS:
        own = [r for r in results if r.method == method]
        repelling = [r for r in own if r.settings["n_heterophilous"] == r.values["numbers"][1] > 0]
        if own:
            counts = [sum(r.values["f1"] >= GOOD for r in own)]
            counts += [sum(_near(r, kinds) for r in own) for kinds in ((0,), (0, 1))]
            well = sum(r.values["heterophilous"]["f1"] >= GOOD for r in repelling)
            rows.append((method, *(f"{count} of {len(own)}" for count in counts), f"{well} of {len(repelling)}"))
    columns = (
        "method", f"F1 attracting at least {GOOD:g}", "number attracting within 20 %", "both numbers within 20 %",
        f"F1 repelling at least {GOOD:g}, where their number is right",
    )  # fmt: skip
    return Table(f"All plans with an attraction of {STRONG:g} or more", columns, tuple(rows))


def _near(result: Result, kinds: Sequence[int]) -> bool:
    """Whether the numbers of these kinds are right to a fifth."""
    told = result.settings["n_homophilous"], result.settings["n_heterophilous"]
    return all(abs(result.values["numbers"][kind] - told[kind]) <= 0.2 * told[kind] for kind in kinds)


_KINDS = ("homophilous", "heterophilous")


def _numbers(results: Sequence[Result]) -> str:
    return ", ".join(" + ".join(map(str, r.values["numbers"])) for r in results)


def _f1(results: Sequence[Result], kind: str) -> str:
    values = [r.values[kind]["f1"] for r in results if kind in r.values]
    return with_spread(values, 2) if values else "–"
