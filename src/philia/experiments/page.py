"""The page that a reproduction leaves behind: claims first, then each experiment with pictures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from philia.experiments.store import ResultStore
from philia.experiments.task import Claim, Experiment, Result, Scope, Table, Task
from philia.storage import saving


def write_page(
    folder: Path, experiments: Sequence[Experiment], scope: Scope, store: ResultStore, missing: Sequence[str] = ()
) -> Path:
    """Draw the pictures and write reproduction.md into the folder; gives its path."""
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
        f"{', '.join(map(str, scope.seeds))} and at most {scope.iterations} steps a fit. Figures are means over seeds; "
        "no setting was tuned towards a claim. The "
        f"tasks took {_duration(seconds)} in all, added up; tasks that run side by side slow each other down.",
        "",
    ]
    if scope.quick:
        lines += ["**This is the quick version**: few steps, one seed, small data. Its verdicts mean little.", ""]
    if waiting:
        names = ", ".join(f"{t.experiment} {t.dataset} {t.method} seed {t.seed}" for t in waiting[:12])
        rest = f" and {len(waiting) - 12} more" if len(waiting) > 12 else ""
        lines += [f"{len(waiting)} of {len(waiting) + len(results)} tasks have no result here: {names}{rest}.", ""]
    lines += [f"- Not run: {sentence}" for sentence in missing]
    return "\n".join(lines)


def _claims(claims: Sequence[Claim]) -> str:
    rows = tuple((c.where, c.claim, c.reading, c.measured, f"**{c.verdict}**") for c in claims)
    verbs = {"holds": "hold", "does not hold": "do not hold", "cannot be judged": "cannot be judged"}
    counts = {verb: sum(c.verdict == verdict for c in claims) for verdict, verb in verbs.items()}
    said = ", ".join(f"{count} {verb}" for verb, count in counts.items() if count)
    table = Table("", ("where", "claim", "how it is read here", "measured", "verdict"), rows)
    return f"## Claims\n\n{said}.\n\n{markdown(table)}\n"


def _section(experiment: Experiment, results: Sequence[Result], pictures: Path) -> str:
    parts = [f"## {experiment.title}", "", experiment.about, ""]
    if not results:
        return "\n".join([*parts, "Nothing was run.", ""])
    for name, (figure, caption) in experiment.figures(results).items():
        figure.savefig(pictures / name)
        parts += [f"![{caption}](reproduction/{name})", "", f"*{caption}*", ""]
    for table in experiment.tables(results):
        parts += [f"### {table.title}", "", markdown(table), ""]
    return "\n".join(parts)


def _made_with(versions: Sequence[Mapping[str, str]]) -> str:
    lines = [", ".join(f"{name} {version}" for name, version in made.items()) for made in versions]
    return "\n".join(["## Made with", "", *(f"- {line}" for line in lines), ""])


def markdown(table: Table) -> str:
    """A table in Markdown, its note below it.

    >>> print(markdown(Table("", ("network", "nodes"), (("blog", "10,312"),))))
    | network | nodes |
    |---|---|
    | blog | 10,312 |
    """
    lines = [f"| {' | '.join(cells)} |" for cells in (table.columns, *table.rows)]
    lines.insert(1, "|" + "---|" * len(table.columns))
    return "\n".join(lines) + (f"\n\n{table.note}" if table.note else "")


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
