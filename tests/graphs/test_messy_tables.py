"""Tables of links as people have them: headers of all kinds, row numbers, further columns, prose, and what is said."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas
import polars
import pytest

from philia import CommunityModel
from philia.exceptions import GraphFileError, InputWarning, InvalidGraphError, InvalidParameterError
from philia.graphs import Graph, as_graph, read_graph, write_graph

ROWS = "x,y\ny,z\nz,x\n"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Write text to a file and read it as a graph."""

    def write_and_read(text: str, name: str = "links.csv", **options: Any) -> Graph:
        (tmp_path / name).write_text(text)
        return read_graph(tmp_path / name, **options)

    return write_and_read


def warned(action: Any) -> list[str]:
    """What is warned of while the action runs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        action()
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(
    "header",
    [
        *("book,bought_with", "person1,person2", "name,friend", "user_a,user_b", "from_id,to_id", "author1,author2"),
        *("a,b", "node1,node2", "Source,Target", "src,dst", "sender,receiver", '"First person","Second person"'),
    ],
)
def test_ordinary_headers_are_no_nodes(read: Any, header: str) -> None:
    assert list(read(f"{header}\n{ROWS}").nodes) == ["x", "y", "z"]


def test_a_guessed_header_is_warned_of_and_can_be_decided(read: Any) -> None:
    text = f"book,bought_with\n{ROWS}"
    (said,) = warned(lambda: read(text))
    assert "line 1 is taken for column names" in said
    assert "header=False" in said
    assert warned(lambda: read(text, header=True)) == warned(lambda: read(text, header=False)) == []
    assert (read(text, header=True).n_nodes, read(text, header=False).n_nodes) == (3, 5)


def test_a_first_line_whose_name_comes_again_anywhere_is_a_link(read: Any) -> None:
    many = "".join(f"n{i},n{i + 1}\n" for i in range(1000))
    assert read(f"first,second\n{many}").n_nodes == 1001
    assert read(f"first,second\n{many}second,n7\n").n_nodes == 1003


def test_numbers_and_single_lines_are_never_taken_for_headers(read: Any) -> None:
    assert read("1,2\n3,4\n").n_nodes == 4
    assert read("0.5,0.7\nann,bob\n").n_nodes == 4
    assert read("ann,bob\n").n_nodes == 2
    assert read("ann,ann\nbob,cat\n").n_nodes == 3


def test_lines_of_separators_before_a_header_do_not_hide_it(read: Any) -> None:
    assert list(read(",,\nsource,target,\nann,bob,\n").nodes) == ["ann", "bob"]


def test_a_lone_first_pair_survives_writing(tmp_path: Path) -> None:
    graph = as_graph([("ann", "bob"), ("cat", "dan"), ("dan", "eve")])
    for name in ("links.txt", "links.csv", "links.edges"):
        write_graph(graph, tmp_path / name)
        assert warned(lambda name=name: read_graph(tmp_path / name)) == []
        assert read_graph(tmp_path / name).nodes == graph.nodes


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("source,target,year\nann,bob,1999\n", {}, "links join 'source' and 'target'; ignored: 'year'"),
        ("ann,bob\nbob,cat\n", {}, "line 1 is a link: links join columns 0 and 1"),
        ("ann,bob,2\nbob,cat,3\n", {}, "links join columns 0 and 1, and column 2 holds weights"),
        ("when,who,whom\n1,a,b\n2,b,c\n", {"columns": ("who", "whom")}, "join 'who' and 'whom'; ignored: 'when'"),
    ],
)
def test_the_log_always_says_which_columns_were_read(
    read: Any, caplog: pytest.LogCaptureFixture, text: str, options: dict[str, Any], said: str
) -> None:
    with caplog.at_level(logging.INFO, "philia"):
        read(text, **options)
    assert said in caplog.text


def test_a_third_word_is_ignored_with_a_warning(read: Any) -> None:
    text = "ann bob\nbob cat smith\n"
    (said,) = warned(lambda: read(text, "links.txt"))
    assert "1 line has more values than the two names" in said
    assert warned(lambda: read(text, "links.txt", columns=(0, 1))) == []
    assert warned(lambda: read("source,target,since\nann,bob,spring\n")) == []


def test_trailing_separators_and_blanks_are_no_further_values(read: Any) -> None:
    assert warned(lambda: read("ann,bob,,\nbob,cat, ,\n")) == []


def test_blanks_after_names_are_counted_and_those_before_them_are_usual(read: Any) -> None:
    (said,) = warned(lambda: read("n0 ,n1\nn1,n2 \nn2, n3\nn3,n0\n"))
    assert "2 lines have blanks after a name" in said
    assert read("n0 ,n1\nn1,n0 \n").n_links == 1


@pytest.mark.parametrize("text", ["a b\n", "1 2\n", "ann,bob\n", "Apple Inc.,Acme Inc.\nAcme Inc.,Ann\n", "ann1 bob\n"])
def test_small_files_of_names_are_not_taken_for_prose(read: Any, text: str) -> None:
    assert read(text).n_nodes > 1


@pytest.mark.parametrize(
    "text",
    [
        "id,author1,author2\n1,ann,bob\n2,bob,cat\n",
        ",author1,author2\n0,ann,bob\n1,bob,cat\n",
        "id,a,b,weight\n10,1,2,0.5\n11,2,3,1\n",
        "1 ann bob\n2 bob cat\n",
        "e1;ann;bob\ne2;bob;cat\ne3;ann;bob\n",
    ],
)
def test_a_column_of_row_numbers_is_asked_about(read: Any, text: str) -> None:
    with pytest.raises((InvalidGraphError, InvalidParameterError, GraphFileError), match=r"row numbers.*columns=\("):
        read(text)
    assert read(text, columns=(1, 2)).n_links == 2


@pytest.mark.parametrize("text", ["user,film,stars\nann,Alien,5\nbob,Brazil,4\n", "1 2 7\n2 3 8\n3 1 9\n"])
def test_other_tables_are_not_asked_about(read: Any, text: str) -> None:
    assert read(text).n_links


@pytest.mark.parametrize(
    "text",
    [
        "It was the best of times, it was the worst of\ntimes, the age of wisdom, it was\nthe age, a foolish one\n",
        "Many years later as he faced\nthe firing squad he was\nto remember\n",
        "Call me Ishmael. Some years ago\n",
        "ann bob cat dan\nbob ann\ncat ann dan eve fay\n",
        "Hello wide world\n",
        "Hello, world!\n",
        "To be\nor not\nto be,\nthat is\nthe question.\n",
    ],
)
def test_prose_and_lists_of_neighbours_are_refused(read: Any, text: str) -> None:
    with pytest.raises(GraphFileError, match=r"prose.*two names per line"):
        read(text, "prose.txt")
    assert read(text, "prose.txt", columns=(0, 1)).n_links


@pytest.mark.parametrize("text", ["ann bob\n", "ann,bob\n", "ann\tbob", "Ann Bob 2\n", "José Łukasz"])
def test_one_line_of_two_names_is_a_network(read: Any, text: str) -> None:
    assert (read(text, "links.txt").n_nodes, read(text, "links.txt").n_links) == (2, 1)


@pytest.mark.parametrize(
    "text", ["a b {'weight': 3, 'kind': 'x'}\nb c {}\n", "a b 3 met in 1999\nb c 1 met\n", "a b c d e\nb c d e f\n"]
)
def test_wide_tables_are_not_taken_for_prose(read: Any, text: str) -> None:
    assert read(text, "links.txt").n_links == 2


FRAME = {"id": [1, 2, 3], "author1": ["ann", "bob", "cat"], "author2": ["bob", "cat", "ann"]}


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_the_columns_of_a_frame_can_be_named(make: Any) -> None:
    frame = make(FRAME)
    assert list(as_graph(frame, columns=("author1", "author2")).nodes) == ["ann", "bob", "cat"]
    assert as_graph(frame, columns=(1, 2)).n_links == 3
    with pytest.raises(InvalidGraphError, match=r"row numbers .*columns=\('author1', 'author2'\)"):
        as_graph(frame)
    with pytest.raises(InvalidGraphError, match="no column 'author3'"):
        as_graph(frame, columns=("author1", "author3"))


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_columns_of_a_frame_that_are_guessed_are_warned_of(make: Any) -> None:
    frame = make({"who": ["a", "b", "b"], "whom": ["b", "c", "a"], "when": [7, 8, 9]})
    (said,) = warned(lambda: as_graph(frame))
    assert "'when' is ignored" in said
    assert warned(lambda: as_graph(frame, columns=("who", "whom"))) == []
    assert warned(lambda: as_graph(make({"source": ["a"], "target": ["b"], "when": [7]}))) == []


@pytest.mark.parametrize(
    "make", [pandas.DataFrame.to_parquet, lambda frame, path: polars.DataFrame(frame).write_parquet(path)]
)
def test_a_parquet_file_with_row_numbers_is_asked_about(make: Any, tmp_path: Path) -> None:
    make(pandas.DataFrame(FRAME), tmp_path / "x.parquet")
    with pytest.raises(InvalidGraphError, match="row numbers"):
        read_graph(tmp_path / "x.parquet")
    assert read_graph(tmp_path / "x.parquet", columns=("author1", "author2")).n_links == 3


def test_columns_are_refused_for_what_has_none() -> None:
    with pytest.raises(InvalidParameterError, match="has no named columns"):
        as_graph([("ann", "bob")], columns=("a", "b"))


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ([("ann", "bob", 2.0), ("bob", "cat", 1.0)], ["1 weight dropped"]),
        (networkx.DiGraph([(1, 2), (2, 3), (3, 2)]), ["1 direction dropped"]),
        (np.array([[0, 2], [2, 0]]), ["1 weight dropped"]),
        (networkx.karate_club_graph(), ["72 weights dropped"]),
        ([("ann", "bob"), ("bob", "ann"), ("cat", "cat")], []),
    ],
)
def test_dropped_weights_and_directions_are_warned_of(x: Any, said: list[str]) -> None:
    found = warned(lambda: as_graph(x))
    assert len(found) == len(said)
    assert all(start in one for one, start in zip(found, said, strict=True))


def test_names_with_outer_blanks_are_warned_of() -> None:
    (said,) = warned(lambda: as_graph(pandas.DataFrame({"source": ["ann ", "ann"], "target": ["bob", "cat"]})))
    assert "1 name begins or ends with blanks, such as 'ann '" in said
    assert warned(lambda: as_graph([("New York", "ann"), (("a ", 1), "ann")])) == []


def test_what_was_meant_is_not_warned_of() -> None:
    links = [("ann", "bob", 2.0), ("bob", "cat", 1.0)]
    assert warned(lambda: as_graph(links, weights=True)) == warned(lambda: as_graph(links, weights=False)) == []
    assert warned(lambda: as_graph(np.array([[0, 1], [0, 0]]), symmetrize=True)) == []
    assert warned(lambda: as_graph(as_graph(links, weights=False))) == []


def test_a_fit_warns_too_and_names_the_line_of_the_caller() -> None:
    with pytest.warns(InputWarning, match="2 weights dropped") as caught:
        CommunityModel(1, 0, penalty=1, random_state=0).fit([("a", "b", 2), ("b", "c", 3), ("c", "a", 1)])
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("when,payer,payee\n2024-01-31,ann,bob\n2024-01-31,bob,cat\n", r"'when' holds dates.*'payer', 'payee'\)"),
        ("3.4.24;ann;bob\n3.4.24;bob;cat\n", r"first column holds dates.*columns=\(1, 2\)"),
        ("paid,payer,payee\n1.5,ann,bob\n1.5,bob,cat\n2,bob,ann\n", r"'paid' holds numbers with a fraction"),
        ("ann -> bob\nann -> cat\ncat -> bob\n", r"column 1 holds only signs such as '->'.*columns=\(0, 2\)"),
    ],
)
def test_dates_amounts_and_arrows_are_not_taken_for_nodes(read: Any, text: str, said: str) -> None:
    with pytest.raises((InvalidGraphError, InvalidParameterError, GraphFileError), match=said):
        read(text)


def test_a_frame_with_dates_first_is_asked_about() -> None:
    days = pandas.to_datetime(["2024-01-31", "2024-01-31"])
    with pytest.raises(InvalidGraphError, match="'day' holds dates"):
        as_graph(pandas.DataFrame({"day": days, "payer": ["a", "b"], "payee": ["b", "c"]}))


def test_dates_and_amounts_may_be_nodes_if_there_is_no_other_column(read: Any) -> None:
    assert read("2024-01-31,ann\n2024-01-31,bob\nann,bob\n").n_links == 3
    assert read("2024-01-31,ann,2\n2024-01-31,bob,3\n", columns=(0, 1)).n_links == 2


@pytest.mark.parametrize(
    "text",
    [
        "0,1,1\n1,0,0\n1,0,0\n",
        "0 2 1 0\n2 0 0 0\n1 0 0 5\n0 0 5 0\n",
        "0 1 0\n0 0 0\n1 1 0\n",
        ",ann,bob,cat\nann,0,1,1\nbob,1,0,0\ncat,1,0,0\n",
        "\n".join(" ".join("01"[abs(i - j) == 1] for j in range(260)) for i in range(260)),
    ],
)
def test_a_matrix_is_not_taken_for_links(read: Any, text: str) -> None:
    with pytest.raises(GraphFileError, match=r"looks like an adjacency matrix of (3|4|260) nodes"):
        read(text)


def test_links_with_numbers_are_not_taken_for_a_matrix(read: Any) -> None:
    assert read("0 1 5\n1 2 5\n2 3 7\n").n_links == 3
    assert read("0 1\n1 0\n").n_links == 1


def test_directed_links_of_gephi_are_counted(read: Any) -> None:
    table = "Source,Target,Type,Id\na,b,{0},1\nb,a,{0},2\nb,c,{0},3\n"
    assert read(table.format("Directed")).changes.directions == 1
    assert read(table.format("Undirected")).changes.directions == 0


def test_a_named_column_that_is_ignored_is_warned_of_by_its_name(read: Any) -> None:
    said = warned(lambda: read("book,bought_with,shop\nx,y,here\ny,z,there\n"))
    assert any(
        "2 lines have values in 'shop', which is ignored; pass columns=('book', 'bought_with')" in one for one in said
    )
