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
def cluster(distributed: Any) -> Iterator[DaskCluster]:
    with DaskCluster.local(2, threads=1) as started:
        yield started
