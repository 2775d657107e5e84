"""The result of an automatic choice: what was chosen, what was tried, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any, TypeVar

from philia._text import counted


@dataclass(frozen=True)
class Step:
    """One setting that was tried.

    ``log_likelihood`` is the mean over validation pairs; ``error`` is the standard error of its difference to the best.

    >>> print(Step(2.5, 8, 2, -0.05, 0.001))
    8 + 2 communities, penalty 2.5: -0.05 ± 0.001
    """

    penalty: float
    n_homophilous: int
    n_heterophilous: int
    log_likelihood: float
    error: float = 0.0

    @property
    def n_communities(self) -> int:
        """The communities of both kinds."""
        return self.n_homophilous + self.n_heterophilous

    def __str__(self) -> str:
        counts = f"{self.n_homophilous} + {self.n_heterophilous} communities"
        return f"{counts}, penalty {self.penalty:.3g}: {self.log_likelihood:.5g} ± {self.error:.2g}"


@dataclass(frozen=True)
class Selection:
    """The chosen numbers of communities and penalty.

    ``steps`` holds everything that was tried, in order, and ``chosen`` is the index of the choice: the setting with the
    fewest communities among those within one standard error of the best. ``density`` is the log-likelihood of giving
    every pair the same probability. ``read`` is how many of the attracting communities were read off the graph by the
    length of its description, and were given to every step; their strengths count ``weight`` times.

    >>> steps = (Step(1, 6, 2, -0.050), Step(1, 4, 1, -0.049), Step(1, 2, 0, -0.06, 0.002))
    >>> print(Selection(steps, 1, folds=1, share=0.1, links=120, density=-0.08, seconds=0.5))
    4 communities that attract, 1 that repels, penalty 1: more did not raise the likelihood of hidden pairs, fewer
    lowered it
    """

    steps: tuple[Step, ...]
    chosen: int
    folds: int
    share: float
    links: int
    density: float
    seconds: float
    interrupted: bool = False
    read: int = 0
    weight: float = 1.0

    @property
    def choice(self) -> Step:
        """The step that was chosen."""
        return self.steps[self.chosen]

    @property
    def n_homophilous(self) -> int:
        """The chosen number of communities that attract."""
        return self.choice.n_homophilous

    @property
    def n_heterophilous(self) -> int:
        """The chosen number of communities that repel."""
        return self.choice.n_heterophilous

    @property
    def penalty(self) -> float:
        """The chosen penalty."""
        return self.choice.penalty

    @property
    def best(self) -> Step:
        """The step with the highest likelihood."""
        return max(self.steps, key=lambda step: step.log_likelihood)

    def table(self) -> str:
        """All steps, one per line, with the chosen one marked."""
        return "\n".join(f"{'>' if i == self.chosen else ' '} {step}" for i, step in enumerate(self.steps))

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p><pre>{escape(self.table())}</pre>"

    def __str__(self) -> str:
        counts = f"{self._attracting()}, {self.n_heterophilous} that {_verb(self.n_heterophilous)}"
        said = f"{counts}, penalty {self.penalty:.3g}" if self.choice.n_communities else "no communities"
        reasons = [*self._numbers(), *self._penalties()]
        if self.interrupted:
            reasons.append("the search was interrupted")
        return f"{said}: {', '.join(reasons)}" if reasons else said

    def _attracting(self) -> str:
        more = self.n_homophilous - self.read
        if not self.read or not more:
            return _counted(self.n_homophilous, "attract")
        return f"{_counted(self.read, 'attract')} and {counted(more, 'more column')}"

    def _numbers(self) -> list[str]:
        others = [step for step in self.steps if step.n_communities != self.choice.n_communities]
        if not others:
            return []
        more = [s for s in others if s.n_communities > self.choice.n_communities]
        fewer = [s for s in others if s.n_communities < self.choice.n_communities]
        said = []
        if more:
            better = max(more, key=lambda s: s.log_likelihood)
            gained = better.log_likelihood > self.choice.log_likelihood
            said.append(
                "more raised the likelihood of hidden pairs by less than its standard error"
                if gained
                else "more did not raise the likelihood of hidden pairs"
            )
        if fewer:
            said.append("fewer lowered it" if more else "fewer lowered the likelihood of hidden pairs")
        return said

    def _penalties(self) -> list[str]:
        tried = sorted({step.penalty for step in self.steps})
        if len(tried) < 2:
            return []
        return [f"penalties from {tried[0]:.2g} to {tried[-1]:.2g} were tried"]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for files."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Selection:
        """The inverse of ``to_dict``; raises ``ValueError`` for anything else."""
        steps = tuple(_checked(Step(**step)) for step in values["steps"])
        found = _checked(cls(**{**values, "steps": steps}))
        if not 0 <= found.chosen < len(steps):
            raise ValueError(f"step {found.chosen} of {len(steps)} was chosen, it says")
        return found


_Checked = TypeVar("_Checked", Step, Selection)


def _checked(found: _Checked) -> _Checked:
    """The same, after checking the types of its numbers, since files may hold anything."""
    for part in fields(found):
        value: Any = getattr(found, part.name)
        kinds = {"int": (int,), "float": (int, float), "bool": (bool,)}.get(str(part.type))
        if kinds is not None and type(value) not in kinds:
            raise ValueError(f"{part.name} of the choice is {str(value)[:40]!r}")
    return found


def _counted(count: int, verb: str) -> str:
    return f"1 community that {verb}s" if count == 1 else f"{count} communities that {verb}"


def _verb(count: int) -> str:
    return "repels" if count == 1 else "repel"
