"""A real cluster of two processes, started once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from philia.execution.cluster import DaskCluster


@pytest.fixture(scope="package")
def distributed() -> Any:
    return pytest.importorskip("distributed", reason="needs philia[dask]")


@pytest.fixture(scope="package")
def address(distributed: Any) -> Iterator[str]:
    """A scheduler that anyone on this machine may use, with two workers."""
    here = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, **here) as started:
        yield started.scheduler_address


@pytest.fixture(scope="package")
def cluster(distributed: Any) -> Iterator[DaskCluster]:
    with DaskCluster.local(2, threads=1) as started:
        yield started
