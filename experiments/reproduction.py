"""All experiments, run together, and the page about them: claims first, then figures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.communities import GroundTruth
from experiments.experiment import LARGE, WHOLE, Claim, Experiment, Result, Scope, Table, Task
from experiments.introduction import Introduction
from experiments.links import LinkPrediction
from experiments.reconstruction import RebuiltNetworks
from experiments.results import OnTask, ResultStore, older_than_the_code, run_tasks
from experiments.statements import Statements
from experiments.table1 import Table1
from philia.exceptions import InvalidParameterError
from philia.storage import saving

_ALL: tuple[Experiment, ...] = (
    Table1(),
    Introduction(),
    Statements(),
    RebuiltNetworks(),
    GroundTruth(),
    LinkPrediction(),
)
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in _ALL}

NOT_CLAIMED = "Not claimed"
"""How statements begin that the paper does not make."""


@dataclass(frozen=True)
class Reproduction:
    """The page that a run wrote, its claims and tables, and why other tasks could not run.

    >>> Reproduction(Path("reproduction.md"), (), (), ("blog is not here",)).missing
    ('blog is not here',)
    """

    page: Path
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    missing: tuple[str, ...]


def reproduce(
    folder: Path, names: Sequence[str] = (), scope: Scope = WHOLE, on_task: OnTask | None = None
) -> Reproduction:
    """Run experiments, all of them by default, and write a page with figures into the folder.

    The page shows everything that has been run there so far; claims and tables are those of this run. Results are kept
    one by one in ``folder/reproduction/results``, and a run that was stopped resumes from there.

    >>> reproduce(Path("unused"), ["figure9"])
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no experiment 'figure9'; there are 'table1', 'introduction', ...
    """
    for name in names:
        if name not in EXPERIMENTS:
            known = ", ".join(map(repr, EXPERIMENTS))
            raise InvalidParameterError(f"there is no experiment {name!r}; there are {known}")
    chosen = [EXPERIMENTS[name] for name in dict.fromkeys(names)] or list(EXPERIMENTS.values())
    store = ResultStore(folder / "reproduction" / "results")
    tasks = [task for experiment in chosen for task in experiment.tasks(scope)]
    missing = run_tasks(sorted(tasks, key=_runs_last), store, on_task)
    results = {name: store.results(experiment.tasks(scope)) for name, experiment in EXPERIMENTS.items()}
    shown = [experiment for name, experiment in EXPERIMENTS.items() if experiment in chosen or results[name]]
    page = _write_page(folder, shown, scope, store, missing)
    claims = [claim for experiment in chosen for claim in experiment.claims(results[experiment.name])]
    tables = [table for experiment in chosen for table in experiment.tables(results[experiment.name])]
    return Reproduction(page, tuple(claims), tuple(tables), tuple(missing))


def _runs_last(task: Task) -> bool:
    return task.dataset in LARGE and task.method in EXPERIMENTS[task.experiment].variations


def _write_page(
    folder: Path, experiments: Sequence[Experiment], scope: Scope, store: ResultStore, missing: Sequence[str]
) -> Path:
    """Draw the figures, write reproduction.md into the folder, and return its path."""
    pictures = folder / "reproduction"
    pictures.mkdir(parents=True, exist_ok=True)
    sections: list[str] = []
    claims: list[Claim] = []
    for experiment in experiments:
        results = store.results(experiment.tasks(scope))
        claims += experiment.claims(results)
        sections.append(_section(experiment, results, pictures))
    tasks = [task for experiment in experiments for task in experiment.tasks(scope)]
    parts = [
        _opening(scope, store.results(tasks), [task for task in tasks if store.result(task) is None], missing),
        _claims(claims),
        *sections,
        _made_with(store.made_with(tasks)),
    ]
    path = folder / "reproduction.md"
    with saving(path) as file:
        file.write(("\n".join(parts).rstrip() + "\n").encode())
    return path


def _opening(scope: Scope, results: Sequence[Result], waiting: Sequence[Task], missing: Sequence[str]) -> str:
    seconds = sum(result.seconds for result in results)
    command = "philia reproduce --quick" if scope.quick else "philia reproduce"
    lines = [
        "# The paper's experiments, run again",
        "",
        f"Written by `{command}` from {len(results)} results, with seeds "
        f"{', '.join(map(str, scope.seeds))} and at most {scope.iterations} iterations per fit. Models that the paper "
        "compares have every seed, and numbers are means over them; variations have the first. No setting was tuned "
        "towards a claim, except that the dating app's probabilities were chosen to fit the caption of Figure 1. "
        "Where the paper leaves open how something was run, each reading is judged. A claim that does not hold here "
        f"may hold in a reading that we did not think of. The tasks took {_duration(seconds)} in total; tasks that run "
        "at the same time slow each other down.",
        "",
        "The same seed gives the same digits on one machine, with any number of threads. Another processor rounds "
        "otherwise. On amazon, with the first seed and under three kinds of processors, four digits agree for BigClam, "
        "SymNMF, SoftClustering, NormalizedCuts, AttractRepel and all formulas, and for the CommunityModel with a "
        "penalty of 10. What moves are fits with little or no penalty that end at their limit of iterations: errors of "
        "reconstruction by 0.001 for the CommunityModel and LogisticPCA, F1 of hidden links for the CommunityModel by "
        "0.007 with a penalty of 0.1 and by 0.02 without one. The ROC area of SVD moves by 0.009: many of its scores "
        "are 0 but for rounding. Sizes, theorems and formulas do not move.",
        "",
    ]
    if scope.quick:
        lines += ["**This is the quick version**: few iterations, one seed, small data. Its verdicts mean little.", ""]
    if waiting:
        names = ", ".join(f"{t.experiment} {t.dataset} {t.method} seed {t.seed}" for t in waiting[:12])
        rest = f" and {len(waiting) - 12} more" if len(waiting) > 12 else ""
        lines += [f"{len(waiting)} of {len(waiting) + len(results)} tasks have no result here: {names}{rest}.", ""]
    lines += [f"- Not run: {sentence}" for sentence in missing]
    older = sum(result.older for result in results)
    if older:
        lines += [f"{older} of {len(results)} results are older than the code; each section says which.", ""]
    return "\n".join(lines)


def _claims(claims: Sequence[Claim]) -> str:
    rows = tuple((c.where, c.claim, c.reading, c.measured, f"**{c.verdict}**") for c in claims)
    table = Table("", ("where", "claim", "how it is read here", "measured", "verdict"), rows)
    beside = [c for c in claims if c.claim.startswith(NOT_CLAIMED)]
    said = f"Of the paper's claims, {in_summary([c for c in claims if c not in beside])}."
    said += f" Of what it does not claim, but readers may want to know, {in_summary(beside)}." if beside else ""
    return f"## Claims\n\n{said}\n\n{table.markdown()}\n"


def in_summary(claims: Sequence[Claim]) -> str:
    """How many claims hold, each counted once with all its readings.

    >>> few = [Claim("Figure 4", "lowest error", f"reading {v}", "", v) for v in ("holds", "does not hold")]
    >>> in_summary(few), in_summary([*few, Claim("Figure 5", "better than a coin", "F1", "", "holds")])
    ('1 depends on the reading', '1 holds, 1 depends on the reading')
    """
    found: dict[tuple[str, str], set[str]] = {}
    for claim in claims:
        found.setdefault((claim.where, claim.claim), set()).add(claim.verdict)
    kinds = {
        "hold": [{"holds"}],
        "depend on the reading": [{"holds", "does not hold"}],
        "do not hold": [{"does not hold"}],
    }
    counts = {verb: sum(verdicts in kind for verdicts in found.values()) for verb, kind in kinds.items()}
    counts["cannot be judged"] = len(found) - sum(counts.values())
    one = {"hold": "holds", "depend on the reading": "depends on the reading", "do not hold": "does not hold"}
    return ", ".join(f"{n} {one.get(verb, verb) if n == 1 else verb}" for verb, n in counts.items() if n) or "none"


def _section(experiment: Experiment, results: Sequence[Result], pictures: Path) -> str:
    parts = [f"## {experiment.title}", "", experiment.about, ""]
    if not results:
        return "\n".join([*parts, "Nothing was run.", ""])
    parts += [f"{said}\n"] if (said := older_than_the_code(results)) else []
    for name, (figure, caption) in experiment.figures(results).items():
        figure.savefig(pictures / name)
        parts += [f"![{caption}](reproduction/{name})", "", f"*{caption}*", ""]
    for table in experiment.tables(results):
        parts += [f"### {table.title}", "", table.markdown(), ""]
    return "\n".join(parts)


def _made_with(versions: Sequence[Mapping[str, str]]) -> str:
    lines = [", ".join(f"{name} {version}" for name, version in made.items()) for made in versions]
    return "\n".join(["## Made with", "", *(f"- {line}" for line in lines), ""])


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
