"""Where a command computes: on this machine's threads, on processes of its own, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from philia.cli.options import option
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.execution.cluster import DaskCluster
    from philia.models import LinkModel

Cluster = Annotated[str | None, option("--cluster", "Run on Dask; a scheduler: tcp://10.0.0.1:8786.")]
Workers = Annotated[int | None, option("--workers", "Run on so many processes, with Dask.")]


@contextmanager
def running(model: LinkModel, cluster: str | None, workers: int | None, threads: int | None = None) -> Iterator[None]:
    """The model computes where it was asked to; connections and processes end with this.

    >>> from philia import SVD, CommunityModel
    >>> with running(CommunityModel(), None, None):
    ...     pass
    >>> with running(SVD(), "tcp://10.0.0.1:8786", None):
    ...     pass
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: --cluster is no setting of SVD, which runs on this machine; leave it out
    """
    asked = [name for name, value in (("--cluster", cluster), ("--workers", workers)) if value is not None]
    if not asked:
        yield
        return
    if len(asked) > 1:
        raise InvalidParameterError(
            "--cluster and --workers are both given; --workers starts processes on this machine, so leave one out"
        )
    if "executor" not in model.get_params(deep=False):
        raise InvalidParameterError(
            f"{asked[0]} is no setting of {type(model).__name__}, which runs on this machine; leave it out"
        )
    with _started(cluster, workers, threads) as place:
        model.set_params(executor=place)
        yield


def _started(cluster: str | None, workers: int | None, threads: int | None) -> DaskCluster:
    from philia.execution.cluster import DaskCluster

    if workers is None:
        return DaskCluster(cluster)
    if workers < 1:
        raise InvalidParameterError(f"--workers is {workers}; it must be 1 or more")
    return DaskCluster.local(workers, threads=None if threads is None else max(1, threads // workers))
