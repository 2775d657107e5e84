"""Memory: how much is free, and how much of it this process may use, checked before anything is allocated."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from philia.exceptions import InvalidParameterError, NotEnoughMemoryError

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?)(I?)B?", re.IGNORECASE)

_GROUPS, _MEMBERSHIPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_AT_START = 250 * 10**6
"""Bytes that Python and the libraries take after import, roughly, where the system does not tell."""

_UNKNOWN = 1 << 40
"""Bytes assumed to be free where the system does not tell: so much that nothing is refused."""


@dataclass(frozen=True)
class MemoryBound:
    """How many bytes of private memory this process may hold, Python and its libraries included.

    Memory-mapped files do not count: the system reclaims their pages when it needs them.

    >>> MemoryBound.of("4G"), MemoryBound.of("1.5 GiB"), MemoryBound.of(500_000_000)
    (MemoryBound(4.0 GB), MemoryBound(1.6 GB), MemoryBound(0.5 GB))
    """

    size: int

    @classmethod
    def of(cls, given: MemoryBound | str | int) -> MemoryBound:
        """The bound given as a number of bytes, or as text such as 500M, 4G (10⁹ bytes each) or 4GiB (2³⁰).

        >>> MemoryBound.of("lots")
        Traceback (most recent call last):
        philia.exceptions.InvalidParameterError: the memory is 'lots'; give a size such as 500M, 4G, 4GiB or ...
        """
        if isinstance(given, MemoryBound):
            return given
        found = _SIZE.fullmatch(str(given).strip())
        if found is None or (found[3] and not found[2]):
            raise InvalidParameterError(
                f"the memory is {given!r}; give a size such as 500M, 4G, 4GiB or a number of bytes"
            )
        units = _BINARY_UNITS if found[3] else _UNITS
        return cls(int(float(found[1]) * units[found[2].upper()]))

    @property
    def left(self) -> int:
        """How many bytes this process may still allocate, within the bound and the memory that is free."""
        return max(0, min(self.size - private_memory(), available_memory()))

    def require(self, needed: int, purpose: str) -> None:
        """Raise an error if work that needs this many bytes cannot fit.

        >>> MemoryBound(10**6).require(2 * 10**9, "a table of names")
        Traceback (most recent call last):
        philia.exceptions.NotEnoughMemoryError: a table of names needs about 2.0G, but of the memory allowed, 1M, 0M ...
        """
        free = available_memory()
        if needed > free:
            raise NotEnoughMemoryError(
                f"{purpose} needs about {needed / 1e9:,.1f} GB, but {free / 1e9:,.1f} GB are free; "
                "use a smaller graph, fewer communities, or a machine with more memory"
            )
        held = private_memory()
        if needed > self.size - held:
            raise NotEnoughMemoryError(
                f"{purpose} needs about {in_words(needed)}, but of the memory allowed, {in_words(self.size)}, "
                f"{in_words(max(0, self.size - held))} are left; allow at least {in_words(needed + held)}"
            )

    def __repr__(self) -> str:
        return f"MemoryBound({self.size / 1e9:.1f} GB)"


WHOLE_MACHINE = MemoryBound(sys.maxsize)
"""The bound when none is given: the memory that is free."""


def in_words(size: int) -> str:
    """A number of bytes, rounded up, as :meth:`MemoryBound.of` reads it.

    >>> in_words(1_234_000_000), in_words(87_654_321)
    ('1.3G', '88M')
    """
    return f"{-(-size // 10**8) / 10:.1f}G" if size >= 10**9 else f"{-(-size // 10**6)}M"


def require_memory(needed: int, purpose: str) -> None:
    """Raise an error if work needs more memory than is free.

    >>> require_memory(1 << 60, "a dense matrix of 400,000,000 nodes")
    Traceback (most recent call last):
    philia.exceptions.NotEnoughMemoryError: a dense matrix of 400,000,000 nodes needs about 1,152,921,504.6 GB, but ...
    """
    WHOLE_MACHINE.require(needed, purpose)


def available_memory() -> int:
    """Bytes that can still be allocated, as far as the system tells; a generous guess where it does not.

    The limit of a container or a batch job counts where it is below that of the machine.
    """
    return min(_free_in_machine(), _free_in_group(_GROUPS, _MEMBERSHIPS))


def private_memory() -> int:
    """Bytes of private memory that this process holds, without memory-mapped files.

    >>> private_memory() > 10**6
    True
    """
    status = _fields(Path("/proc/self/status"))
    if "RssAnon" in status:
        return status["RssAnon"] + status.get("VmSwap", 0)
    try:
        import resource
    except ImportError:  # Windows
        return _AT_START
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) * (1 if sys.platform == "darwin" else 1024)


def _free_in_machine() -> int:
    meminfo = _fields(Path("/proc/meminfo"))
    if "MemAvailable" in meminfo:
        return meminfo["MemAvailable"]
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN


def _fields(path: Path) -> dict[str, int]:
    """The sizes in a table of Linux's /proc, in bytes; empty on other systems."""
    lines = [line.replace(":", " ").split() for line in _lines(path)]
    return {line[0]: int(line[1]) * 1024 for line in lines if len(line) == 3 and line[2] == "kB"}


def _free_in_group(groups: Path, memberships: Path) -> int:
    """What the control groups of this process leave it, in either version of Linux's control groups."""
    free = sys.maxsize
    for membership in _lines(memberships):
        _, controllers, inside = membership.split(":", 2)
        if not controllers:
            free = min(free, _left_in(groups, inside, "memory.max", "memory.current", "inactive_file"))
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            free = min(free, _left_in(groups / "memory", inside, *names))
    return free


def _left_in(root: Path, inside: str, limit: str, used: str, given_back: str) -> int:
    """The least that any group above the process leaves; in a container the innermost group is at the root."""
    free, folder = sys.maxsize, root / inside.strip("/")
    for group in [folder, *folder.parents]:
        if group == root.parent:
            break
        allowed, taken = _number(group / limit), _number(group / used)
        if allowed is not None and taken is not None:
            free = min(free, max(0, allowed - taken + _cached(group / "memory.stat", given_back)))
    return free


def _number(path: Path) -> int | None:
    """The number in a file; None if there is none, as for "max"."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _cached(path: Path, name: str) -> int:
    """Bytes of cached file pages that are charged to the group and reclaimed first."""
    return next((int(line.split()[1]) for line in _lines(path) if line.startswith(f"{name} ")), 0)


def _lines(path: Path) -> list[str]:
    """The lines of a file; empty if it does not exist."""
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
