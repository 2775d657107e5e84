"""``python -m benchmarks.quality``: run what has no result yet, cheap tasks first, then write the page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from benchmarks.measuring import RESULTS
from benchmarks.quality import page
from benchmarks.quality.communities import KnownCommunities
from benchmarks.quality.experiment import ALL, Measured
from benchmarks.quality.known_groups import KnownGroups
from benchmarks.quality.links import LinkPrediction
from benchmarks.quality.place import NewNodes
from benchmarks.quality.planted import PlantedCommunities
from benchmarks.quality.running import Reconsidering, apart, failed
from experiments.experiment import Scope, Task
from experiments.results import ResultStore, Standing, run_tasks

EXPERIMENTS: dict[str, Measured] = {
    experiment.name: experiment
    for experiment in (LinkPrediction(), KnownCommunities(), KnownGroups(), NewNodes(), PlantedCommunities())
}
FOLDER = Path(__file__).parent


def chosen_tasks(options: argparse.Namespace) -> list[Task]:
    """The tasks that were asked for, cheap ones first; a name that there is not ends the program."""
    scope = Scope(ALL.datasets, tuple(options.seeds), ALL.iterations)
    experiments = [EXPERIMENTS[name] for name in options.only]
    ranked = [(experiment.cost(task), task) for experiment in experiments for task in experiment.tasks(scope)]
    tasks = [task for _, task in sorted(ranked, key=lambda pair: pair[0])]
    for given, known in (
        (options.datasets, {task.dataset for task in tasks}),
        (options.methods, {task.method for task in tasks}),
    ):
        _check_names(given, known)
    return [
        task
        for task in tasks
        if (not options.datasets or task.dataset in options.datasets)
        and (not options.methods or task.method in options.methods)
    ]


def _check_names(given: Collection[str], known: Collection[str]) -> None:
    strange = [name for name in given if name not in known]
    if strange:
        sys.exit(f"there is no {strange[0]!r} in these experiments; there are {', '.join(sorted(known))}")


def announce(standing: Standing) -> None:
    """The beginning of a task's line; its end says how it went."""
    task = standing.task
    place = f"{standing.done + 1}/{standing.total}"
    print(f"[{place}] {task.experiment}: {task.dataset}, {task.method}, seed {task.seed} … ", end="", flush=True)


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=["run", "page", "list"],
        default="run",
        help="run (and page), page only, or list the tasks",
    )
    parser.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), default=list(EXPERIMENTS), help="experiments")
    parser.add_argument("--datasets", nargs="+", default=[], help="networks; all by default")
    parser.add_argument("--methods", nargs="+", default=[], help="methods; all by default")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(ALL.seeds))
    parser.add_argument("--limit-seconds", type=float, help="stop a task after this many seconds and record that")
    parser.add_argument("--again", choices=["failed", "all"], help="run tasks again that failed, or all chosen ones")
    parser.add_argument("--results", type=Path, default=RESULTS / "quality", help="the folder of the results")
    parser.add_argument("--page", type=Path, default=FOLDER, help="the folder of the page")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    os.environ.setdefault("PHILIA_DATA", str(FOLDER.parents[2] / "shared" / "data"))
    options = read(arguments)
    store = ResultStore(options.results)
    tasks = chosen_tasks(options)
    if options.what == "list":
        for task in tasks:
            print(
                f"{task.experiment}: {task.dataset}, {task.method}, seed {task.seed}",
                "" if store.result(task) is None else "(done)",
            )
        return
    if options.what == "run":
        again = {"failed": failed, "all": lambda _: True, None: lambda _: False}[options.again]
        apart_tasks = [apart(task, options.limit_seconds) for task in tasks]
        try:
            missing = run_tasks(apart_tasks, Reconsidering(options.results, again), announce)
        except KeyboardInterrupt:
            sys.exit("\nstopped; the same command goes on from here")
        for sentence in missing:
            print(f"\nNot run: {sentence}")
    scope = Scope(ALL.datasets, tuple(options.seeds), ALL.iterations)
    print(f"wrote {page.write(options.page, list(EXPERIMENTS.values()), scope, ResultStore(options.results))}")


if __name__ == "__main__":
    main()
