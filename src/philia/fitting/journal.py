"""Record and replay: a resumed fit replays earlier results instead of recomputing them.

A fit is determined by its seed and by the results of its expensive steps: starts, evaluations, whole searches. A
journal records these results in order, with the state of the random generator. When the same fit runs again it takes
the same steps; the first ones get their results from the journal, and computing begins where the journal ends. So every
solver resumes to the same bits as if nothing had happened, without knowing about it.
"""

from __future__ import annotations

import logging
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from philia._types import Float64Array, FloatArray
from philia.exceptions import DivergedError
from philia.fitting.checkpoint import Address, Checkpoint, Record, description
from philia.graphs import Graph
from philia.solvers import OnIteration, Solution, Solver
from philia.solvers.adam import Notes
from philia.solvers.catalog import unwatched
from philia.solvers.solver import ValueAndGradient

_LOG = logging.getLogger("philia")

_END = {"value": 0.0, "history": np.empty(0), "evaluations": 0, "seconds": 0.0, "reason": "", "converged": False}
"""A recorded search has values of these types, and a point."""

_ROUNDING = 1e-4
"""How far a recomputed value may differ, relative to it: other processors round differently, forgers do not try."""

CheckpointLike = str | os.PathLike[str] | Checkpoint | None

_State = Mapping[str, Any]
"""How far a search has come: named arrays and plain values."""

_Array = TypeVar("_Array", bound=FloatArray)
T = TypeVar("T")


class Journal(Notes, Protocol):
    """Where a fit records the results of its expensive steps, and finds those of an earlier run."""

    def start(self, find: Callable[[], _Array], shape: tuple[int, ...]) -> _Array:
        """The start of a search, an array of this shape."""
        ...

    def solved(
        self, start: FloatArray, search: Callable[[], Solution], value: Callable[[Float64Array], float] | None = None
    ) -> Solution:
        """The result of a search from this start; ``value`` computes the loss at a point, where that is possible."""
        ...

    def recorded(self, function: ValueAndGradient) -> ValueAndGradient:
        """The same function, with its results on record until the search under way ends."""
        ...


class NoJournal:
    """A journal that records nothing."""

    def start(self, find: Callable[[], _Array], shape: tuple[int, ...]) -> _Array:
        """The start, computed."""
        return find()

    def solved(
        self, start: FloatArray, search: Callable[[], Solution], value: Callable[[Float64Array], float] | None = None
    ) -> Solution:
        """The result of the search, computed."""
        return search()

    def recorded(self, function: ValueAndGradient) -> ValueAndGradient:
        """The function itself."""
        return function

    def latest(self, like: _State) -> _State | None:
        """None."""
        return None

    def keep(self, state: Callable[[], _State]) -> None:
        """Do nothing."""


class KeptJournal:
    """A journal in a checkpoint; ``rng`` is the generator that all randomness in the fit comes from.

    Every record carries a key of its step: a checksum of the point. If the fit takes another step, as it may on another
    processor, the records from there on are dropped and computed again.

    Records are not trusted blindly. Their types and shapes are checked, and two values are recomputed: the last one
    that a search replays, and the one at its end. A value that the graph does not give is an error.
    """

    def __init__(self, checkpoint: Checkpoint, rng: np.random.Generator) -> None:
        self.checkpoint, self.rng = checkpoint, rng
        self.interrupted = False
        self._address: Address = (0,)
        self._replaying = False  # whether the search under way has replayed anything
        self._replayed_seconds = 0.0

    def start(self, find: Callable[[], _Array], shape: tuple[int, ...]) -> _Array:
        """The start of a search."""
        found = self._replay("start", {"point": np.broadcast_to(0.0, shape)})
        if found is None:
            began = time.perf_counter()
            point = self._computed(find)
            found = self._record("start", {"point": point}, time.perf_counter() - began)
        self._step()
        start: _Array = found.values["point"]
        return start

    def solved(
        self, start: FloatArray, search: Callable[[], Solution], value: Callable[[Float64Array], float] | None = None
    ) -> Solution:
        """The result of a search; if the user interrupts it, neither it nor anything later is recorded."""
        key, earlier = _key(start), self._replayed_seconds
        found = self._replay(key, {**_END, "point": start})
        if found is None:
            address, self._address, self._replaying = self._address, (*self._address, 0), False
            solution = self._computed(search)
            self._address = address
            solution = replace(solution, seconds=solution.seconds + self._replayed_seconds - earlier)
        else:
            solution = Solution(**found.values)
        if self._replaying and value is not None and len(solution.history):
            self._compare(solution.value, value(solution.point))
        if found is None:
            self.interrupted |= solution.reason == "interrupted"
            self._record(key, {f.name: getattr(solution, f.name) for f in fields(Solution)}, solution.seconds)
        self._step()
        return solution

    def recorded(self, function: ValueAndGradient) -> ValueAndGradient:
        """The same function; results are replayed where they are known, and recorded where that costs little."""
        last: tuple[Float64Array, float] | None = None  # point and value that were replayed and not yet compared

        def evaluate(point: Float64Array) -> tuple[float, Float64Array]:
            nonlocal last
            key = _key(point)
            found = self._replay(key, {"value": 0.0, "gradient": point})
            if found is None:
                if last is not None:
                    self._compare(last[1], function(last[0])[0])
                    last = None
                began = time.perf_counter()
                value, gradient = function(point)
                if not self.interrupted and self.checkpoint.affords(gradient.nbytes):
                    values = {"value": value, "gradient": gradient}
                    self.checkpoint.put(self._address, Record(key, values, seconds=time.perf_counter() - began))
            else:
                value, gradient = found.values["value"], found.values["gradient"]
                last = point.copy(), value
                self._replayed_seconds += found.seconds
            self._step()
            return value, gradient

        return evaluate

    def latest(self, like: _State) -> _State | None:
        """The recorded state of the search under way."""
        found = self._replay("state", like)
        return None if found is None else found.values

    def keep(self, state: Callable[[], _State]) -> None:
        """Record the state of the search under way in place of the one before, if it is time to."""
        if self.checkpoint.due:
            record = Record("state", state())
            if self.checkpoint.affords(record.nbytes):
                self._record(record.key, record.values)

    def _replay(self, key: str, like: _State) -> Record | None:
        """The record at the present address, if it is of this step; ``like`` has the same names, types and shapes."""
        found = None if self.interrupted else self.checkpoint.find(self._address)
        if found is None:
            return None
        if found.key != key:
            _LOG.warning("the fit departs from its checkpoint; it is computed again from here on")
            self.checkpoint.forget_from(self._address)
            return None
        if set(found.values) != set(like) or not all(_alike(found.values[name], like[name]) for name in like):
            raise self.checkpoint.damaged(f"record {'/'.join(map(str, self._address))} has the wrong types or shapes")
        if found.generator is not None:
            _set_state(self.rng, found.generator, self.checkpoint)
        self._replaying = True
        return found

    def _record(self, key: str, values: _State, seconds: float = 0.0) -> Record:
        record = Record(key, values, self.rng.bit_generator.state, seconds)
        if not self.interrupted:
            self.checkpoint.put(self._address, record)
        return record

    def _computed(self, step: Callable[[], T]) -> T:
        """The result of a step; after an error or Ctrl-C nothing more is recorded, as what follows is another fit."""
        try:
            return step()
        except BaseException:
            self.interrupted = True
            raise

    def _compare(self, recorded: float, computed: float) -> None:
        if not np.isclose(recorded, computed, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True):
            raise self.checkpoint.damaged(f"it has a loss of {recorded:.6g} where the graph gives {computed:.6g}")

    def _step(self) -> None:
        self._address = (*self._address[:-1], self._address[-1] + 1)


class ResumableFit:
    """A fit with its random generator, which resumes the fit in the checkpoint's folder.

    Unless it is ``seeded``, the generator is set back to where that fit began, so that both draw the same numbers.

    >>> import tempfile
    >>> from philia import CommunityModel
    >>> folder = Checkpoint(tempfile.mkdtemp(), every=0.0, stays=True)
    >>> one, two = (CommunityModel(1, 1, penalty=1).fit([(0, 1), (1, 2)], checkpoint=folder) for _ in range(2))
    >>> bool((one.solution_.point == two.solution_.point).all())
    True
    """

    def __init__(self, checkpoint: CheckpointLike, rng: np.random.Generator, *, seeded: bool) -> None:
        self.rng = rng
        self.checkpoint = Checkpoint(checkpoint) if isinstance(checkpoint, (str, os.PathLike)) else checkpoint
        earlier = None if self.checkpoint is None or seeded else self.checkpoint.about
        if earlier and earlier["generator"]["bit_generator"] == rng.bit_generator.state["bit_generator"]:
            assert self.checkpoint is not None
            _set_state(rng, earlier["generator"], self.checkpoint)
        self._first = rng.bit_generator.state

    @contextmanager
    def journal(self, model: Any, graph: Graph) -> Iterator[Journal]:
        """The journal of this fit while it runs; an error if the folder holds another fit."""
        checkpoint = self.checkpoint
        if checkpoint is None:
            yield NoJournal()
            return
        checkpoint.begin(description(model, graph, model.held_out_), self._first)
        journal = KeptJournal(checkpoint, self.rng)
        try:
            yield journal
        except DivergedError:
            checkpoint.clear()  # it would only diverge again
            raise
        except BaseException:
            checkpoint.pause()
            raise
        with suppress(KeyboardInterrupt):  # there is a result now, which matters more than its checkpoint
            if journal.interrupted or checkpoint.stays:
                checkpoint.pause()
            else:
                checkpoint.clear()


def minimized(
    journal: Journal,
    solver: Solver,
    function: ValueAndGradient,
    start: Float64Array,
    lower_bound: Float64Array,
    on_iteration: OnIteration | None = None,
) -> Solution:
    """The solver's result, with every evaluation on the way in the journal, unless the search is one compiled call.

    >>> from philia.solvers import LBFGSB
    >>> bowl = lambda x: (float(((x - 1) ** 2).sum()), 2 * (x - 1))
    >>> minimized(NoJournal(), LBFGSB(), bowl, np.zeros(2), np.zeros(2)).point.round(9).tolist()
    [1.0, 1.0]
    """
    return journal.solved(
        start,
        lambda: solver.minimize(
            function if unwatched(solver, function) else journal.recorded(function), start, lower_bound, on_iteration
        ),
        lambda point: function(point)[0],
    )


def _set_state(rng: np.random.Generator, state: Mapping[str, Any], checkpoint: Checkpoint) -> None:
    try:
        rng.bit_generator.state = state
    except Exception as error:  # every kind of generator raises errors of its own
        raise checkpoint.damaged(f"it does not hold a state of this random generator ({error})") from error


def _alike(value: Any, example: Any) -> bool:
    """Whether a value from a file has the type and shape of an example; an empty list stands for one of any length."""
    if isinstance(example, np.ndarray):
        if not isinstance(value, np.ndarray) or value.dtype not in (np.float32, np.float64):
            return False
        return value.shape == example.shape or (example.shape == (0,) and value.ndim == 1)
    if isinstance(example, float):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is type(example) and (not isinstance(value, int) or value >= 0)


def _key(point: FloatArray) -> str:
    return f"{zlib.crc32(np.ascontiguousarray(point).data):08x}"
