"""read_graph on edge lists: what it detects from the first lines, what it counts, and its errors about bad lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs import Changes, Graph, read_graph
from philia.graphs.files.text import BLOCK


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Write text or bytes to a file and read it as a graph."""

    def write_and_read(content: str | bytes, name: str = "links.txt", **options: Any) -> Graph:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_graph(path, **options)

    return write_and_read


def links_of(graph: Graph) -> list[tuple[Any, Any]]:
    rows, columns = graph.links
    return list(zip(graph.nodes.pick(rows), graph.nodes.pick(columns), strict=True))


@pytest.mark.parametrize("gap", [" ", "   ", "\t", " \t ", ",", ", ", ";", "|", " | "])
def test_the_delimiter_is_detected(read: Any, gap: str) -> None:
    assert links_of(read(f"a{gap}b\nb{gap}c\n")) == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("New York\tLos Angeles, CA\n", ("New York", "Los Angeles, CA")),
        ("New York,Boston\n", ("New York", "Boston")),
        ("1;2;0,5\n2;3;0,7\n", (1, 2)),
        ("1,2,a;b;c\n1,3,a;b\n", (1, 2)),
        ('"a,b" "c,d"\n"a,b" e\n', ("a,b", "c,d")),
    ],
)
def test_of_several_delimiters_the_likely_one_is_taken(read: Any, text: str, expected: tuple[Any, Any]) -> None:
    assert links_of(read(text))[0] == expected


def test_a_given_delimiter_wins_over_a_detected_one(read: Any) -> None:
    assert links_of(read("a,b c,d\n", delimiter=" ")) == [("a,b", "c,d")]
    assert links_of(read("a:b\nb:c\n", delimiter=":")) == [("a", "b"), ("b", "c")]


def test_comments_and_blank_lines_are_skipped(read: Any) -> None:
    text = "# one\n% two\n// three\n\n   \n  # indented\na b\n\n# in between\nb c#d\n"
    assert links_of(read(text)) == [("a", "b"), ("b", "c#d")]


def test_a_line_of_delimiters_is_blank(read: Any) -> None:
    assert links_of(read("a,b\n,,\n , \nb,c\n,,\n")) == [("a", "b"), ("b", "c")]


def test_many_comments_do_not_hide_the_dialect(read: Any) -> None:
    assert links_of(read("# a long licence\n" * 20_000 + "source,target\na b,c\n")) == [("a b", "c")]


def test_another_comment_prefix_can_be_given(read: Any) -> None:
    assert links_of(read("! note this\n#a b\n", comment="!")) == [("#a", "b")]
    assert links_of(read("#a b\n#b #a\n", comment="")) == [("#a", "b"), ("#a", "#b")]


@pytest.mark.parametrize(
    "header",
    ["source,target", "From,To", "u,v", "id_1,id_2", "node1,node2", "FromNodeId,ToNodeId", '"source","target"'],
)
def test_a_header_with_usual_names_is_detected(read: Any, header: str) -> None:
    assert links_of(read(f"{header}\nann,bob\n", "links.csv")) == [("ann", "bob")]


def test_text_above_integers_is_a_header(read: Any) -> None:
    assert links_of(read("follower followed\n3 1\n1 2\n")) == [(1, 2), (1, 3)]


def test_text_above_a_further_column_of_numbers_is_a_header(read: Any) -> None:
    graph = read("who whom weight\nann bob 2.5\nbob cat 1\n")
    assert links_of(graph) == [("ann", "bob"), ("bob", "cat")]
    assert graph.changes == Changes(weights=1)


def test_text_above_text_is_a_link(read: Any) -> None:
    assert len(read("ann bob\nbob cat\n").nodes) == 3
    assert len(read("ann bob\n1 2\n2 ann\n").nodes) == 4


def test_the_letters_u_and_v_are_nodes_if_they_come_again(read: Any) -> None:
    assert links_of(read("u,v\nv,w\n")) == [("u", "v"), ("v", "w")]


def test_a_header_can_be_given(read: Any) -> None:
    assert links_of(read("ann,bob\nbob,cat\n", header=True)) == [("bob", "cat")]
    assert links_of(read("source,target\na,b\n", header=False)) == [("source", "target"), ("a", "b")]


def test_columns_are_found_by_the_header_wherever_they_are(read: Any) -> None:
    assert links_of(read(",year,source,target\n0,1999,a,b\n1,2000,b,c\n")) == [("a", "b"), ("b", "c")]


def test_columns_can_be_given_by_number_and_by_name(read: Any) -> None:
    text = "when,who,whom\n9,a,b\n8,b,c\n"
    assert links_of(read(text, columns=("who", "whom"))) == [("a", "b"), ("b", "c")]
    assert links_of(read(text, columns=(1, 2), header=True)) == [("a", "b"), ("b", "c")]
    with pytest.raises(InvalidParameterError, match="no column 'whoo'; the columns are 'when', 'who', 'whom'"):
        read(text, columns=("whoo", "whom"))


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("1 2 1\n2 3 1.0\n", 0),
        ("1 2 0.5\n2 1 0.5\n2 3 1\n3 3 7\n", 1),
        ("1 2 1e0\n2 3 2e0\n", 1),
        ("source,target,weight\na,b,3\nb,c,1\n", 1),
        ("source,target,year\na,b,1999\n", 0),
        ("weight,source,target\n5,a,b\n", 1),
        ("source,target,weight\na,b,\nb,c,2\nc,d\n", 1),
        ("1 2 3\n2 3\n", 1),
        ("a b {}\nb c {'weight': 3}\n", 0),
        ("a b -1\nb c 0\n", 2),
    ],
)
def test_weights_other_than_one_are_counted(read: Any, text: str, weights: int) -> None:
    assert read(text).changes.weights == weights


def test_loops_and_repetitions_are_counted_and_lone_nodes_kept(read: Any) -> None:
    graph = read("1 2\n2 1\n1 2\n7 7\n")
    assert list(graph.nodes) == [1, 2, 7]
    assert graph.changes == Changes(loops=1, duplicates=2)


def test_integers_are_sorted_and_gaps_stay_gaps(read: Any) -> None:
    assert list(read("10 -9\n9 1000000000000\n").nodes) == [-9, 9, 10, 10**12]


@pytest.mark.parametrize("odd", ["007", "+7", "-0", "7.0", "٣", "1_000", str(2**63), "0x7", '"7"'])
def test_one_name_that_is_not_a_canonical_integer_makes_all_names_text(read: Any, odd: str) -> None:
    assert list(read(f"3 1\n1 {odd}\n").nodes) == ["3", "1", odd.strip('"')]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_every_kind_of_line_end_is_read(read: Any, end: str, last: bool) -> None:
    assert links_of(read(f"a b{end}b c" + end * last)) == [("a", "b"), ("b", "c")]


def test_trailing_delimiters_are_ignored(read: Any) -> None:
    assert links_of(read("a,b,\nb,c,\n")) == [("a", "b"), ("b", "c")]


def test_names_in_quotes_may_hold_anything_but_line_ends(read: Any) -> None:
    assert links_of(read('"a ""b""","c,d"\n"",x\n', header=False)) == [('a "b"', "c,d"), ("", "x")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_a_byte_order_mark_are_recognized(read: Any, encoding: str) -> None:
    assert links_of(read("é 日\n".encode(encoding))) == [("é", "日")]


def test_other_encodings_can_be_given(read: Any) -> None:
    assert links_of(read("é ß\n".encode("latin-1"), encoding="latin-1")) == [("é", "ß")]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["links.txt", "links.csv.gz", "links"])
def test_compression_is_recognized_whatever_the_name(read: Any, pack: Any, name: str) -> None:
    assert links_of(read(pack(b"a,b\n"), name)) == [("a", "b")]


def test_the_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a b\n")))
    assert links_of(read_graph("-")) == [("a", "b")]


def test_a_pipe_is_read() -> None:
    program = "from philia.graphs import read_graph; print(read_graph('-'))"
    done = subprocess.run(
        [sys.executable, "-c", program], input=gzip.compress(b"1 2\n2 3\n"), capture_output=True, check=True
    )
    assert done.stdout.strip() == b"Graph(3 nodes, 2 links)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("# nothing\n\n", "only blank lines, comments or a header"),
        ("source,target\n", "only blank lines, comments or a header"),
        ("a b\nc\nd e\n", r"line 2 \('c'\) has one column, .* spaces or tabs.* writing its name twice"),
        ("a,b\n\n# x\nc\nd,e\n", r"line 4 \('c'\) has one column, .*','"),
        ("a,b\n,c\n", r"line 2 \(',c'\) has an empty name"),
        ('a,b\n"c,d\n', r"line 2 \('\"c,d'\) opens a double quote that is not closed"),
        ('a,b\n"c"d,e\n', "continues after a closing double quote"),
        ('a,b,"free\ntext, and more"\n', r"line 1 .* not closed"),
        (b"a b\n\xff c\n", r"line 2 contains the byte 0xff, .*encoding=\"latin-1\""),
        (b"\x00\x01\x02", "binary"),
        ("1 2 3 4\n2 3\n3 1 7\n", "neighbours per line"),
        ("*Vertices 3\n1 a\n", "Pajek"),
        ("lonely\n", "line 1"),
    ],
)  # fmt: skip
def test_errors_name_the_file_and_the_line(read: Any, text: str | bytes, said: str) -> None:
    with pytest.raises(GraphFileError, match="links.txt: .*" + said):
        read(text)


def test_a_long_line_is_shortened_in_the_message(read: Any) -> None:
    with pytest.raises(GraphFileError) as caught:
        read("a b\n" + "x" * 5000 + "\n")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": "::"},
        {"delimiter": ""},
        {"comment": "\n"},
        {"columns": (0, 0)},
        {"columns": (0, -1)},
        {"columns": ("a", "b"), "header": False},
        {"encoding": "klingon"},
        {"encoding": "hex"},
    ],
)
def test_options_that_make_no_sense_are_refused(read: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameterError):
        read("a b\n", **options)


def test_options_of_an_edge_list_are_refused_for_other_formats(read: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"delimiter and header do not apply to \.mtx files"):
        read("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 0\n", "x.mtx", delimiter=",", header=True)


def test_the_error_about_a_missing_file_names_similar_ones(tmp_path: Path) -> None:
    (tmp_path / "friends.csv").touch()
    with pytest.raises(GraphFileError, match=r"there is no file .*in that folder there is 'friends.csv'"):
        read_graph(tmp_path / "freinds.csv")
    with pytest.raises(GraphFileError, match="no folder"):
        read_graph(tmp_path / "nowhere" / "friends.csv")


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match="is a folder"):
        read_graph(tmp_path)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(GraphFileError, match="cannot be opened"):
        read_graph("a\0b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="whoever may do everything is refused nothing")
def test_a_file_without_read_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.touch(mode=0o000)
    with pytest.raises(GraphFileError, match="may not be read"):
        read_graph(path)


def test_a_truncated_compressed_file_is_refused(read: Any) -> None:
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        with pytest.raises(GraphFileError, match=r"damaged|failed"):
            read(pack(b"a b\n" * 1000)[:-9])


def test_formats_of_other_libraries_are_refused_with_advice(read: Any) -> None:
    with pytest.raises(GraphFileError, match=r"networkx\.read_adjlist"):
        read("a b c", "x.adjlist")


def test_a_large_file_is_read_by_compiled_code_with_the_same_errors(read: Any) -> None:
    lines = [f"{i},{i * 7 % 1000},1" for i in range(BLOCK // 10)]
    graph = read("source,target,weight\n" + "\n".join(lines), "large.csv")
    assert graph.n_nodes == len(lines)
    assert graph.changes.weights == 0
    with pytest.raises(GraphFileError, match=rf"line {len(lines) + 2:,} \('oops'\)"):
        read("source,target,weight\n" + "\n".join(lines) + "\noops\n", "large.csv")


def test_a_small_file_is_read_without_compiling() -> None:
    program = "import sys; from philia.graphs import read_graph; read_graph('-'); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], input=b"1 2\n", capture_output=True, check=True)
    assert done.stdout.strip() == b"False"


def test_a_file_of_julia_keeps_the_nodes_that_its_first_line_counts(read: Any) -> None:
    graph = read("4,3,u,graph\n1,2\n2,2\n2,3\n", "x.jlg")
    assert list(graph.nodes) == [1, 2, 3, 4]
    assert graph.changes == Changes(loops=1)
    assert read("3,2,d,graph\n1,2\n2,3\n", "x.jlg").changes == Changes(directions=2)
    for wrong, said in (
        ("1,2\n", "begins with"),
        ("2,1,u\n1,3\n", "other than 1 to 2"),
        ("3,2,u\n1,3\n", "announces 2 links"),
    ):
        with pytest.raises(GraphFileError, match=said):
            read(wrong, "x.jlg")
