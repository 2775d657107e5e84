"""The result of an automatic choice: what was chosen, what was tried, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any, TypeVar

from philia._text import counted, listed
from philia.selection.plan import MOST_HETEROPHILOUS, MOST_HOMOPHILOUS


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
    fewest communities among those within one standard error of the best; ``good`` are the indices of all of those, each
    beside the best of its own penalty. ``density`` is the log-likelihood of giving
    every pair the same probability. ``read`` is how many of the attracting communities were read off the graph by the
    length of its description, and were given to every step; their strengths count ``weight`` times. So there are two
    answers: the communities to read, and the columns to predict with, of which other numbers may be as good.
    ``as_short`` holds the other numbers of communities with which the description is as short, and ``shortest`` the
    number with which it is shortest, if that is more than anybody would read. ``sides`` says that two communities
    repel because the network has two sides, and links only run across.
    ``storage`` is "sparse" if B has more columns than a dense fit could have, each with few nodes; steps then differ in
    the scale of common neighbours.

    >>> steps = (Step(1, 6, 2, -0.050, 0.002), Step(1, 4, 1, -0.049), Step(1, 2, 0, -0.06, 0.002))
    >>> print(Selection(steps, 1, folds=1, share=0.1, links=120, density=-0.08, seconds=0.5, good=(0, 1)))
    4 communities that attract, 1 that repels, penalty 1. To predict: between 4 and 6 communities that attract and
    between 1 and 2 that repel predict hidden pairs equally well (within one standard error)
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
    good: tuple[int, ...] = ()
    storage: str = "dense"
    as_short: tuple[int, ...] = ()
    shortest: int = 0
    sides: bool = False

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

    @property
    def equally_good(self) -> tuple[Step, ...]:
        """The steps that predict equally well, the choice included."""
        return tuple(self.steps[i] for i in sorted({*self.good, self.chosen}))

    @property
    def attracting(self) -> tuple[int, int]:
        """The smallest and the largest number of attracting columns that predict equally well."""
        return _ends([step.n_homophilous for step in self.equally_good])

    @property
    def repelling(self) -> tuple[int, int]:
        """The smallest and the largest number of repelling communities that predict equally well."""
        return _ends([step.n_heterophilous for step in self.equally_good])

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p><pre>{escape(self.table())}</pre>"

    def __str__(self) -> str:
        if self.storage == "sparse":
            return (
                f"{self.n_homophilous:,} communities that attract, which are more than a dense fit can have, so only "
                "members are stored; how much they and common neighbours count makes hidden pairs likeliest"
            )
        counts = f"{self._attracting()}, {self.n_heterophilous} that {_verb(self.n_heterophilous)}"
        chosen = f"{counts}, penalty {self.penalty:.3g}" if self.choice.n_communities else "no communities"
        sentences = [chosen, *self._reading(), *self._predicting()]
        if self.sides:
            sentences.insert(1, "The network has two sides, and links only run across, so two communities repel")
        if self.interrupted:
            sentences.append("The search was interrupted")
        return ". ".join(sentences)

    def _attracting(self) -> str:
        more = self.n_homophilous - self.read
        if not self.read or not more:
            return _counted(self.n_homophilous, "attract")
        return f"{_counted(self.read, 'attract')} and {counted(more, 'more column')}"

    def _reading(self) -> list[str]:
        if not self.read:
            return []
        which = "this 1 community" if self.read == 1 else f"these {self.read} communities"
        said = f"with {which} the links have the shortest description"
        if self.shortest > self.read:
            said = f"{which} say nearly as much as the {self.shortest} of the shortest description"
        if self.as_short:
            others = listed([str(count) if count else "none" for count in self.as_short])
            said += f"; {others} would do as well (within 3 nats)"
        return [f"To read: {said}"]

    def _predicting(self) -> list[str]:
        """Which other numbers would have been as good, as far as hidden pairs can tell."""
        if len({(step.n_homophilous, step.n_heterophilous) for step in self.steps}) < 2:
            return self._penalties("Penalties")
        columns = "columns" if self.read else "communities"
        if self.attracting == (1, 1):
            attracting = f"1 {'column' if self.read else 'community'} that attracts"
        else:
            attracting = f"{_between(self.attracting)} {columns} that attract"
        verb = "repels" if self.repelling == (1, 1) else "repel"
        numbers = f"{attracting} and {_between(self.repelling)} that {verb}"
        alone = self.attracting[0] == self.attracting[1] and self.repelling[0] == self.repelling[1]
        said = (
            f"none of the other numbers that were tried predicts hidden pairs as well as {numbers}"
            if alone
            else f"{numbers} predict hidden pairs equally well (within one standard error)"
        )
        return ["; ".join([f"To predict: {said}", *self._untried(), *self._penalties("penalties")])]

    def _untried(self) -> list[str]:
        """What the choice does not look at, if a number that it made could have been larger."""
        most = [
            f"{limit} {what}"
            for number, limit, what in (
                (self.attracting[1] - self.read, MOST_HOMOPHILOUS, "columns that attract"),
                (self.repelling[1], MOST_HETEROPHILOUS, "that repel"),
            )
            if number >= limit
        ]
        return [f"more than {' and '.join(most)} are not tried unless you ask for them"] if most else []

    def _penalties(self, subject: str) -> list[str]:
        tried = sorted({step.penalty for step in self.steps})
        if len(tried) < 2:
            return []
        return [f"{subject} from {tried[0]:.2g} to {tried[-1]:.2g} were tried"]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for files."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Selection:
        """The inverse of ``to_dict``; raises ``ValueError`` for anything else."""
        steps = tuple(_checked(Step(**step)) for step in values["steps"])
        numbers = {name: tuple(values.get(name, ())) for name in ("good", "as_short")}
        found = _checked(cls(**{**values, **numbers, "steps": steps}))
        if any(type(count) is not int or count < 0 for count in found.as_short):
            raise ValueError(f"{str(found.as_short)[:40]} communities are as good, it says")
        for step in (found.chosen, *found.good):
            if type(step) is not int or not 0 <= step < len(steps):
                raise ValueError(f"step {str(step)[:40]} of {len(steps)} was chosen or good, it says")
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


def _ends(numbers: list[int]) -> tuple[int, int]:
    return min(numbers), max(numbers)


def _between(ends: tuple[int, int]) -> str:
    return f"{ends[0]}" if ends[0] == ends[1] else f"between {ends[0]} and {ends[1]}"


def _verb(count: int) -> str:
    return "repels" if count == 1 else "repel"
