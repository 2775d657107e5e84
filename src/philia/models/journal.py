"""What a fit has found so far, so that it can be done again without being computed again.

A fit follows from its seed and from what its expensive steps answer: starts, values with gradients, whole searches. A
journal writes the answers down in their order. When the same fit runs again, its first steps are answered by the
journal, the state of the random generator included, and where the journal ends, the computing begins. So any solver
goes on to the very same result, and none has to know about it.
"""

from __future__ import annotations

import logging
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from philia._types import Float64Array, FloatArray
from philia.models.checkpoints import Checkpoint
from philia.models.course import Place
from philia.models.records import Record
from philia.solvers import OnIteration, Solution, Solver
from philia.solvers.solver import ValueAndGradient

_LOG = logging.getLogger("philia")

State = Mapping[str, Any]
"""How far a search has come: arrays and plain values."""


Array = TypeVar("Array", bound=FloatArray)

_AN_END: State = {
    "value": 0.0,
    "history": np.empty(0),
    "evaluations": 0,
    "seconds": 0.0,
    "reason": "",
    "converged": False,
}
"""Values of the kinds that the end of a search has, beside its point."""

_ROUNDING = 1e-4
"""How far a value may be from the same one computed again, as a share of it: another processor rounds otherwise."""


class Journal(Protocol):
    """Where a fit writes down what it finds, and reads what it has found before."""

    def start(self, find: Callable[[], Array], shape: tuple[int, ...]) -> Array:
        """Where a search begins, an array of this shape."""
        ...

    def solved(
        self, start: FloatArray, search: Callable[[], Solution], value: Callable[[Float64Array], float] | None = None
    ) -> Solution:
        """How a search from a start ends; ``value`` computes what is minimised, where that can be done again."""
        ...

    def recorded(self, function: ValueAndGradient) -> ValueAndGradient:
        """The same function; the answers of the search under way are written down."""
        ...

    def latest(self, like: State) -> State | None:
        """How far the search under way had come, if it was under way before; ``like`` is a state of the same kind."""
        ...

    def keep(self, state: Callable[[], State]) -> None:
        """Note how far the search under way has come, now and then."""
        ...


class NoJournal:
    """A journal that notes nothing.

    >>> NoJournal().start(lambda: np.ones(2), shape=(2,)).tolist()
    [1.0, 1.0]
    """

    def start(self, find: Callable[[], Array], shape: tuple[int, ...]) -> Array:
        """What is found."""
        return find()

    def solved(
        self, start: FloatArray, search: Callable[[], Solution], value: Callable[[Float64Array], float] | None = None
    ) -> Solution:
        """What the search finds."""
        return search()

    def recorded(self, function: ValueAndGradient) -> ValueAndGradient:
        """The function itself."""
        return function

    def latest(self, like: State) -> State | None:
        """Nothing."""
        return None

    def keep(self, state: Callable[[], State]) -> None:
        """Do nothing."""


class KeptJournal:
    """A journal in a checkpoint; ``rng`` is the generator that all chance in the fit comes from.

    Answers of a search are forgotten once its end is known. Which question an answer belongs to is checked: where a
    search takes another way than before, as it may on another processor, what follows is computed anew.

    Answers are not believed blindly. Their types and shapes are checked, and the last answer that a search takes from
    the checkpoint, like the end of the search itself, is computed once more: a value that the graph does not give is
    an error.

    >>> import tempfile
    >>> folder, rng = tempfile.mkdtemp(), np.random.default_rng(0)
    >>> def begun():
    ...     checkpoint = Checkpoint(folder, every=0.0)
    ...     checkpoint.begin({})
    ...     return KeptJournal(checkpoint, rng)
    >>> first = begun().start(lambda: rng.random(2), shape=(2,))
    >>> bool((begun().start(lambda: rng.random(2), shape=(2,)) == first).all())
    True
    """

    def __init__(self, checkpoint: Checkpoint, rng: np.random.Generator) -> None:
        self.checkpoint, self.rng = checkpoint, rng
        self._place: Place = (0,)
        self._spared = 0.0
        self._replayed = False
        self.interrupted = False

    def start(self, find: Callable[[], Array], shape: tuple[int, ...]) -> Array:
        """Where a search begins."""
        found = self._found("start", {"point": np.broadcast_to(0.0, shape)})
        if found is None:
            began = time.perf_counter()
            with self._ended_by_errors():
                point = find()
            found = self._note("start", {"point": point}, time.perf_counter() - began)
        self._step()
        known: Array = found.values["point"]
        return known

    def solved(
        self, start: FloatArray, search: Callable[[], Solution], value: Callable[[Float64Array], float] | None = None
    ) -> Solution:
        """How a search from a start ends; not noted if the user ends it, nor is anything after that."""
        key, spared = _digest(start), self._spared
        found = self._found(key, {**_AN_END, "point": start})
        replayed = found is not None
        if found is None:
            place, self._place, self._replayed = self._place, (*self._place, 0), False
            with self._ended_by_errors():
                solution = search()
            self._place, replayed = place, self._replayed
            solution = replace(solution, seconds=solution.seconds + self._spared - spared)
        else:
            solution = Solution(**found.values)
        if replayed and value is not None and len(solution.history):
            self._compare(solution.value, value(solution.point))
        if found is None:
            self.interrupted |= solution.reason == "interrupted"
            self._note(key, {f.name: getattr(solution, f.name) for f in fields(Solution)}, solution.seconds)
        self._step()
        return solution

    def recorded(self, function: ValueAndGradient) -> ValueAndGradient:
        """The same function, whose answers are read where they are known and else noted, unless that takes too long."""
        last: tuple[Float64Array, float] | None = None  # that was read, until it is compared

        def answer(point: Float64Array) -> tuple[float, Float64Array]:
            nonlocal last
            key = _digest(point)
            found = self._found(key, {"value": 0.0, "gradient": point})
            if found is None:
                if last is not None:
                    self._compare(last[1], function(last[0])[0])
                    last = None
                began = time.perf_counter()
                value, gradient = function(point)
                if not self.interrupted and self.checkpoint.affords(gradient.nbytes):
                    values = {"value": value, "gradient": gradient}
                    self.checkpoint.put(self._place, Record(key, values, seconds=time.perf_counter() - began))
            else:
                value, gradient = found.values["value"], found.values["gradient"]
                last = point.copy(), value
                self._spared += found.seconds
            self._step()
            return value, gradient

        return answer

    def latest(self, like: State) -> State | None:
        """How far the search under way had come."""
        found = self._found("state", like)
        return None if found is None else found.values

    def keep(self, state: Callable[[], State]) -> None:
        """Note how far the search under way has come, in place of what was noted before; only if it is time to."""
        if self.checkpoint.due:
            record = Record("state", state())
            if self.checkpoint.affords(record.nbytes):
                self._note(record.key, record.values)

    def _found(self, key: str, like: State) -> Record | None:
        """The record at the present place, if it answers this question; ``like`` has values of the same kinds."""
        found = None if self.interrupted else self.checkpoint.find(self._place)
        if found is None:
            return None
        if found.key != key:
            _LOG.warning("the fit takes another way than its checkpoint; from here on it is computed anew")
            self.checkpoint.forget(self._place)
            return None
        if set(found.values) != set(like) or not all(_alike(found.values[name], like[name]) for name in like):
            raise self.checkpoint.damaged(f"record {'/'.join(map(str, self._place))} is of another kind or shape")
        if found.generator is not None:
            set_state(self.rng, found.generator, self.checkpoint)
        self._replayed = True
        return found

    @contextmanager
    def _ended_by_errors(self) -> Iterator[None]:
        """After an error or Ctrl-C nothing is noted any more: what a fit still does has no place in its course."""
        try:
            yield
        except BaseException:
            self.interrupted = True
            raise

    def _compare(self, told: float, computed: float) -> None:
        if not np.isclose(told, computed, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True):
            raise self.checkpoint.damaged(f"it says that the loss is {told:.6g} where the graph gives {computed:.6g}")

    def _note(self, key: str, values: Mapping[str, Any], seconds: float = 0.0) -> Record:
        record = Record(key, values, self.rng.bit_generator.state, seconds)
        if not self.interrupted:
            self.checkpoint.put(self._place, record)
        return record

    def _step(self) -> None:
        self._place = (*self._place[:-1], self._place[-1] + 1)


def minimized(
    journal: Journal,
    solver: Solver,
    function: ValueAndGradient,
    start: Float64Array,
    lower_bound: Float64Array,
    on_iteration: OnIteration | None = None,
) -> Solution:
    """What the solver finds, with all answers on its way in the journal.

    >>> from philia.solvers import LBFGSB
    >>> bowl = lambda x: (float(((x - 1) ** 2).sum()), 2 * (x - 1))
    >>> minimized(NoJournal(), LBFGSB(), bowl, np.zeros(2), np.zeros(2)).point.round(9).tolist()
    [1.0, 1.0]
    """
    return journal.solved(
        start,
        lambda: solver.minimize(journal.recorded(function), start, lower_bound, on_iteration),
        lambda point: function(point)[0],
    )


def set_state(rng: np.random.Generator, state: Mapping[str, Any], checkpoint: Checkpoint) -> None:
    """Put a generator where the checkpoint says that it was."""
    try:
        rng.bit_generator.state = state
    except Exception as error:  # each kind of generator has complaints of its own
        raise checkpoint.damaged(f"it holds no state of this random generator ({error})") from error


def _alike(value: Any, example: Any) -> bool:
    """Whether a value read from a file is of the kind of the example; an empty list stands for one of any length."""
    if isinstance(example, np.ndarray):
        if not isinstance(value, np.ndarray) or value.dtype not in (np.float32, np.float64):
            return False
        return value.shape == example.shape or (example.shape == (0,) and value.ndim == 1)
    if isinstance(example, float):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is type(example) and (not isinstance(value, int) or value >= 0)


def _digest(point: FloatArray) -> str:
    return f"{zlib.crc32(np.ascontiguousarray(point).data):08x}"
