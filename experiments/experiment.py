"""What an experiment is made of: the tasks it runs, their results, and what these say about the paper's claims."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from matplotlib.figure import Figure

from experiments.code import digest_of

Verdict = Literal["holds", "does not hold", "cannot be judged"]


def verdict(holds: bool | None) -> Verdict:
    """A verdict in words; None means that it cannot be judged.

    >>> verdict(True), verdict(None)
    ('holds', 'cannot be judged')
    """
    if holds is None:
        return "cannot be judged"
    return "holds" if holds else "does not hold"


@dataclass(frozen=True)
class Scope:
    """How much is run: which datasets, which seeds, and how many iterations per fit.

    >>> WHOLE.seeds, QUICK.datasets
    ((0, 1, 2), ('amazon',))
    """

    datasets: tuple[str, ...]
    seeds: tuple[int, ...]
    iterations: int
    quick: bool = False


def on_all(holds: bool, judged: Sequence[str]) -> bool | None:
    """Whether a claim holds, given the networks it was judged on; None unless these are all of the paper's.

    >>> on_all(True, ["blog"]), on_all(True, ["amazon", "youtube", "ppi", "pos", "blog"])
    (None, True)
    """
    return holds if set(WHOLE.datasets) <= set(judged) else None


LARGE = ("blog",)
"""Networks on which variations of a method run last, if at all: a run that is stopped early lacks nothing else."""

WHOLE = Scope(("amazon", "youtube", "ppi", "pos", "blog"), seeds=(0, 1, 2), iterations=200)
QUICK = Scope(("amazon",), seeds=(0,), iterations=30, quick=True)


@dataclass(frozen=True)
class Task:
    """One fit or one count, which runs independently of all others.

    ``settings`` is all that the result depends on besides the code: a kept result with other settings is not used, and
    one that other code made is older than the code.

    >>> Task("figure4", "blog", "BigClam", 0, {"k": 39}, dict).key
    'figure4-blog-bigclam-0'
    """

    experiment: str
    dataset: str
    method: str
    seed: int
    settings: Mapping[str, Any]
    run: Callable[[], dict[str, Any]] = field(compare=False)

    @property
    def key(self) -> str:
        """A name for its result."""
        words = f"{self.experiment} {self.dataset} {self.method} {self.seed}".replace("+", " and ")
        return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")

    @property
    def code(self) -> str:
        """A digest of the code that runs it."""
        return digest_of(self.run)


@dataclass(frozen=True)
class Result:
    """The values that a task returned, the seconds it took, and whether the code has changed since.

    >>> Result("figure4", "blog", "SVD", 0, {"k": 39}, {"relative": 0.81}, seconds=2.0).values["relative"]
    0.81
    """

    experiment: str
    dataset: str
    method: str
    seed: int
    settings: Mapping[str, Any]
    values: Mapping[str, Any]
    seconds: float
    older: bool = False


@dataclass(frozen=True)
class Claim:
    """A paraphrased sentence of the paper, how it is read here, what was measured, and whether it holds.

    >>> Claim("Figure 4", "lowest error", "lower on every dataset", "0.75 against 0.81", "holds").verdict
    'holds'
    """

    where: str
    claim: str
    reading: str
    measured: str
    verdict: Verdict


@dataclass(frozen=True)
class Table:
    """Columns, rows of text, and a note about them.

    >>> print(Table("Sizes", ("network", "nodes"), (("blog", "10,312"),)).markdown())
    | network | nodes |
    |---|---|
    | blog | 10,312 |
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown, with the note below it."""
        lines = [f"| {' | '.join(cells)} |" for cells in (self.columns, *self.rows)]
        lines.insert(1, "|" + "---|" * len(self.columns))
        return "\n".join(lines) + (f"\n\n{self.note}" if self.note else "")


class Experiment(ABC):
    """A figure or a table of the paper: its tasks, and what their results show.

    >>> from experiments import EXPERIMENTS
    >>> list(EXPERIMENTS)
    ['table1', 'introduction', 'statements', 'reconstruction', 'communities', 'links']
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    variations: ClassVar[tuple[str, ...]] = ()
    """Methods that no claim of the paper is about."""

    @abstractmethod
    def tasks(self, scope: Scope) -> Iterator[Task]:
        """What there is to run; data are loaded when a task runs."""

    @abstractmethod
    def tables(self, results: Sequence[Result]) -> list[Table]:
        """The results in numbers."""

    @abstractmethod
    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """The figures, by file name, each with its caption."""

    @abstractmethod
    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """The paper's claims, and whether they hold."""
