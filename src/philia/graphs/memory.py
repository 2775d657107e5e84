"""How much memory there is, asked before it is needed."""

from __future__ import annotations

import os
from pathlib import Path

from philia.exceptions import NotEnoughMemoryError


def available_memory() -> int:
    """Bytes that can still be allocated, as far as the system tells; a generous guess where it does not."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 40


def require_memory(needed: int, purpose: str) -> None:
    """Refuse work that cannot fit, before any of it is allocated.

    >>> require_memory(1 << 60, "a dense matrix of 400,000,000 nodes")
    Traceback (most recent call last):
    philia.exceptions.NotEnoughMemoryError: a dense matrix of 400,000,000 nodes needs about 1,152,921,504.6 GB but ...
    """
    there = available_memory()
    if needed > there:
        raise NotEnoughMemoryError(
            f"{purpose} needs about {needed / 1e9:,.1f} GB but {there / 1e9:,.1f} GB are free; "
            "use a smaller graph, fewer communities, or a machine with more memory"
        )
