"""The folder of a fit under way, from which the fit resumes after its process was killed.

``fit.json`` describes the fit. Each ``records-*.safetensors`` holds the results of a few seconds; it is written under
another name, synced and renamed, so it is complete or absent. Everything is verified before anything is used.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from philia._version import __version__
from philia.exceptions import CheckpointError, ModelFileError, StorageError
from philia.fitting.estimator import Estimator
from philia.graphs import Graph
from philia.pairs import HeldOut
from philia.storage import saving
from philia.storage.tensors import read_arrays, write_arrays

_LOG = logging.getLogger("philia")

EVERY = 5.0
"""Seconds between two writes: about how much work a killed process loses."""

_SHARE = 0.05
"""Share of a fit's time that may go into optional records; too small to notice."""

_AT_ONCE = 64e6
"""Above this many waiting bytes, records are written at once instead of being copied in memory."""

_HEAD = 500
"""Bytes that a record takes in the header of its file, roughly."""

_DEEPEST = 6
"""How deeply nested a setting is described. Ours nest three deep; the limit is for objects that contain themselves."""

_OURS = re.compile(r"fit\.json|records-[0-9]{8}\.safetensors|\.(fit\.json|records-[0-9]{8}\.safetensors)\..*\.tmp")
"""Our files and what a killed write leaves of them; files with other names are never touched."""

_FIT = {"philia": str, "model": str, "settings": dict, "nodes": int, "links": int, "graph": str, "held out": str}
"""The fields of a description."""

_EXECUTION = frozenset({"n_jobs", "executor"})
"""Settings that decide where a fit runs; they do not change a bit of its result."""

Address = tuple[int, ...]
"""(3,) is the fourth result of a fit, (3, 0) the first result on the way to it."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Record:
    """A result: named arrays and plain values, the key of the step it belongs to, and the seconds it took.

    ``generator`` is the state of the fit's random generator after the step.
    """

    key: str
    values: Mapping[str, Any]
    generator: Mapping[str, Any] | None = None
    seconds: float = 0.0

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The values that are arrays."""
        return {name: value for name, value in self.values.items() if isinstance(value, np.ndarray)}

    @property
    def nbytes(self) -> int:
        """Size on disk, roughly."""
        return _HEAD + sum(array.nbytes for array in self.arrays.values())


@dataclass(eq=False)
class Checkpoint:
    """The records of a fit by address, in memory until they are written to the folder.

    A fit of less than ``every`` seconds writes nothing. If the folder cannot be written, one warning says so and the
    fit continues without it. When the fit is done the folder is removed, unless it ``stays``: then it holds the end of
    the fit until its owner calls ``clear``.

    >>> import tempfile
    >>> from philia import SVD, as_graph
    >>> folder, fit = tempfile.mkdtemp(), description(SVD(2), as_graph([(0, 1)]), None)
    >>> killed, resumed = Checkpoint(folder, every=0.0), Checkpoint(folder)
    >>> killed.begin(fit, {"bit_generator": "PCG64"})
    >>> killed.put((0,), Record("start", {"level": 0.5}))
    >>> resumed.begin(fit, {"bit_generator": "PCG64"})
    >>> resumed.find((0,)).values
    {'level': 0.5}
    """

    folder: str | os.PathLike[str]
    every: float = field(default_factory=lambda: EVERY)
    stays: bool = False

    def __post_init__(self) -> None:
        self.path = Path(self.folder).expanduser()
        if self.path.exists() and not self.path.is_dir():
            raise CheckpointError(f"{str(self.path)!r} is a file; a checkpoint is a folder, or a name for a new one")
        self._description = self.path / "fit.json"
        self._reset()

    def _reset(self) -> None:
        self._table: dict[Address, Record | Path] = {}  # a record that waits to be written, or the file that holds it
        self._loaded: tuple[Path | None, dict[Address, Record]] = None, {}
        self._budget = _Budget(self.path)
        self._last_write = time.perf_counter()
        self._broken = False

    @property
    def about(self) -> dict[str, Any] | None:
        """The fit in the folder, the generator it began with, and when that was; None if the folder holds no fit."""
        return self._read(_read_about, self._description) if self._description.is_file() else None

    def begin(self, fit: Mapping[str, Any], generator: Mapping[str, Any]) -> None:
        """Verify and take over the records of an earlier run of this fit; an error if they are of another fit."""
        now = datetime.now().astimezone().isoformat(" ", "minutes")
        about, earlier = _as_json({"fit": fit, "generator": generator, "begun": now}), self.about
        if earlier is not None:
            other = differences(earlier["fit"], about["fit"])
            if not other and earlier["generator"] != about["generator"]:
                other = ["the random generator started in another state"]
            if other:
                raise CheckpointError(
                    f"the checkpoint {str(self.path)!r} is of another fit: {'; '.join(other)}. Fit as before to resume "
                    "it, remove the folder to start again, or use another folder"
                )
        self._about = earlier or about
        self._reset()
        for group in self._groups() if earlier else ():  # without a description, the rest of a killed removal
            for address in self._read(self._records, group):
                self._enter(address, group)
        self._remove_unneeded()

    def find(self, address: Address) -> Record | None:
        """The record at an address, if there is one."""
        entry = self._table.get(address)
        if not isinstance(entry, Path):
            return entry
        if self._loaded[0] != entry or address not in self._loaded[1]:
            self._loaded = entry, self._read(self._records, entry)
        return self._loaded[1].pop(address)  # the others in the file come next; this one is not asked for again

    def put(self, address: Address, record: Record) -> None:
        """Keep a record; it is written now if it is time to, otherwise later."""
        if self._broken:
            return
        self._budget.waiting += record.nbytes
        at_once = self.due or self._budget.waiting > _AT_ONCE
        self._enter(address, record if at_once else deepcopy(record))  # solvers go on to change their arrays
        if at_once:
            self.write()

    def _enter(self, address: Address, entry: Record | Path) -> None:
        """The result of a search replaces those on the way to it, which are the latest.

        A search that took another course than before replaces its earlier result.
        """
        while self._table and next(reversed(self._table))[: len(address)] == address:
            self._table.popitem()
        for length in range(1, len(address)):
            self._table.pop(address[:length], None)
        self._table[address] = entry

    def forget_from(self, address: Address) -> None:
        """Forget the record at an address and all that follow."""
        self._table = {other: entry for other, entry in self._table.items() if other < address}

    @property
    def due(self) -> bool:
        """Whether it is time to write."""
        return time.perf_counter() - self._last_write >= self.every

    def affords(self, nbytes: int) -> bool:
        """Whether there is time and space for an optional record of this size."""
        return not self._broken and self._budget.affords(nbytes)

    def write(self) -> None:
        """Write the waiting records to a new file, then remove the files that are no longer needed."""
        waiting = {address: entry for address, entry in self._table.items() if isinstance(entry, Record)}
        if not waiting or self._broken:
            return
        began, number = time.perf_counter(), max((int(path.stem[-8:]) for path in self._groups()), default=0) + 1
        group = self.path / f"records-{number:08}.safetensors"
        try:
            if not self._description.is_file():
                self.path.mkdir(parents=True, exist_ok=True)
                with saving(self._description) as file:
                    file.write(_as_text({**self._about, "checksum": _digest(self._about)}))
            _write_records(group, waiting, _digest(self._about))
        except (StorageError, ModelFileError, OSError) as error:
            self._broken, self._table = True, {a: entry for a, entry in self._table.items() if a not in waiting}
            _LOG.warning("cannot write the checkpoint %r (%s); the fit continues without it", str(self.path), error)
            return
        self._table |= dict.fromkeys(waiting, group)
        self._loaded = None, {}
        self._remove_unneeded()
        self._last_write = time.perf_counter()
        self._budget.spend(sum(record.nbytes for record in waiting.values()), self._last_write - began)

    def pause(self) -> None:
        """Write the waiting records, unless the fit was a short one."""
        if self.due or self._description.is_file():
            self.write()

    def clear(self) -> None:
        """Remove the checkpoint, and the folder if nothing else is in it."""
        self._reset()
        self._remove_unneeded()
        with suppress(OSError):  # it may hold other files, or not exist
            self.path.rmdir()

    def set_aside(self) -> Path:
        """Rename the folder to make room for another fit; the new path."""
        number = next(n for n in range(1, 10**6) if not self.path.with_name(f"{self.path.name}.{n}").exists())
        try:
            return self.path.rename(self.path.with_name(f"{self.path.name}.{number}"))
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint {str(self.path)!r} of another fit cannot be renamed ({error.strerror}); move it, or "
                "save the model under another name"
            ) from error

    def damaged(self, what: str) -> CheckpointError:
        """The error that says what is wrong with the checkpoint, and what to do."""
        return CheckpointError(
            f"the checkpoint {str(self.path)!r} is damaged: {what}; remove the folder to start the fit again"
        )

    def _read(self, read: Callable[[Path], T], path: Path) -> T:
        try:
            return read(path)
        except Exception as error:  # parsers raise many kinds of errors; each means that the file is damaged
            raise self.damaged(f"{path.name} cannot be read ({str(error) or type(error).__name__})") from error

    def _records(self, group: Path) -> dict[Address, Record]:
        return _read_records(group, _digest(self._about))

    def _groups(self) -> list[Path]:
        """The files of records, in the order in which they were written."""
        return sorted(path for path in self.path.glob("records-*") if _OURS.fullmatch(path.name))

    def _remove_unneeded(self) -> None:
        needed = {*self._table.values(), *([self._description] if self._table else [])}
        for path in sorted(self.path.glob("*")):  # the description goes before the records, which are void without it
            if _OURS.fullmatch(path.name) and path not in needed:
                with suppress(OSError):  # a file that cannot be removed is no reason to lose a fit
                    path.unlink()


class _Budget:
    """What records have cost in time and space, and what optional ones may cost."""

    def __init__(self, path: Path) -> None:
        self.began, self.seconds, self.nbytes, self.waiting = time.perf_counter(), 0.0, 0, 0
        self.disk = next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
        self.free = shutil.disk_usage(self.disk).free
        self.least_free = self.free / 2  # the other half is not ours

    def spend(self, nbytes: int, seconds: float) -> None:
        self.nbytes, self.seconds, self.waiting = self.nbytes + nbytes, self.seconds + seconds, 0
        self.free = shutil.disk_usage(self.disk).free

    def affords(self, nbytes: int) -> bool:
        nbytes += self.waiting
        speed = (64e6 + self.nbytes) / (0.25 + self.seconds)  # bytes per second, of an SSD until measured
        in_time = self.seconds + nbytes / speed <= _SHARE * (time.perf_counter() - self.began)
        return in_time and self.free - nbytes >= self.least_free


def _write_records(path: Path, records: Mapping[Address, Record], fit: str) -> None:
    arrays: dict[str, npt.NDArray[Any]] = {}
    heads = {}
    for address, record in records.items():
        name = _name(address)
        arrays |= {f"{name}:{part}": array for part, array in record.arrays.items()}
        plain = {part: value for part, value in record.values.items() if part not in record.arrays}
        about = {"generator": record.generator, "seconds": record.seconds}
        heads[name] = {"key": record.key, "plain": plain, "arrays": list(record.arrays), **about}
    write_arrays(path, arrays, {"fit": fit, "records": _as_json(heads)})


def _read_records(path: Path, fit: str) -> dict[Address, Record]:
    arrays, header = read_arrays(path)
    if header["format"] > 1 and header["fit"] != fit:  # format 1 did not name the fit
        raise ValueError("its records belong to another fit")
    found = {}
    for name, head in header["records"].items():
        address = tuple(map(int, name.split("/")))
        if _name(address) != name:
            raise ValueError(f"{name!r} is not the name of a record")
        values = {**head["plain"], **{part: arrays[f"{name}:{part}"] for part in head["arrays"]}}
        found[address] = Record(head["key"], values, head["generator"], float(head["seconds"]))
    return found


def _name(address: Address) -> str:
    return "/".join(map(str, address))


def _read_about(path: Path) -> dict[str, Any]:
    text = path.read_bytes()
    about = json.loads(text)
    if not isinstance(about, dict) or text != _as_text(about):
        raise ValueError("it has been changed")
    if about.pop("checksum", None) not in (None, _digest(about)):  # earlier versions wrote no checksum
        raise ValueError("its content does not match its checksum")
    if _types(about) != {"fit": dict, "generator": dict, "begun": str} or _types(about["fit"]) != _FIT:
        raise ValueError("it does not describe a fit")
    if "bit_generator" not in about["generator"]:
        raise ValueError("it does not hold a random generator")
    return about


def _types(values: dict[str, Any]) -> dict[str, type]:
    return {name: type(value) for name, value in values.items()}


def _as_json(values: Any) -> Any:
    """The values as they will be read from a file: arrays and NumPy's numbers become lists and plain numbers."""
    return json.loads(json.dumps(values, default=lambda array: array.tolist()))


def _as_text(about: Mapping[str, Any]) -> bytes:
    return json.dumps(about, indent=1).encode()


def _digest(about: Mapping[str, Any]) -> str:
    return hashlib.blake2b(_as_text(about), digest_size=16).hexdigest()


def description(model: Estimator, graph: Graph, held_out: HeldOut | None) -> dict[str, Any]:
    """All that a fit depends on except its random generator, as plain values that tell it from other fits.

    >>> from philia import CommunityModel, as_graph
    >>> fit = description(CommunityModel(2, 1, penalty=0.5), as_graph([(0, 1)]), None)
    >>> fit["model"], fit["links"], fit["settings"]["penalty"]
    ('CommunityModel', 1, '0.5')
    """
    settings = {name: value for name, value in model.get_params(deep=False).items() if name not in _EXECUTION}
    adjacency, weights = graph.adjacency, [] if graph.weights is None else [graph.weights]
    return {
        "philia": __version__,
        "model": type(model).__name__,
        "settings": {name: _described(value) for name, value in settings.items()},
        "nodes": graph.n_nodes,
        "links": graph.n_links,
        "graph": _hash(adjacency.indptr.astype(np.int64), adjacency.indices, *weights),
        "held out": _described_pairs(held_out, graph.n_nodes),
    }


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """How the second description differs from the first, in words.

    >>> differences({"nodes": 3, "settings": {"penalty": "1.0"}}, {"nodes": 3, "settings": {"penalty": "2.0"}})
    ['penalty was 1.0 and is 2.0']
    """
    before, now = ({**fit, **fit["settings"], "settings": None} for fit in (before, now))
    changed = [name for name in now if name != "graph" and before.get(name) != now[name]]
    said = [f"{name} was {before.get(name, 'not there')} and is {now[name]}" for name in changed]
    only_links = before.get("graph") != now.get("graph") and not {"nodes", "links"} & set(changed)
    return ["the links or their weights differ", *said] if only_links else said


def _described(value: Any, depth: int = 0) -> str:
    """A short text for a setting, the same in every process; arrays are told apart by a hash.

    >>> _described(2.5), _described(max), _described(np.random.default_rng(7))
    ('2.5', 'builtins.max', 'Generator')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bytes, int, float)):
        return repr(value)
    if isinstance(value, type) or inspect.isroutine(value):
        return f"{value.__module__}.{value.__qualname__}"
    name = type(value).__name__
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype} {value.shape} {_hash(value)}"
    if isinstance(value, (np.random.Generator, np.random.RandomState)) or depth == _DEEPEST:
        return name  # the state of a generator is kept beside the description
    if isinstance(value, (list, tuple)):
        return f"{name}({', '.join(_described(part, depth + 1) for part in value)})"
    if is_dataclass(value):
        parts = {f.name: getattr(value, f.name) for f in fields(value)}
    else:
        parts = {key: part for key, part in getattr(value, "__dict__", {}).items() if not key.startswith("__")}
    return f"{name}({', '.join(f'{key}={_described(part, depth + 1)}' for key, part in parts.items())})"


def _described_pairs(held_out: HeldOut | None, n: int) -> str:
    if held_out is None:
        return repr(None)
    listed = held_out.listed(n)
    parts = [repr(held_out.random_part)] if held_out.random_part else []
    return " and ".join(parts + [f"listed pairs {_hash(*listed)}"] * (len(listed[0]) > 0))


def _hash(*arrays: npt.NDArray[Any]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
