"""Mutated inputs, read in a child process that may crash, hang or eat memory without taking the tests with it."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from philia.exceptions import PhiliaError

SECONDS = 10.0
"""The longest that one input may take, in time of the processor: other work on the machine is not its fault."""

_PATIENCE = 6
"""How many times as long, by the clock, a child may be silent before it is taken to hang."""

GROWTH = 2**30
"""The most memory, in bytes, that reading one small input may add to a process."""

_LIMIT = 8 * 2**30
"""Address space of the child: a request for terabytes fails in it instead of disturbing the machine."""


@dataclass(frozen=True)
class Target:
    """One kind of input: valid examples, and what is done with a mutated one.

    ``read`` may return or raise a ``PhiliaError``; anything else is a failure. What it returns is a word for the
    outcome ("read", "refused") and is counted; to report a lie, it raises ``AssertionError``.
    """

    name: str
    examples: Callable[[Path], Sequence[Path]]
    read: Callable[[Path], str]
    mutate: Callable[[bytes, np.random.Generator], bytes]


@dataclass
class Findings:
    """What a run has seen: how often each outcome occurred, and the inputs that broke a promise."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def run(target: Target, inputs: int, seed: int = 0, keep: Path | None = None) -> Findings:
    """Read this many mutated inputs; failing ones are written to ``keep``. The same seed makes the same inputs."""
    findings = Findings()
    with tempfile.TemporaryDirectory() as folder:
        examples = [(path.name, path.read_bytes()) for path in target.examples(Path(folder))]
        done = 0
        while done < inputs:
            done = _batch(target, examples, range(done, inputs), seed, Path(folder), keep, findings)
    return findings


def mutated(target: Target, examples: Sequence[tuple[str, bytes]], seed: int, number: int) -> tuple[str, bytes]:
    """The name and bytes of one input, which depend on the seed and its number alone."""
    rng = np.random.default_rng((seed, number))
    name, content = examples[int(rng.integers(len(examples)))]
    return name, target.mutate(content, rng)


def _batch(
    target: Target,
    examples: Sequence[tuple[str, bytes]],
    numbers: range,
    seed: int,
    folder: Path,
    keep: Path | None,
    findings: Findings,
) -> int:
    """Read inputs in one child until one of them ends it; the number of the next input."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_read_all, args=(target, examples, numbers, seed, folder, there))
    with warnings.catch_warnings():  # newer Pythons warn of a fork beside threads; this child starts none
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    there.close()
    number = numbers.start
    try:
        while number < numbers.stop:
            outcome = _outcome(here, child)
            ended = outcome.startswith("!")
            findings.outcomes[outcome.partition(":")[0].lstrip("!?")] += 1
            if ended or outcome.startswith("?"):
                findings.failures.append(f"{target.name}, seed {seed}, input {number}: {outcome.lstrip('!?')}")
                if keep is not None:
                    name, content = mutated(target, examples, seed, number)
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{target.name}-{seed}-{number}-{name}").write_bytes(content)
            number += 1
            if ended:
                break
    finally:
        child.kill()
        child.join()
        here.close()
    return number


def _outcome(here: Connection, child: multiprocessing.process.BaseProcess) -> str:
    """The child's word about its next input; with "!" in front if the child cannot go on."""
    if not here.poll(_PATIENCE * SECONDS):
        return f"!hang: no answer within {_PATIENCE * SECONDS:.0f} s"
    try:
        return str(here.recv())
    except EOFError:
        child.join()
        return f"!crash: the process ended with code {child.exitcode}"


def _read_all(
    target: Target,
    examples: Sequence[tuple[str, bytes]],
    numbers: range,
    seed: int,
    folder: Path,
    there: Connection,
) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()  # a crash is expected and reported in one line
    warnings.simplefilter("ignore")
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    before = _peak()
    for number in numbers:
        name, content = mutated(target, examples, seed, number)
        path = folder / f"input-{name}"
        path.write_bytes(content)
        started = time.process_time()
        outcome = _one(target, path)
        if time.process_time() - started > SECONDS:
            outcome = "?hang: answered too late"
        if _peak() - before > GROWTH + 64 * len(content):
            there.send(f"!memory: {(_peak() - before) / 2**20:.0f} MiB for {len(content)} bytes, then {outcome}")
            return
        there.send(outcome)


def _one(target: Target, path: Path) -> str:
    try:
        return target.read(path)
    except PhiliaError:
        return "refused"
    except AssertionError as lie:
        return f"?lie: {lie}"
    except BaseException as error:  # whatever is not ours is what this looks for
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
        return f"?foreign: {type(error).__name__} at {place}: {str(error)[:200]}"


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def shuffled_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """A few random edits: bits flipped, bytes set, pieces cut out, doubled, moved, or put in."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 6))):
        if not data:
            break
        first, second = sorted(int(place) for place in rng.integers(0, len(data) + 1, size=2))
        second = min(second, first + int(rng.choice([1, 4, 16, 256])))
        match int(rng.integers(7)):
            case 0:
                place = int(rng.integers(len(data)))
                data[place] ^= 1 << int(rng.integers(8))
            case 1:
                data[int(rng.integers(len(data)))] = int(rng.integers(256))
            case 2:
                del data[first:second]
            case 3:
                data[first:first] = data[first:second]
            case 4:
                piece = bytes(data[first:second])
                del data[first:second]
                place = int(rng.integers(len(data) + 1))
                data[place:place] = piece
            case 5:
                data[first:second] = bytes(TOKENS[int(rng.integers(len(TOKENS)))])
            case _:
                del data[int(rng.integers(len(data))) :]
    return bytes(data)


TOKENS: Sequence[bytes] = (
    b"\0",
    b" ",
    b"\t",
    b"\r\n",
    b'"',
    b"-1",
    b"0",
    b"1e999",
    b"nan",
    b"9223372036854775807",
    b"9223372036854775808",
    b"99999999999999999999999999999999",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x00\x00\x00\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"[[[[",
    b"{}",
    b"null",
    b"%",
    b"#",
)
"""Pieces of text and numbers that readers are most likely to trip over."""
