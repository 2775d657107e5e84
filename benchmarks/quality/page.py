"""The page of the results: claims first, then each experiment with its pictures and tables; never written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.quality.experiment import REPORTED, TUNING, Measured
from experiments.experiment import Claim, Scope, Table
from experiments.results import ResultStore, older_than_the_code
from philia.storage import saving

HEAD = """# Quality

Written by `python -m benchmarks.quality page` from the results in `benchmarks/results/quality`; `python -m
benchmarks.quality` runs the missing tasks. Figures are means ± standard deviations over seeds; the best of a column is
in bold, as are all that equal it in the digits shown."""


def write(folder: Path, experiments: Sequence[Measured], scope: Scope, store: ResultStore) -> Path:
    """Draw the pictures and write README.md into the folder; gives its path."""
    claims: list[Claim] = []
    sections: list[str] = []
    for experiment in experiments:
        results = store.results(experiment.tasks(scope))
        claims += experiment.claims(results)
        sections.append(_section(experiment, scope, store, folder / "figures"))
    tasks = [task for experiment in experiments for task in experiment.tasks(scope)]
    parts = [HEAD, _standing(scope, len(tasks), len(store.results(tasks))), _claims(claims), *sections]
    made = [", ".join(f"{name} {version}" for name, version in with_.items()) for with_ in store.made_with(tasks)]
    parts += ["## Made with\n\n" + "\n".join(f"- {line}" for line in made)] if made else []
    path = folder / "README.md"
    folder.mkdir(parents=True, exist_ok=True)
    with saving(path) as file:
        file.write(("\n\n".join(parts).rstrip() + "\n").encode())
    return path


def _standing(scope: Scope, total: int, done: int) -> str:
    return (
        f"Settings, but for those of the reading, were chosen only on {', '.join(TUNING)} and on planted graphs. The "
        "other networks, "
        f"{', '.join(REPORTED)}, are reported. The start was changed once after a first run on amazon, youtube and "
        "ppi, because of generated graphs. The solver of the trials was changed once after a first report on all "
        "networks, to make the choice cheaper, and since then empty columns leave the search. philia's figures are "
        "those of the second run; those of the first are in the history of this page. Of "
        "philia's figures, these were measured after communities came to be read off the graph: known groups, planted "
        "graphs, and hidden links of football, email, pos, blog, slashdot 25-core and slashdot. Seeds: "
        f"{', '.join(map(str, scope.seeds))}. {done} of {total} tasks have a result."
    )


def _claims(claims: Sequence[Claim]) -> str:
    rows = tuple((c.where, c.claim, c.reading, c.measured, f"**{c.verdict}**") for c in claims)
    return "## Claims\n\n" + Table("", ("where", "claim", "how it is read", "measured", "verdict"), rows).markdown()


def _section(experiment: Measured, scope: Scope, store: ResultStore, pictures: Path) -> str:
    results = store.results(experiment.tasks(scope))
    parts = [f"## {experiment.title}", experiment.about]
    parts += [
        f"- {method} is not run on {dataset}: {reason}." for (dataset, method), reason in experiment.left_out().items()
    ]
    if not results:
        return "\n\n".join([*parts, "Nothing was run."])
    parts += [said] if (said := older_than_the_code(results)) else []
    seconds = sum(result.seconds for result in results)
    largest = max((float(r.values.get("peak_gb") or 0) for r in results), default=0.0)
    parts.append(f"{len(results)} tasks, {seconds / 60:.1f} minutes in all, at most {largest:.1f} GB of memory.")
    for name, (figure, caption) in experiment.figures(results).items():
        pictures.mkdir(parents=True, exist_ok=True)
        figure.savefig(pictures / name, metadata={"Date": None})
        parts += [f"![{caption}](figures/{name})", f"*{caption}*"]
    parts += [f"### {table.title}\n\n{table.markdown()}" for table in experiment.tables(results)]
    return "\n\n".join(parts)
