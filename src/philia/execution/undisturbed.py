"""Read by dask in each process of a local cluster, before it works.

A Ctrl-C in a terminal goes to all processes that were started from it. The one that the user sees keeps the best so
far, and for that the others must still be there; they end when it tells them to.
"""

from __future__ import annotations

import signal


def dask_setup(_: object) -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
