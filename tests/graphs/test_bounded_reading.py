"""Edge lists read through the disk give the same graphs as in memory."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from philia.exceptions import NotEnoughMemoryError
from philia.graphs import Graph, disk, read_graph
from philia.graphs.files import large
from philia.graphs.files.dialect import Dialect, find_dialect
from philia.graphs.files.edge_list import PlainScanner, Reading, graph_of
from philia.graphs.files.large import CompiledScanner, read_blocks
from philia.graphs.files.text import text_blocks
from philia.storage import MemoryBound, ReadingOptions, private_memory
from philia.storage.arrays import InMemory, OnDisk, storage_of

PLENTY = MemoryBound.of("1T")


def assert_same(found: Graph, expected: Graph) -> None:
    assert repr(found) == repr(expected)
    assert found.changes == expected.changes
    assert found.nodes == expected.nodes
    for part in ("data", "indices", "indptr"):
        mine, theirs = getattr(found.adjacency, part), getattr(expected.adjacency, part)
        np.testing.assert_array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype
        assert not mine.flags.writeable


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing fits into memory, and a bucket holds three entries."""
    monkeypatch.setattr(large, "_LINK", 10**15)
    monkeypatch.setattr(large, "_WEIGHTED_LINK", 10**15)
    monkeypatch.setattr(disk, "_bucket_size", lambda memory, entries: 3)
    monkeypatch.setattr(disk, "_LINKS", 4)


names = st.one_of(
    st.integers(0, 6).map(str),
    st.sampled_from(["1", "-5", "900719925474099", "7"]),
    st.sampled_from(["ann", "bob", "çelik", '"New York"', "x" * 40]),
)
weights = st.sampled_from(["", "", " 1", " 1.0", " 2.5", " 0"])


@st.composite
def messy_files(draw: st.DrawFn) -> str:
    some = draw(st.sampled_from([st.integers(0, 6).map(str), st.integers(-3, 40).map(str), names]))
    lines = draw(st.lists(st.tuples(some, some, weights), min_size=1, max_size=30))
    texts = [f"{first} {second}{weight}" for first, second, weight in lines]
    for at in draw(st.lists(st.integers(0, len(texts)), max_size=3)):
        texts.insert(at, draw(st.sampled_from(["", "# a comment", "  "])))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return end.join(texts) + draw(st.sampled_from(["", end]))


@pytest.mark.usefixtures("little")
@settings(max_examples=150, deadline=None)
@given(text=messy_files(), size=st.sampled_from([1 << 22, 40, 7]), weight=st.sampled_from([None, 2]))
def test_a_messy_file_gives_the_same_graph_through_the_disk(text: str, size: int, weight: int | None) -> None:
    dialect = Dialect(weight=weight)
    plain = PlainScanner(dialect)
    plain.scan(text.encode())
    found = read_blocks(text_blocks(io.BufferedReader(io.BytesIO(text.encode())), size=size), dialect, PLENTY).graph
    assert_same(found, graph_of(plain.links()))
    if found.n_links:
        assert storage_of(found.adjacency.indices) == storage_of(found.adjacency.data) == OnDisk()


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("seed", range(3))
def test_buckets_of_any_size_give_the_same_graph(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    ends = np.concatenate([rng.integers(40, size=(300, 2)), np.stack([np.full(90, 7), rng.integers(40, size=90)], 1)])
    block = "".join(f"{u} {v}\n" for u, v in ends).encode()
    plain = PlainScanner(Dialect())
    plain.scan(block)
    for size in (1, 10, 10**6):
        monkeypatch.setattr(disk, "_bucket_size", lambda memory, entries, size=size: size)
        assert_same(read_blocks([block], Dialect(), PLENTY).graph, graph_of(plain.links()))


@pytest.mark.usefixtures("little")
@settings(max_examples=100, deadline=None)
@given(
    links=st.lists(st.tuples(*[st.sampled_from("abcdefgh")] * 2), min_size=2, max_size=12),
    further=st.sampled_from(["", " x"]),
    size=st.sampled_from([1 << 22, 7]),
)
def test_a_doubtful_header_is_settled_alike_in_memory_and_on_disk(
    links: list[tuple[str, str]], further: str, size: int
) -> None:
    text = "".join(f"{u} {v}{further}\n" for u, v in links).encode()
    dialect, _ = find_dialect(text, ReadingOptions())
    plain, compiled = PlainScanner(dialect), CompiledScanner(dialect)
    plain.scan(text)
    compiled.scan(text)
    expected = Reading.of(plain.links(), dialect)
    on_disk = read_blocks(text_blocks(io.BufferedReader(io.BytesIO(text)), size=size), dialect, PLENTY)
    for found in (Reading.of(compiled.links(), dialect), on_disk):
        assert_same(found.graph, expected.graph)
        assert (found.dialect, found.lost) == (expected.dialect, expected.lost)
    (first, second), others = links[0], {name for link in links[1:] for name in link}
    header = first != second and not {first, second} & others
    assert bool(expected.dialect.names) == header
    assert expected.graph.n_nodes == len(others if header else others | {first, second})
    assert expected.lost.further == (len(links) - header) * bool(further)


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compressed file of two blocks, with Windows line ends."""
    path = tmp_path_factory.mktemp("large") / "links.txt.gz"
    ends = np.random.default_rng(0).integers(50_000, size=(400_000, 2))
    with gzip.open(path, "wt", compresslevel=1, newline="") as file:
        file.write("".join(f"{u}\t{v}\r\n" for u, v in ends.tolist()))
    return path


def test_a_file_that_fits_is_read_into_memory_and_others_stay_on_disk(
    large_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, fits = read_graph(large_file), read_graph(large_file, memory="1T")
    assert_same(fits, expected)
    assert storage_of(fits.adjacency.indices) == InMemory()
    monkeypatch.setattr(large, "_LINK", 10**12)
    found = read_graph(large_file, memory="1T")
    assert_same(found, expected)
    assert storage_of(found.adjacency.indices) == OnDisk()


def test_a_file_that_needs_more_memory_is_refused(large_file: Path) -> None:
    with pytest.raises(NotEnoughMemoryError, match=r"reading beyond 0 links .* allow at least"):
        read_graph(large_file, memory=private_memory() + 10**6)
    with pytest.raises(NotEnoughMemoryError, match="with their weights"):
        read_graph(large_file, memory=private_memory() + 10**6, weights=True)


def test_a_format_that_is_read_as_a_whole_has_to_fit(tmp_path: Path) -> None:
    path = tmp_path / "links.gml"
    path.write_text("graph [\n  node [ id 1 ]\n  node [ id 2 ]\n  edge [ source 1 target 2 ]\n]\n")
    assert read_graph(path, memory="1T").n_links == 1
    with pytest.raises(NotEnoughMemoryError, match=r"a \.gml file, which is read as a whole"):
        read_graph(path, memory="1M")
