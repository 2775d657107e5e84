"""The nouns of a reproduction: what is run, what comes of it, and what that says about a claim."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from matplotlib.figure import Figure

Verdict = Literal["holds", "does not hold", "cannot be judged"]


def verdict(holds: bool | None) -> Verdict:
    """A verdict in words; None if nothing can be said.

    >>> verdict(True), verdict(None)
    ('holds', 'cannot be judged')
    """
    if holds is None:
        return "cannot be judged"
    return "holds" if holds else "does not hold"


@dataclass(frozen=True)
class Scope:
    """How much is run: which datasets, which seeds, and how many steps a fit may take.

    >>> WHOLE.seeds, QUICK.datasets
    ((0, 1, 2), ('amazon',))
    """

    datasets: tuple[str, ...]
    seeds: tuple[int, ...]
    iterations: int
    quick: bool = False


def on_all(holds: bool, judged: Sequence[str]) -> bool | None:
    """What was found, if it was found on all the paper's networks; None if some have not been looked at.

    >>> on_all(True, ["blog"]), on_all(True, ["amazon", "youtube", "ppi", "pos", "blog"])
    (None, True)
    """
    return holds if set(WHOLE.datasets) <= set(judged) else None


LARGE = ("blog",)
"""Networks on which variations of a method are not run, to keep the whole under two hours on two cores."""

WHOLE = Scope(("amazon", "youtube", "ppi", "pos", "blog"), seeds=(0, 1, 2), iterations=200)
QUICK = Scope(("amazon",), seeds=(0,), iterations=30, quick=True)


@dataclass(frozen=True)
class Task:
    """One fit or one count, that can be done alone and is kept in a file of its own.

    ``settings`` is all that the outcome depends on besides the code: a kept result with other settings is not used.

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
        """A name for its file."""
        words = f"{self.experiment} {self.dataset} {self.method} {self.seed}".replace("+", " and ")
        return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")


@dataclass(frozen=True)
class Result:
    """What came of a task.

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


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in other words, how it is read here, what was measured, and whether it holds.

    >>> Claim("Figure 4", "lowest error", "lower on every dataset", "0.75 against 0.81", "holds").verdict
    'holds'
    """

    where: str
    claim: str
    reading: str
    measured: str
    verdict: Verdict


class Experiment(ABC):
    """A figure or a table of the paper: tasks, and what their results look like and say.

    >>> from philia.experiments import EXPERIMENTS
    >>> list(EXPERIMENTS)
    ['table1', 'introduction', 'statements', 'reconstruction', 'communities', 'links']
    """

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]

    @abstractmethod
    def tasks(self, scope: Scope) -> Iterator[Task]:
        """What there is to run; data are loaded when a task runs."""

    @abstractmethod
    def tables(self, results: Sequence[Result]) -> list[Table]:
        """The figures in numbers."""

    @abstractmethod
    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """The pictures, by file name, each with what it shows."""

    @abstractmethod
    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """What the paper says about them, and whether it is so."""


@dataclass(frozen=True)
class Table:
    """Columns, rows of text, and a sentence about them.

    >>> Table("Sizes", ("dataset", "nodes"), (("blog", "10,312"),), "").rows[0][1]
    '10,312'
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
