"""The same command on other processes and on a cluster; slow, because each starts one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from philia.models import CommunityModel

SMALL = ["-B", "3", "-C", "1", "--penalty", "1", "--iterations", "5"]


def factors(path: Path) -> Any:
    model = CommunityModel.load(path)
    return model.solution_.value, model.factors_.homophilous, model.factors_.heterophilous


def test_processes_and_a_cluster_give_the_bits_of_threads(folder: Path, run: Any) -> None:
    distributed = pytest.importorskip("distributed", reason="needs philia[dask]")
    run("fit", "links.csv", *SMALL, "-o", "threads.safetensors")
    run("fit", "links.csv", *SMALL, "-o", "processes.safetensors", "--workers", "2")
    here = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **here) as there:
        run("fit", "links.csv", *SMALL, "-o", "cluster.safetensors", "--cluster", there.scheduler_address)
    threads = factors(folder / "threads.safetensors")
    for name in ("processes", "cluster"):
        for one, two in zip(factors(folder / f"{name}.safetensors"), threads, strict=True):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cluster", "tcp://127.0.0.1:1", "--workers", "2"], "--cluster and --workers are both given"),
        (["--workers", "0"], "--workers is 0"),
        (["--model", "SVD", "--workers", "2"], "SVD has no --workers option"),
        (["--cluster", "http://somewhere:80"], "is not the address of a scheduler"),
    ],
)
def test_invalid_executors_are_refused(run: Any, options: list[str], said: str) -> None:
    pytest.importorskip("distributed", reason="needs philia[dask]")
    assert said in run("fit", "links.csv", *options, "-o", "new.safetensors", code=2).output


def test_without_dask_the_error_says_what_to_install(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    for executor in (["--cluster", "tcp://127.0.0.1:1"], ["--workers", "2"]):
        said = run("fit", "links.csv", *SMALL, *executor, "-o", "new.safetensors", code=2).output
        assert "pip install 'philia[dask]'" in said.replace("\n", " ")
