"""A folder that holds how far a fit has come, so that it can go on after its process has died.

Records are written in groups, each a file that is there whole or not at all. All of it is verified before any of it is
used.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from philia.exceptions import CheckpointError, ModelFileError, StorageError
from philia.models.course import Course, Place
from philia.models.records import Record, read_records, write_records
from philia.storage import saving

_LOG = logging.getLogger("philia")

EVERY = 5.0
"""Seconds between two writings: what a killed process may lose."""

_SHARE = 0.05
"""The share of its time that a fit may spend on records it could do without."""

_AT_ONCE = 64e6
"""More bytes than this are written at once, and do not wait in memory."""

_ABOUT = "fit.json"

_GROUP = re.compile(r"records-([0-9]{8})\.safetensors")
_NAME = re.compile(r"(0|[1-9][0-9]{0,8})(/(0|[1-9][0-9]{0,8}))*")
"""Names of files, and of the records in them; what is called otherwise is not ours."""

T = TypeVar("T")


@dataclass(eq=False)
class Checkpoint:
    """The folder, and the records that wait to be written to it.

    A fit of less than ``every`` seconds writes nothing. Where nothing can be written, a warning says so, once, and the
    fit goes on. When it is done the folder is cleared; one that ``stays`` then holds the end of the fit alone, until
    its owner calls ``clear``.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> before = Checkpoint(folder, every=0.0)
    >>> before.begin({"model": "an example"})
    >>> before.put((0,), Record("start", {"level": 0.5}))
    >>> after = Checkpoint(folder)
    >>> after.begin({"model": "an example"})
    >>> after.find((0,)).values
    {'level': 0.5}
    """

    folder: str | os.PathLike[str]
    every: float = field(default_factory=lambda: EVERY)
    stays: bool = False

    def __post_init__(self) -> None:
        self.path = Path(self.folder).expanduser()
        if self.path.exists() and not self.path.is_dir():
            raise CheckpointError(f"{str(self.path)!r} is a file; a checkpoint is a folder, or a name for a new one")
        self._written: Course[Path] = Course()
        self._waiting: Course[Record] = Course()
        self._read: tuple[Path | None, dict[str, Record]] = None, {}
        self._costs = _Costs(self.path)
        self._last = time.perf_counter()
        self._broken = False

    @property
    def about(self) -> dict[str, Any] | None:
        """What is known about the fit that the folder is a checkpoint of; None if it is of none."""
        path = self.path / _ABOUT
        return self._reading(_read_about, path) if path.is_file() else None

    def begin(self, about: dict[str, Any]) -> None:
        """Take the records that are there; ``about`` is what a new checkpoint will say about its fit."""
        earlier = self.about
        self._about = about if earlier is None else earlier
        self._written, self._waiting, self._broken = Course(), Course(), False
        _remove(self._torn())
        if earlier is None:
            _remove(self._groups())  # what is left of one that was being removed
        for group in self._groups():
            for place in self._reading(lambda group: list(map(_place, self._records(group))), group):
                self._written[place] = group
        self._costs, self._last = _Costs(self.path), time.perf_counter()

    def find(self, place: Place) -> Record | None:
        """The record at a place, if there is one."""
        waiting, group = self._waiting.get(place), self._written.get(place)
        if waiting is not None or group is None:
            return waiting
        if self._read[0] != group or _name(place) not in self._read[1]:
            self._read = group, self._reading(self._records, group)
        return self._read[1].pop(_name(place))  # the others are asked for next, most likely; this one not again

    def put(self, place: Place, record: Record) -> None:
        """Keep a record, instead of those on the way to it; it is written now, if it is time to, or later."""
        if self._broken:
            return
        self._waiting[place] = record
        self._costs.waiting += record.nbytes
        if self.due or self._costs.waiting > _AT_ONCE:
            self.write()
        else:
            self._waiting[place] = record.copied()

    def forget(self, place: Place) -> None:
        """Forget the record at a place, those on the way to it, and those that follow it."""
        self._written.forget(place)
        self._waiting.forget(place)

    @property
    def due(self) -> bool:
        """Whether it is time to write."""
        return time.perf_counter() - self._last >= self.every

    def affords(self, nbytes: int) -> bool:
        """Whether a record of this size may be put that the fit could do without."""
        return not self._broken and self._costs.afford(nbytes)

    def write(self) -> None:
        """Write what waits, and remove the files that it makes needless."""
        records = dict(self._waiting.items())
        if not records or self._broken:
            return
        began, group = time.perf_counter(), self._next_group()
        try:
            if self.about is None:
                self.path.mkdir(parents=True, exist_ok=True)
                with saving(self.path / _ABOUT) as file:
                    file.write(_as_text({**self._about, "checksum": _digest(self._about)}).encode())
            named = {_name(place): record for place, record in records.items()}
            write_records(group, named, _digest(self._about))
        except (StorageError, ModelFileError, OSError) as error:
            self._broken, self._waiting = True, Course()
            _LOG.warning("the checkpoint %r cannot be written (%s); the fit goes on without", str(self.path), error)
            return
        for place in records:
            self._written[place] = group
        self._waiting, self._read, needed = Course(), (None, {}), {group for _, group in self._written.items()}
        _remove(group for group in self._groups() if group not in needed)
        self._last = time.perf_counter()
        self._costs.count(sum(record.nbytes for record in records.values()), self._last - began)

    def pause(self) -> None:
        """Write what waits, unless the fit was a short one."""
        if self.due or self.about is not None:
            self.write()

    def finish(self) -> None:
        """The fit is done."""
        if self.stays:
            self.pause()
        else:
            self.clear()

    def set_aside(self) -> Path:
        """Give the folder another name, so that another fit can use this one; the new name."""
        number = next(n for n in range(1, 10**6) if not self.path.with_name(f"{self.path.name}.{n}").exists())
        try:
            return self.path.rename(self.path.with_name(f"{self.path.name}.{number}"))
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint {str(self.path)!r} of another fit cannot be renamed ({error.strerror}); move it, or "
                "write the model elsewhere"
            ) from error

    def clear(self) -> None:
        """Remove the checkpoint, and the folder if nothing else is in it."""
        self._written, self._waiting, self._read = Course(), Course(), (None, {})
        _remove([self.path / _ABOUT, *self._groups(), *self._torn()])
        with suppress(OSError):  # it may hold what is not ours, or not be there at all
            self.path.rmdir()

    def damaged(self, what: str) -> CheckpointError:
        """The error that says what is wrong with the checkpoint, and what to do."""
        return CheckpointError(
            f"the checkpoint {str(self.path)!r} is damaged: {what}; remove the folder to begin the fit anew"
        )

    def _reading(self, read: Callable[[Path], T], path: Path) -> T:
        try:
            return read(path)
        except Exception as error:  # whatever the parsers trip over, the file is to blame
            said = str(error) or type(error).__name__
            raise self.damaged(f"{path.name} cannot be read ({said})") from error

    def _records(self, group: Path) -> dict[str, Record]:
        return read_records(group, _digest(self._about))

    def _groups(self) -> list[Path]:
        """The files of records, in the order in which they were written."""
        return sorted(path for path in self.path.glob("records-*.safetensors") if _GROUP.fullmatch(path.name))

    def _torn(self) -> list[Path]:
        """What is left of writings that were ended in the middle."""
        return [*self.path.glob(".records-*.tmp"), *self.path.glob(f".{_ABOUT}.*.tmp")]

    def _next_group(self) -> Path:
        last = max((int(group.stem.removeprefix("records-")) for group in self._groups()), default=0)
        return self.path / f"records-{last + 1:08}.safetensors"


class _Costs:
    """What writing has cost in time and space, and what it may cost."""

    def __init__(self, path: Path) -> None:
        self.began, self.seconds, self.nbytes, self.waiting = time.perf_counter(), 0.0, 0, 0
        self.disk = next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
        self.free = shutil.disk_usage(self.disk).free
        self.least = self.free / 2

    def count(self, nbytes: int, seconds: float) -> None:
        """So much was written, in so much time."""
        self.nbytes, self.seconds, self.waiting = self.nbytes + nbytes, self.seconds + seconds, 0
        self.free = shutil.disk_usage(self.disk).free

    def afford(self, nbytes: int) -> bool:
        """Whether so much more takes neither too much of the fit's time nor half of the disk that was free."""
        nbytes += self.waiting
        speed = (64e6 + self.nbytes) / (0.25 + self.seconds)  # a guess at first, what was measured later
        in_time = self.seconds + nbytes / speed <= _SHARE * (time.perf_counter() - self.began)
        return in_time and self.free - nbytes >= self.least


def _name(place: Place) -> str:
    return "/".join(map(str, place))


def _place(name: str) -> Place:
    if not _NAME.fullmatch(name):
        raise ValueError(f"no record is called {name[:40]!r}")
    return tuple(map(int, name.split("/")))


def _read_about(path: Path) -> dict[str, Any]:
    text = path.read_bytes().decode("ascii")
    found = json.loads(text)
    if not isinstance(found, dict) or text != _as_text(found):
        raise ValueError("it is not as it was written")
    checksum = found.pop("checksum", None)  # earlier versions wrote none
    if checksum is not None and checksum != _digest(found):
        raise ValueError("its content does not match its checksum")
    return found


def _as_text(about: dict[str, Any]) -> str:
    return json.dumps(about, indent=1)


def _digest(about: dict[str, Any]) -> str:
    return hashlib.blake2b(_as_text(about).encode(), digest_size=16).hexdigest()


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):  # what cannot be removed is no reason to lose a fit
            path.unlink()
