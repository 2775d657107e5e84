"""What is promised about memory before a fit, and what it takes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from philia import BigClam, CommunityModel, load
from philia.datasets import dating_app
from philia.exceptions import NotEnoughMemoryError
from philia.graphs.disk import on_disk
from philia.models.memory_plan import ALL_PAIRS, SAMPLED_PAIRS, FitSize, SearchCosts, plan_fit, plan_for
from philia.storage import MemoryBound, in_words, private_memory

HELD = 200 * 10**6
sizes = st.builds(FitSize, st.integers(1, 10**8), st.integers(0, 10**10), st.integers(1, 100))


@given(sizes, st.sampled_from([ALL_PAIRS, SAMPLED_PAIRS]), st.integers(10**6, 10**13))
def test_a_plan_keeps_to_the_bound_and_a_refusal_names_one_that_would_do(
    size: FitSize, costs: SearchCosts, allowed: int
) -> None:
    bound = MemoryBound(allowed)
    try:
        assert plan_fit(size, costs, bound, HELD).peak <= allowed
    except NotEnoughMemoryError as error:
        least = str(error).split("allow at least ")[1].split(",")[0]
        assert plan_fit(size, costs, MemoryBound.of(least), HELD).peak <= MemoryBound.of(least).size


@given(sizes, st.sampled_from([ALL_PAIRS, SAMPLED_PAIRS]))
def test_more_of_anything_takes_more_and_links_on_disk_take_less(size: FitSize, costs: SearchCosts) -> None:
    here, there = (size.peaks(costs, HELD, mapped=mapped).peak for mapped in (False, True))
    assert there <= here
    for more in (
        replace(size, n_nodes=2 * size.n_nodes),
        replace(size, n_links=2 * size.n_links),
        replace(size, n_columns=2 * size.n_columns),
    ):
        assert more.peaks(costs, HELD, mapped=False).peak >= here


def test_a_refusal_says_what_else_helps() -> None:
    size = FitSize(1_000_000, 1_000_000, 40)
    with pytest.raises(NotEnoughMemoryError, match=r"need 23\.\dG, but 4\.0G are allowed; .* \"adam\".* 6 columns"):
        plan_fit(size, ALL_PAIRS, MemoryBound.of("4G"), HELD)
    assert plan_fit(replace(size, n_columns=6), ALL_PAIRS, MemoryBound.of("4G"), HELD).peak <= 4e9
    assert plan_fit(size, SAMPLED_PAIRS, MemoryBound.of("4G"), HELD).peak <= 4e9


def test_the_plan_of_a_model_counts_its_columns_and_its_way_of_search() -> None:
    graph = dating_app(60, cities=2, random_state=0).graph
    plenty = MemoryBound.of("1T")
    exact = plan_for(CommunityModel(30, 30, solver="lbfgsb"), graph, plenty)
    sampled = plan_for(CommunityModel(30, 30, solver="adam"), graph, plenty)
    open_ended = plan_for(CommunityModel(solver="adam"), graph, plenty)
    assert exact.search > sampled.search
    assert open_ended.search <= sampled.search  # no more than 48 + 8 are tried
    assert plan_for(BigClam(8), on_disk(graph), plenty).peak > private_memory() // 2
    with pytest.raises(NotEnoughMemoryError, match="5 columns on 60 nodes"):
        plan_for(CommunityModel(1, 1), graph, MemoryBound.of("1M"))


FIT = """
import sys, threading, time
from pathlib import Path
import numpy as np
from philia import CommunityModel
from philia.exceptions import NotEnoughMemoryError
from philia.graphs import as_graph, read_graph
from philia.graphs.files.large import prepare
from philia.graphs.disk import on_disk
from philia.storage import MemoryBound, private_memory
from philia.models.memory_plan import SAMPLED_PAIRS, FitSize, plan_fit
from philia.objective import SampledPairsObjective
from philia.solvers import Adam

def model(k):
    return CommunityModel(k // 2, k - k // 2, penalty=1.0, solver=Adam(iterations=1), start="uniform", random_state=0)

# Most of the rows are never moved, which saves time and no memory.
whole = SampledPairsObjective.__init__
def few(self, *args, **settings):
    whole(self, *args, **settings)
    self.blocks = self.blocks[:2]
SampledPairsObjective.__init__ = few

links, target, share = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
prepare()  # this and the next line load, and if need be compile, all that is needed
model(3).fit(on_disk(as_graph(np.random.default_rng(0).integers(1000, size=(5000, 2)))))

highest = 0
def watch():
    global highest
    while True:
        highest = max(highest, private_memory())
        time.sleep(0.002)
threading.Thread(target=watch, daemon=True).start()

def allow(more):
    # 8 MB are left for what the allocator does not give back; one more array of the size of F would be 26.
    global highest
    highest = 0
    return MemoryBound(private_memory() + more), private_memory() + more + 8 * 10**6

bound, limit = allow(160 * 10**6)
graph = read_graph(links, memory=bound)
assert highest <= limit, f"reading took {highest:,} bytes of {limit:,}"
held = private_memory()
size = FitSize(graph.n_nodes, graph.n_links, 80)
# What the process itself holds differs from machine to machine, so the least bound is computed for this one.
least = size.peaks(SAMPLED_PAIRS, held, mapped=True).peak
bound, limit = allow(int(share * (least - held)))
try:
    plan = plan_fit(size, SAMPLED_PAIRS, bound, held)
except NotEnoughMemoryError as error:
    sys.exit(f"refused: {error}")
model(77).fit(on_disk(graph) if plan.mapped else graph).save(target)
assert highest <= limit, f"the fit took {highest:,} bytes of {limit:,}"
print("saved")
"""


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "links.txt"
    ends = np.random.default_rng(0).integers(40_000, size=(400_000, 2))
    path.write_text("".join(f"{u} {v}\n" for u, v in ends.tolist()))
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the private memory of a process")
@pytest.mark.parametrize(("share", "fits"), [(1.01, True), (0.9, False)])
def test_reading_fitting_and_saving_keep_to_a_bound_or_are_refused(links: Path, share: float, fits: bool) -> None:
    target = links.with_name(f"{share}.safetensors")
    command = [sys.executable, "-c", FIT, str(links), str(target), str(share)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if fits:
        assert result.stdout == "saved\n", result.stderr
        assert load(target).graph_.n_nodes == 40_000
    else:
        assert "refused: 80 columns on 40,000 nodes" in result.stderr
        assert not target.exists()


def test_sizes_are_told_in_words_that_can_be_typed() -> None:
    assert MemoryBound.of(in_words(2_290_000_000)).size >= 2_290_000_000
