"""Files that are damaged, that lie, or that are malicious: each is read, or refused with an error of ours."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import subprocess
import sys
import threading
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import igraph
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from scipy import io as scipy_io
from scipy import sparse

from philia.exceptions import GraphFileError, InvalidGraphError, NotEnoughMemoryError, PhiliaError, StorageError
from philia.graphs import Graph, as_graph, read_communities, read_graph, write_graph
from philia.graphs.files import text
from philia.graphs.files.text import whole_lines
from philia.storage import files, opened

MARKET = "%%MatrixMarket matrix coordinate "


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Write text or bytes to a file and read it as a graph."""

    def write_and_read(content: str | bytes, name: str, **options: Any) -> Graph:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_graph(path, **options)

    return write_and_read


# One place turns whatever goes wrong into an error of ours.


@pytest.mark.parametrize(
    "error", [KeyError("x"), RecursionError("deep"), LookupError(), struct.error("short"), EOFError()]
)
def test_any_failure_while_a_file_is_read_becomes_an_error_with_its_name(tmp_path: Path, error: Exception) -> None:
    (tmp_path / "links.txt").write_text("a b\n")
    with pytest.raises(StorageError, match=r"links\.txt: "), opened(tmp_path / "links.txt"):
        raise error


def test_an_error_about_memory_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("a b\n")
    with (
        pytest.raises(NotEnoughMemoryError, match=r"links\.txt: there is not enough memory"),
        opened(tmp_path / "links.txt"),
    ):
        raise MemoryError


def test_an_interrupt_stays_an_interrupt(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("a b\n")
    with pytest.raises(KeyboardInterrupt), opened(tmp_path / "links.txt"):
        raise KeyboardInterrupt


def test_a_message_is_short_even_if_the_name_in_it_is_not(read: Any) -> None:
    with pytest.raises(GraphFileError) as caught:
        read(f'graph [ node [ id "{"x" * 10**6}" ] edge [ source 1 target 2 ] ]', "x.gml")
    assert len(str(caught.value)) < 2000
    with pytest.raises(GraphFileError) as caught:
        read(f'graph [ node [ id 1 ] edge [ source "{"x" * 10**6}" target 1 ] ]', "x.gml")
    assert len(str(caught.value)) < 2000
    assert "no such node is declared" in str(caught.value)


def test_a_closed_standard_input_is_refused() -> None:
    code = "import philia; philia.read_graph('-')"
    done = subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -c "{code}" <&-'], capture_output=True, text=True, check=False
    )
    assert "GraphFileError: standard input is closed" in done.stderr


# Lines and compression.


def test_every_byte_of_a_long_line_is_processed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    class Counted(bytes):
        def rfind(self, *args: Any) -> int:
            nonlocal looked_at
            looked_at += len(self)
            return super().rfind(*args)

    chunks = [Counted(b"a" * 1000) for _ in range(200)]
    blocks = list(whole_lines(iter([*chunks, Counted(b"\nb\n")]), size=1000))
    assert b"".join(blocks) == b"a" * 200_000 + b"\nb\n"
    assert looked_at == 2 * 200_003  # once for each of the two line ends


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_blocks_end_where_lines_end_however_they_are_cut(end: bytes) -> None:
    whole = end.join([b"ab", b"", b"c" * 9, b"d"])
    for width in range(1, len(whole) + 1):
        chunks = [whole[begin : begin + width] for begin in range(0, len(whole), width)]
        blocks = list(whole_lines(iter(chunks), size=3))
        assert b"".join(blocks) == whole
        assert all(block.endswith(end) for block in blocks[:-1])
        assert sum(len(block.splitlines()) for block in blocks) == len(whole.splitlines())


@pytest.mark.parametrize("name", ["x.txt", "x.gml", "x.jlg", "x.mtx"])
def test_a_line_without_end_is_refused(read: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST", 1 << 16)
    content = b"a" * (1 << 17)
    if name == "x.mtx":
        content = MARKET.encode() + b"pattern general\n2 2 1\n" + content
    with pytest.raises(GraphFileError, match="line of more than 65,536 bytes"):
        read(content, name)
    with pytest.raises(GraphFileError, match="line of more than 65,536 bytes"):
        read(gzip.compress(content), f"{name}.gz")


def test_a_tag_without_end_is_refused(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("philia.graphs.files.xml.LONGEST", 1 << 16)
    for hidden in ('<node id="', "<!-- "):
        with pytest.raises(GraphFileError, match="a tag or a comment of more than 65,536 bytes"):
            read("<graphml><graph>" + hidden + "a" * (3 << 20), "x.graphml")
    assert read('<graphml><graph><node id="1"/>' + " " * (3 << 20) + "</graph></graphml>", "x.graphml").n_nodes == 1


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["x.txt", "x.gml", "x.graphml", "x.mtx", "x.npz", "x.mat", "x.parquet"])
def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused(
    read: Any, pack: Callable[[bytes], bytes], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_UNPACKED", 1 << 20)
    title = MARKET.encode() + b"pattern general\n2 2 9\n"
    starts = {"x.gml": b"graph [ ", "x.graphml": b"<graphml><graph>", "x.mtx": title}
    content = starts.get(name, b"") + b"0 1\n" * (1 << 20)
    with pytest.raises(GraphFileError, match=r"over 64 times the [\d,]+ bytes of the file"):
        read(pack(content), name)


def test_a_large_compressed_file_is_read(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_UNPACKED", 1 << 10)
    ends = np.random.default_rng(0).integers(0, 5000, (20_000, 2))
    content = "".join(f"{u} {v}\n" for u, v in ends.tolist()).encode()
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        assert read(pack(content), "x.txt").n_links == as_graph(ends).n_links


def test_a_large_compressed_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_UNPACKED", 1 << 10)
    content = "".join(f"{u} {7 * u % 4001}\n" for u in range(5000)).encode()
    for packed, fails in ((gzip.compress(content), False), (content, False), (gzip.compress(b"0 1\n" * 50_000), True)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
        if fails:
            with pytest.raises(GraphFileError, match="standard input: the file takes"):
                read_graph("-")
        else:
            assert read_graph("-").n_links > 4000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_large_compressed_pipe_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_UNPACKED", 1 << 10)
    os.mkfifo(tmp_path / "pipe")
    content = gzip.compress("".join(f"{u} {7 * u % 4001}\n" for u in range(5000)).encode())
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    writer.start()
    assert read_graph(tmp_path / "pipe").n_links > 4000
    writer.join()


@pytest.mark.parametrize("weights", [False, True])
def test_a_graph_with_all_links_comes_back_from_an_array_file(
    tmp_path: Path, weights: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_UNPACKED", 1 << 10)
    full = (1.0 + weights) * (1 - np.eye(400))
    write_graph(as_graph(full, weights=weights), tmp_path / "x.npz")
    assert read_graph(tmp_path / "x.npz", weights=weights).n_links == 400 * 399 // 2


def test_a_table_with_more_rows_than_its_size_allows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_UNPACKED", 1 << 20)
    zeros = np.zeros(10**6, np.int64)
    parquet.write_table(pyarrow.table({"a": zeros, "b": zeros}), tmp_path / "x.parquet")
    with pytest.raises(GraphFileError, match="the table takes 16,000,000 bytes"):
        read_graph(tmp_path / "x.parquet")


def test_a_long_name_that_many_rows_share_is_not_copied_for_each(tmp_path: Path) -> None:
    names = pyarrow.DictionaryArray.from_arrays(np.zeros(10**5, np.int32), ["x" * 10**6])
    table = pyarrow.table({"a": names, "b": np.zeros(10**5, np.int64)})
    parquet.write_table(table, tmp_path / "x.parquet", store_schema=False)
    assert read_graph(tmp_path / "x.parquet").n_nodes == 2  # 100 GB, were it copied


# What headers announce.


def sparse_npz(**arrays: Any) -> bytes:
    held = io.BytesIO()
    np.savez(held, **arrays)
    return held.getvalue()


def old_matlab(rows: int, columns: int) -> bytes:
    """A sparse matrix of format 4 with one entry."""
    values = np.array([[1, rows], [1, columns], [1, 0]], "<f8")
    return struct.pack("<5i", 2, 2, 3, 0, 8) + b"network\0" + values.tobytes()


ONE = {"data": np.ones(1), "row": np.zeros(1, int), "col": np.zeros(1, int)}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("300000000,1,u,g\n1,2\n", "x.jlg"),
        (MARKET + "pattern symmetric\n500000000 500000000 1\n2 1\n", "x.mtx"),
        (sparse_npz(format=b"coo", shape=(4 * 10**8, 4 * 10**8), **ONE), "x.npz"),
        (sparse_npz(format=b"dia", shape=(4 * 10**8,) * 2, data=np.ones((1, 1)), offsets=np.zeros(1, int)), "x.npz"),
        (sparse_npz(edges=np.array([[0, 1]]), num_nodes=3 * 10**8), "x.npz"),
        (sparse_npz(edge_index=np.array([[0], [1]]), node_features=np.zeros((3 * 10**8, 0))), "x.npz"),
        (old_matlab(3 * 10**8, 3 * 10**8), "x.mat"),
    ],
)
def test_nodes_that_are_only_announced_are_refused_beyond_some_millions(
    read: Any, content: str | bytes, name: str
) -> None:
    with pytest.raises(GraphFileError, match=r"announces \d00,000,000 nodes .* leave those nodes out"):
        read(content, name)


def test_a_million_isolated_nodes_are_read(read: Any) -> None:
    assert read("1000000,1,u,g\n1,2\n", "x.jlg").n_nodes == 10**6
    assert read(MARKET + "pattern symmetric\n1000000 1000000 1\n2 1\n", "x.mtx").n_nodes == 10**6


def test_a_negative_number_of_nodes_is_refused(read: Any) -> None:
    with pytest.raises(GraphFileError, match="announces -5 nodes"):
        read(sparse_npz(edges=np.zeros((0, 2), int), num_nodes=-5), "x.npz")


# MatrixMarket.


@pytest.mark.parametrize("end", ["", " ", "\t", "\n", " \n", "\r\n", " \r", "\n\n \n"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_matrix_market_file_may_end_with_anything_blank(read: Any, end: str, pack: Any) -> None:
    assert read(pack(f"{MARKET}pattern symmetric\n3 3 2\n2 1\n3 2{end}".encode()), "x.mtx").n_links == 2
    assert read(pack(f"%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0{end}".encode()), "x.mtx").n_links == 1


@pytest.mark.parametrize(
    "wrong", ["3 2\0", "3\0 2", "\0", "3 2x", "3", "3 -2", "3 2.0", "x y", "3_0 2", "3 99999999999999999999"]
)
def test_a_line_that_is_not_an_entry_is_shown_with_its_number(read: Any, wrong: str) -> None:
    with pytest.raises(GraphFileError, match=r"line 4 \(.* is not a row and a column"):
        read(f"{MARKET}pattern symmetric\n3 3 2\n2 1\n{wrong}\n", "x.mtx")


@pytest.mark.parametrize("value", ["", "x", "1.5.2", "0x10", "1e", "1_0", "nan", "inf", "1,5", "--1", "1d5"])
def test_a_value_that_is_not_a_number_is_refused(read: Any, value: str) -> None:
    with pytest.raises(GraphFileError, match=r"line 3 \(.* is not a row and a column and a number"):
        read(f"{MARKET}real symmetric\n3 3 1\n2 1 {value}\n", "x.mtx")


@pytest.mark.parametrize(
    ("entries", "said"),
    [("2 1\n", "has 1; it is truncated"), ("2 1\n3 1\n3 2\n", "has 3 or more"), ("2 1\n4 1\n", "numbered from 1 to 3"),
     ("2 1\n0 1\n", "an entry is at 0")],
)  # fmt: skip
def test_entries_that_do_not_fit_the_size_are_refused(read: Any, entries: str, said: str) -> None:
    with pytest.raises(GraphFileError, match=said):
        read(f"{MARKET}pattern symmetric\n3 3 2\n{entries}", "x.mtx")


@pytest.mark.parametrize("name", ["[" * 100_000, "[1]", "null", "1.5", "true", '"\\ud800"', "9" * 5000, ""])
def test_a_damaged_name_in_a_comment_is_refused(read: Any, name: str) -> None:
    with pytest.raises(GraphFileError, match="the name of node 1 in the comments is damaged"):
        read(f"{MARKET}pattern symmetric\n%philia-name {name}\n1 1 0\n", "x.mtx")


KINDS = [
    (form, field, symmetry)
    for form in ("coordinate", "array")
    for field in ("real", "integer", "pattern", "double", "unsigned-integer")
    for symmetry in ("general", "symmetric", "skew-symmetric")
    if (form, field) != ("array", "pattern") and (field, symmetry) != ("unsigned-integer", "skew-symmetric")
]


@pytest.mark.filterwarnings("ignore:The default value for `spmatrix`:DeprecationWarning")  # SciPy 1.18 and later
@pytest.mark.parametrize(("form", "field", "symmetry"), KINDS)
def test_a_matrix_is_what_scipy_reads(read: Any, tmp_path: Path, field: str, symmetry: str, form: str) -> None:
    values = [3, 0, 12, 5, 1, 7, 2, 4, 6]
    if form == "array":
        lines = values[: {"general": 9, "symmetric": 6, "skew-symmetric": 3}[symmetry]]
        body = "3 3\n" + "".join(f"{value}\n" for value in lines)
    else:
        entries = [(2, 1), (3, 1), (2, 1), (3, 2)]
        body = "3 3 4\n" + "".join(
            f"{u} {v}{'' if field == 'pattern' else f' {value}'}\n"
            for (u, v), value in zip(entries, values, strict=False)
        )
    path = tmp_path / "x.mtx"
    path.write_text(f"%%MatrixMarket matrix {form} {field} {symmetry}\n% by hand\n{body}")
    expected = scipy_io.mmread(path)
    dense = expected if isinstance(expected, np.ndarray) else expected.toarray()
    if (dense < 0).any():
        with pytest.raises(InvalidGraphError, match="negative"):
            read_graph(path, symmetrize=True)
    else:
        found = read_graph(path, symmetrize=True, weights=True)
        assert repr(found) == repr(as_graph(dense, symmetrize=True, weights=True))
        assert found.links[0].tolist() == as_graph(dense, symmetrize=True).links[0].tolist()
        np.testing.assert_array_equal(found.weights, as_graph(dense, symmetrize=True, weights=True).weights)


# Files of numpy.


def archive(entries: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as file:
        for name, content in entries.items():
            file.writestr(f"{name}.npy", content)
    return held.getvalue()


def npy(header: str, content: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000, 2), }"), "announces 2,000,000,000,000"),
        (npy(f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({10**30}, 2), }}"), "the file has 0 bytes for it"),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }", bytes(17)), "the file has 17 bytes"),
        (npy("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,), }"), "is described by"),
        (npy("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (0,), }"), "is described by"),
        (npy("{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }", b"cos\nsystem\n"), "pickled objects"),
        (npy("(" * 9000), "is described by"),
        (npy("{'descr': '<i8',\n  \t 'shape': (1, 2)\n"), "is described by"),
        (npy("__import__('os').abort()"), "is described by"),
        (b"\x93NUMPY\x09\x00", "does not begin like a numpy array"),
        (b"", "does not begin like a numpy array"),
    ],
)  # fmt: skip
def test_an_array_that_is_not_what_its_header_says_is_refused(read: Any, entry: bytes, said: str) -> None:
    with pytest.raises(GraphFileError, match=r"x\.npz: .*" + said):
        read(archive({"edges": entry}), "x.npz")


def test_arrays_of_any_order_of_bytes_and_of_axes_are_read(read: Any) -> None:
    ends = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
    expected = as_graph(ends)
    for kind in ("<i8", ">i4", "<u2", "|i1", ">u8"):
        for order in ("C", "F"):
            content = sparse_npz(edges=np.array(ends, kind, order=order))
            assert (read(content, "x.npz").adjacency != expected.adjacency).nnz == 0


def test_an_encrypted_archive_is_refused(read: Any) -> None:
    content = bytearray(sparse_npz(edges=np.array([[0, 1]])))
    content[6] |= 1  # the flag in the local header, and that in the list of entries at the end
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(GraphFileError, match=r"not a valid \.npz file .*encrypted"):
        read(bytes(content), "x.npz")


@pytest.mark.parametrize("limits", [[0, 6, 0, 6], [0, 9], [1, 6], [], [[0, 6]], [0.0, 6.0], [0, -1, 6]])
def test_limits_of_names_that_do_not_rise_to_the_end_are_refused(read: Any, limits: Any) -> None:
    matrix = {"format": b"coo", "shape": (1, 1), **ONE}
    names = {"names_utf8": np.frombuffer(b"abcdef", np.uint8), "names_limits": np.array(limits)}
    with pytest.raises(GraphFileError, match="does not say where each of the names"):
        read(sparse_npz(**matrix, **names), "x.npz")


@pytest.mark.parametrize(
    "arrays",
    [
        {"format": b"csr", "shape": (2, 2), "data": np.ones(0), "indices": np.zeros(0, int), "indptr": [0, 10**6, 0]},
        {"format": b"csr", "shape": (2, 2), "data": np.ones(2), "indices": [0, 1], "indptr": [0, 2, 1]},
        {"format": b"csr", "shape": (2, 2), "data": np.ones(2, np.int8), "indices": [0, 1], "indptr": [0, 10**8, 2]},
        {"format": b"csr", "shape": (2, 2), "data": np.ones(2, ">f8"), "indices": [0, 1], "indptr": [0, 10**8, 2]},
        {"format": b"csc", "shape": (2, 2), "data": np.ones(2), "indices": [0, 5], "indptr": [0, 1, 2]},
        {"format": b"csr", "shape": (2, 2), "data": np.ones(2), "indices": [0, 1], "indptr": [0, 1, 9]},
        {"format": b"csr", "shape": (2, 2), "data": np.ones(2), "indices": [0.5, 1], "indptr": [0, 1, 2]},
        {"format": b"bsr", "shape": (2, 2), "data": np.ones((1, 2, 2)), "indices": [7], "indptr": [0, 1]},
        {"format": b"bsr", "shape": (3, 3), "data": np.ones((1, 2, 2)), "indices": [0], "indptr": [0, 1]},
        {"format": b"coo", "shape": (2, 2), "data": np.ones(1), "row": [5], "col": [0]},
        {"format": b"coo", "shape": (2, 2), "data": np.ones(3), "row": [1], "col": [0]},
        {"format": b"coo", "shape": (2,), "data": np.ones(1), "row": [1], "col": [0]},
        {"format": b"coo", "shape": (-2, -2), "data": np.ones(1), "row": [1], "col": [0]},
        {"format": b"dia", "shape": (2, 2), "data": np.ones((1, 2)), "offsets": [0, 1]},
        {"format": np.array(["csr", "csr"]), "shape": (2, 2), "data": np.ones(1), "indices": [0], "indptr": [0, 1, 1]},
        {"format": b"csr", "shape": (2, 2), "data": np.ones(1), "indices": [0]},
        {"edges": np.array([[0, 1]]), "node_labels": np.array(3), "num_nodes": np.arange(2)},
    ],
)
def test_a_sparse_matrix_that_points_outside_of_itself_is_refused(read: Any, arrays: Any) -> None:
    with pytest.raises(PhiliaError, match=r"x\.npz: "):
        read(sparse_npz(**arrays), "x.npz", symmetrize=True)


@pytest.mark.parametrize("indptr", [[0, 10**6, 0], [0, 10**8, 2], [0, 2, 1], [5, 1, 2], [0, 1, 10**6], [-1, 1, 2]])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_a_matrix_in_memory_that_points_outside_of_itself_is_refused(indptr: list[int], form: str) -> None:
    for kind in (np.float64, np.int8, np.bool_):
        matrix = sparse.csr_array(np.array([[0, 1], [1, 0]], kind)).asformat(form)
        matrix.indptr = np.array(indptr, np.int32)
        with pytest.raises(InvalidGraphError, match="damaged"):
            as_graph(matrix)


def test_coordinates_in_memory_that_point_outside_are_refused() -> None:
    matrix = sparse.coo_array(np.array([[0, 1], [1, 0]]))
    matrix.row[0] = 10**6
    with pytest.raises(InvalidGraphError, match="damaged"):
        as_graph(matrix)


@pytest.mark.parametrize("kind", [np.float16, np.longdouble, ">f8", ">i4", np.bool_])
def test_matrices_of_any_kind_of_number_are_read(kind: Any) -> None:
    assert as_graph(np.array([[0, 1], [1, 0]]).astype(kind)).n_links == 1


def test_labels_that_are_not_characters_are_refused(tmp_path: Path) -> None:
    for code in (0xD800, 0x110000, 2**31):
        labels = npy("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", struct.pack("<I", code))
        (tmp_path / "x.npz").write_bytes(archive({"node_labels": labels}))
        with pytest.raises(GraphFileError, match="not characters"):
            read_communities(tmp_path / "x.npz")


# Files of MATLAB.


NUMBERS = [
    *((kind, "5", np.asarray) for kind in ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?")),
    *((kind, "packed", np.asarray) for kind in ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?")),
    *((kind, "4", np.asarray) for kind in ("f8", "f4", "i2", "i4", "u1", "u2")),
    *((kind, version, sparse.csc_matrix) for version in ("5", "packed") for kind in ("f8", "?")),
    ("f8", "4", sparse.csc_matrix),
]


@pytest.mark.parametrize(("kind", "version", "form"), NUMBERS)
def test_a_matlab_file_of_any_kind_of_number_is_what_scipy_reads(
    tmp_path: Path, kind: str, version: str, form: Any
) -> None:
    dense = np.array([[0, 3, 0, 0], [3, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]).astype(kind)
    content = {"other": np.ones((2, 5)), "network": form(dense)}
    scipy_io.savemat(
        tmp_path / "x.mat", content, format="4" if version == "4" else "5", do_compression=version == "packed"
    )
    found = read_graph(tmp_path / "x.mat", weights=True)
    expected = as_graph(dense, weights=True)
    assert repr(found) == repr(expected)
    np.testing.assert_array_equal(found.adjacency.toarray(), expected.adjacency.toarray())
    np.testing.assert_array_equal(
        [] if found.weights is None else found.weights, [] if expected.weights is None else expected.weights
    )


def element(kind: int, content: bytes) -> bytes:
    return struct.pack(">II", kind, len(content)) + content + bytes(-len(content) % 8)


def test_a_matlab_file_of_a_machine_with_the_other_order_of_bytes_is_read(read: Any) -> None:
    head = b"MATLAB 5.0 MAT-file, by hand".ljust(124) + b"\x01\x00MI"
    flags, sizes = struct.pack(">II", 6, 0), struct.pack(">ii", 2, 2)
    values = np.array([0, 1, 1, 0], ">f8").tobytes()
    matrix = element(6, flags) + element(5, sizes) + element(1, b"network") + element(9, values)
    assert read(head + element(14, matrix), "x.mat").n_links == 1


def sparse_matlab(rows: list[int], starts: list[int], values: list[float], size: tuple[int, int] = (2, 2)) -> bytes:
    """A file with the sparse matrix that these arrays describe, whether or not they describe one."""
    head = b"MATLAB 5.0 MAT-file, by hand".ljust(124) + b"\x01\x00MI"
    parts = [
        element(6, struct.pack(">II", 5, len(rows))),
        element(5, struct.pack(">ii", *size)),
        element(1, b"network"),
        element(5, np.array(rows, ">i4").tobytes()),
        element(5, np.array(starts, ">i4").tobytes()),
        element(9, np.array(values, ">f8").tobytes()),
    ]
    return head + element(14, b"".join(parts))


def test_a_sparse_matrix_of_matlab_may_have_room_to_spare(read: Any) -> None:
    assert read(sparse_matlab([1, 0, 77], [0, 1, 2], [1, 1]), "x.mat").n_links == 1


def test_a_member_that_is_listed_twice_is_one_member(tmp_path: Path) -> None:
    content = sparse_matlab([1, 1, 0], [0, 2, 3], [1, 1, 1]).replace(element(1, b"network"), element(1, b"group"))
    size = struct.pack(">II", 14, len(content) - 136)
    (tmp_path / "x.mat").write_bytes(content[:128] + size + content[136:])
    assert read_communities(tmp_path / "x.mat") == {0: [1], 1: [0]}


def test_entries_that_are_repeated_do_not_overflow() -> None:
    ends = (np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    for kind, values in ((np.uint8, [255, 1]), (np.int8, [127, 1]), (np.int16, [2**15 - 1, 1])):
        matrix = sparse.coo_array((np.array(values * 2, kind), ends), shape=(2, 2))
        assert as_graph(matrix, weights=True).link_weights.tolist() == [sum(values)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("rows", "starts", "size"),
    [
        ([1, 0], [0, 10**6, 0], (2, 2)),
        ([1, 0], [0, 2, 1], (2, 2)),
        ([1, 9], [0, 1, 2], (2, 2)),
        ([1, -1], [0, 1, 2], (2, 2)),
        ([1, 0], [0, 1, 9], (2, 2)),
        ([1, 0], [1, 1, 2], (2, 2)),
        ([1, 0], [0, 1], (2, 2)),
        ([1, 0], [0, 1, 2], (2**31 - 1, 2**31 - 1)),
        ([1, 0], [0, 1, 2], (-2, -2)),
    ],
)
def test_a_sparse_matrix_of_matlab_that_points_outside_of_itself_is_refused(
    read: Any, rows: list[int], starts: list[int], size: tuple[int, int]
) -> None:
    with pytest.raises(GraphFileError, match=r"x\.mat: this is not a valid MATLAB file"):
        read(sparse_matlab(rows, starts, [1, 1], size), "x.mat")


@pytest.mark.parametrize("size", [0, 8, 31, 2**16, 2**31 - 1, 2**32 - 1])
def test_no_size_in_a_matlab_file_is_trusted(read: Any, tmp_path: Path, size: int) -> None:
    scipy_io.savemat(tmp_path / "whole.mat", {"network": sparse.csc_matrix(np.array([[0, 1.0], [1, 0]]))})
    content = (tmp_path / "whole.mat").read_bytes()
    for place in range(128, len(content), 4):
        damaged = content[:place] + struct.pack("<I", size) + content[place + 4 :]
        for packed in (damaged, damaged[:128] + _packed(damaged[128:])):
            with suppress(PhiliaError):  # any other error, and a crash all the more, fails the test
                read(packed, "x.mat")


def _packed(content: bytes) -> bytes:
    squeezed = zlib.compress(content)
    return struct.pack("<II", 15, len(squeezed)) + squeezed


def test_a_matlab_matrix_that_unpacks_to_far_more_than_its_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_UNPACKED", 1 << 20)
    scipy_io.savemat(tmp_path / "x.mat", {"network": np.zeros((2000, 2000), np.uint8)}, do_compression=True)
    with pytest.raises(GraphFileError, match="the matrix 'network' takes 4,000,056 bytes"):
        read_graph(tmp_path / "x.mat")
    scipy_io.savemat(tmp_path / "x.mat", {"group": np.ones((900, 900), np.uint8)}, do_compression=True)
    with pytest.raises(GraphFileError, match="the matrix 'group' takes 6,480,000 bytes"):
        read_communities(tmp_path / "x.mat")


@pytest.mark.parametrize("value", ["text", np.array(["a", 1], object), {"a": 1}, np.ones((2, 2, 2))])
def test_a_variable_that_is_not_a_matrix_of_numbers_is_refused(tmp_path: Path, value: Any) -> None:
    scipy_io.savemat(tmp_path / "x.mat", {"network": value})
    with pytest.raises(GraphFileError, match=r"the variable 'network' \(.*\) is not a matrix of numbers"):
        read_graph(tmp_path / "x.mat")


def test_a_matrix_of_complex_numbers_is_refused(tmp_path: Path, read: Any) -> None:
    for form in ("4", "5"):
        scipy_io.savemat(tmp_path / "x.mat", {"network": np.array([[0, 1j], [1j, 0]])}, format=form)
        with pytest.raises(InvalidGraphError, match="complex"):
            read_graph(tmp_path / "x.mat")
    with pytest.raises(InvalidGraphError, match="complex"):
        read(f"{MARKET}complex general\n1 1 1\n1 1 2 3\n", "x.mtx")


# XML and GML.


@pytest.mark.parametrize("encoding", ["utf-99", "idna", "utf-7", "rot13", "undefined", "punycode", "base64"])
@pytest.mark.parametrize("root", ["graphml", "gexf"])
def test_an_unknown_encoding_is_refused(read: Any, encoding: str, root: str) -> None:
    with pytest.raises(GraphFileError, match=rf"x\.{root}: this is not valid XML"):
        read(f'<?xml version="1.0" encoding="{encoding}"?><{root}><graph/></{root}>', f"x.{root}")


def test_xml_in_other_encodings_is_read(read: Any) -> None:
    text = '<?xml version="1.0" encoding="{}"?><graphml><graph><node id="é"/></graph></graphml>'
    for encoding in ("utf-8", "iso-8859-1", "utf-16", "cp1252"):
        assert list(read(text.format(encoding).encode(encoding), "x.graphml").nodes) == ["é"]


def test_a_default_of_a_key_that_is_not_declared_is_ignored(read: Any) -> None:
    odd = '<graphml><graph><node id="1"><data key="k"><default>3</default></data></node></graph></graphml>'
    assert read(odd, "x.graphml").n_nodes == 1


def test_an_entity_with_thousands_of_digits_stays_as_it_is(read: Any) -> None:
    for entity in (f"&#{'9' * 6000};", f"&#x{'f' * 6000};", "&#1114112;", "&#55296;"):
        assert list(read(f'graph [ node [ id 1 label "{entity}" ] ]', "x.gml").nodes) == [entity]
    assert list(read(f'graph [ node [ id 1 label "&#{"0" * 6000}65;" ] ]', "x.gml").nodes) == ["A"]


def test_long_ids_that_differ_are_different_nodes(read: Any) -> None:
    first, second = "1" * 5000, "1" * 4999 + "2"
    graph = read(f"graph [ node [ id {first} ] node [ id {second} ] edge [ source {first} target {second} ] ]", "x.gml")
    assert list(graph.nodes) == [first, second]
    assert graph.n_links == 1
    odd = read("graph [ node [ id 1e999 ] node [ id 2e999 ] node [ id nan ] ]", "x.gml")
    assert list(odd.nodes) == ["1e999", "2e999", "nan"]


# Weights.


def _frame(links: list[tuple[str, str, float]]) -> Any:
    import polars

    return polars.DataFrame(links, schema=["source", "target", "weight"], orient="row")


def _igraph(links: list[tuple[str, str, float]]) -> Any:
    return igraph.Graph.TupleList(links, weights=True)


@pytest.mark.parametrize("make", [list, _frame, _igraph])
@pytest.mark.parametrize(
    "links",
    [
        [("ann", "bob", 1e308), ("bob", "ann", 1e308), ("bob", "cat", 1.0)],
        [("ann", "bob", 1.7e308), ("cat", "dan", 1.7e308)],
        [("ann", "bob", 1e300), ("bob", "cat", 1e-300)],
        [("ann", "bob", 0.9e150), ("bob", "cat", 0.9e150)],
    ],
)
def test_weights_that_are_too_large_to_add_up_are_refused(make: Any, links: list[tuple[str, str, float]]) -> None:
    said = r"weights add up to more than 1e\+150.* the link of 'ann' and 'bob' .* Divide all weights"
    with pytest.raises(InvalidGraphError, match=said):
        as_graph(make(links), weights=True)
    assert as_graph(make(links)).n_links >= 2


def test_a_file_with_weights_that_are_too_large_is_refused(read: Any) -> None:
    with pytest.raises(InvalidGraphError, match=r"x\.txt: the weights add up"):
        read("a b 1e308\na b 1e308\nb c 1\n", "x.txt", weights=True)
    matrix = np.array([[0, 1e200], [1e200, 0]])
    for symmetrize in (False, True):
        with pytest.raises(InvalidGraphError, match="the weights add up"):
            as_graph(matrix, weights=True, symmetrize=symmetrize)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process without its parent's")
def test_reading_takes_little_memory_whatever_a_small_file_says(tmp_path: Path) -> None:
    """The hostile files above, read by one process that may have 1 GB: none of them may even try to take more."""
    contents = {
        "a.jlg": b"300000000,1,u,g\n1,2\n",
        "b.mtx": f"{MARKET}pattern symmetric\n500000000 500000000 1\n2 1\n".encode(),
        "c.npz": archive({"edges": npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000, 2), }")}),
        "d.txt.gz": gzip.compress(b"a" * (1 << 27)),
        "e.txt.bz2": bz2.compress(b"a b\n" * (1 << 25)),
        "f.gml.xz": lzma.compress(b"graph [ " + b"a[]" * (1 << 25)),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    code = (
        "import re, sys, philia\n"
        "refused = 0\n"
        "for path in sys.argv[1:]:\n"
        "    try: philia.read_graph(path)\n"
        "    except philia.exceptions.GraphFileError: refused += 1\n"
        "peak = int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
        "print(refused, peak < 2**20)\n"
    )
    paths = [str(tmp_path / name) for name in contents]
    done = subprocess.run(
        [sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.split() == [str(len(contents)), "True"]
