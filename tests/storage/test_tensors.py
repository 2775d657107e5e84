"""Arrays written in pieces, against what the format's own library reads."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors.numpy import load_file

from philia import CommunityModel
from philia.factors import CommunityFactors
from philia.graphs import Graph, Nodes
from philia.models.files import KeptModel, read_model, write_model
from philia.solvers import Solution
from philia.storage import tensors
from philia.storage.tensors import InPieces, read_arrays, write_arrays

kinds = st.sampled_from(["<f8", "<f4", "<i8", "<i4", "|u1", "|b1"])
some_arrays = arrays_of.arrays(kinds, arrays_of.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text("abcdé", min_size=1, max_size=4), some_arrays, max_size=5), st.integers(1, 30))
def test_any_arrays_come_back_and_the_library_reads_the_same(
    arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]], piece: int
) -> None:
    path = Path(tempfile.mkdtemp()) / "arrays.safetensors"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tensors, "_PIECE", piece)
        write_arrays(path, arrays, {"told": 7})
    ours, header = read_arrays(path)
    assert header["told"] == 7
    for found in (ours, load_file(path)):
        assert set(found) == set(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
            assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)


def test_arrays_are_aligned_for_their_types(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x", {"a": np.ones(3, np.uint8), "b": np.ones(3, np.float32), "c": np.ones(1)}, {})
    content = (tmp_path / "x").read_bytes()
    assert int.from_bytes(content[:8], "little") % 8 == 0
    assert content[-3:] == b"\x01\x01\x01"


def test_an_array_may_be_computed_while_it_is_written(tmp_path: Path) -> None:
    squares = InPieces(np.dtype(np.int32), (6,), lambda: (np.arange(at, at + 2) ** 2 for at in (0, 2, 4)))
    write_arrays(tmp_path / "x", {"squares": squares}, {})
    assert read_arrays(tmp_path / "x")[0]["squares"].tolist() == [0, 1, 4, 9, 16, 25]


def test_saving_a_model_copies_neither_its_graph_nor_its_factors(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(0), 200_000
    rows, columns = rng.integers(n, size=(2, 10**6))
    graph = Graph.from_rows(rows, columns, Nodes.numbered(n))
    F = rng.random((n, 40))
    factors = CommunityFactors(F[:, :30], F[:, 30:], np.zeros(n))
    solution = Solution(np.empty(0), 0.0, np.zeros(3), 3, 1.0, "stopped", False)
    kept = KeptModel("CommunityModel", CommunityModel(30, 10).get_params(deep=False), graph, factors, solution, None)
    _ = graph.degrees
    tracemalloc.start()
    write_model(tmp_path / "model.safetensors", kept)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6 < graph.adjacency.indices.nbytes + F.nbytes
    again = read_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.factors.arrays()["homophilous"], F[:, :30])
    np.testing.assert_array_equal(again.graph.adjacency.indices, graph.adjacency.indices)
