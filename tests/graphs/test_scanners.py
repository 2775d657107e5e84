"""The two readers of edge lists, and of matrices, against short, obviously correct ones, and against each other."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from philia.exceptions import GraphFileError
from philia.graphs.files.dialect import Dialect
from philia.graphs.files.edge_list import PlainScanner, is_weight
from philia.graphs.files.large import CompiledScanner
from philia.graphs.files.matrix_market import scaled, scan_compiled, scan_plainly
from philia.graphs.files.text import text_blocks

Scanner = type[PlainScanner] | type[CompiledScanner]
both = pytest.mark.parametrize("scanner", [PlainScanner, CompiledScanner])


def scanned(
    scanner: Scanner, text: str, dialect: Dialect, size: int = 1 << 22
) -> tuple[list[tuple[object, object]], list[object]]:
    reader = scanner(dialect)
    for block in text_blocks(io.BufferedReader(io.BytesIO(text.encode())), size=size):
        reader.scan(block)
    links = reader.links()
    names: list[object] = (
        links.names.tolist() if isinstance(links.names, np.ndarray) else [name.decode() for name in links.names]
    )
    return [(names[u], names[v]) for u, v in zip(links.rows, links.columns, strict=True)], names


def reference(text: str, delimiter: str | None) -> list[tuple[object, object]]:
    links = []
    for line in re.split("\r\n|\r|\n", text):
        fields = [field.strip(" \t") for field in line.split(delimiter)]
        if line.strip() and not line.lstrip().startswith(("#", "%", "//")):
            links.append((fields[0], fields[1]))
    names = {name for link in links for name in link}
    integers = all(re.fullmatch("0|-?[1-9][0-9]*", name) and abs(int(name)) < 2**63 for name in names)
    return [(int(u), int(v)) for u, v in links] if integers else list(links)


def in_order(links: list[tuple[object, object]]) -> list[object]:
    return list(dict.fromkeys(name for link in links for name in link))


integers = (
    st.integers(-(2**64), 2**64).map(str)
    | st.integers(0, 20).map(str)
    | st.sampled_from(["007", "-0", "+5", "1.0", str(2**63 - 1)])
)
words = st.text(st.sampled_from("abcé日.-_#%/'"), min_size=1, max_size=20) | st.sampled_from(
    ["x" * 15, "x" * 16, "x" * 40, "y" * 16]
)
ends = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def messy_files(draw: st.DrawFn, delimiter: str) -> str:
    name = draw(st.sampled_from([st.integers(0, 30).map(str), integers, words, integers | words]))
    gap = (
        st.text(st.sampled_from(" \t"), min_size=1, max_size=3)
        if delimiter == " "
        else st.sampled_from([delimiter, f" {delimiter} "])
    )
    rest = st.lists(words, max_size=2)
    lines = []
    for _ in range(draw(st.integers(0, 12))):
        kind = draw(st.integers(0, 9))
        if kind == 0:
            lines.append(draw(st.sampled_from(["", "  ", "\t", "# a comment", "  % another", "//x y", "#"])))
        else:
            first = draw(name.filter(lambda text: not text.startswith(("#", "%", "//"))))
            fields = [first, draw(name), *draw(rest)]
            lines.append(
                fields[0] + "".join(draw(gap) + field for field in fields[1:]) + draw(st.sampled_from(["", "", " "]))
            )
    end = draw(ends)
    return end.join(lines) + draw(st.sampled_from(["", end]))


@both
@pytest.mark.parametrize("delimiter", [" ", ",", "\t", ";"])
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_messy_file_is_read_as_the_reference_reads_it(scanner: Scanner, delimiter: str, data: st.DataObject) -> None:
    text = data.draw(messy_files(delimiter))
    expected = reference(text, None if delimiter == " " else delimiter)
    size = data.draw(st.sampled_from([1 << 22, 40, 7]))
    if expected:
        links, names = scanned(scanner, text, Dialect(delimiter=delimiter.encode()), size)
        assert links == expected
        assert names == in_order(expected)


@both
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(*[st.text(st.sampled_from('ab",; \t#日'), max_size=5)] * 3), min_size=1, max_size=10))
def test_quoted_fields_are_read_as_the_csv_module_reads_them(
    scanner: Scanner, rows: list[tuple[str, str, str]]
) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    assert scanned(scanner, text.getvalue(), Dialect(delimiter=b","))[0] == [row[:2] for row in rows]


def outcome(scanner: Scanner, text: str, dialect: Dialect, size: int) -> object:
    reader = scanner(dialect)
    try:
        reader.scan(text.encode())
        return scanned(scanner, text, dialect, size), reader.links().lost
    except GraphFileError as error:
        return str(error)


@pytest.mark.parametrize("delimiter", [b" ", b",", b"\t", b"|"])
@settings(max_examples=150, deadline=None)
@given(
    text=st.text(st.sampled_from('ab10-+ \t,|"#%/\r\né'), max_size=60),
    columns=st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 1)]),
    size=st.sampled_from([1 << 22, 5]),
)
@example(text='"a""b" "c"\n', columns=(0, 1), size=5)
@example(text='1 2\n3 "4"\n', columns=(0, 1), size=5)
@example(text="1 2\n007 3\n1 2\n", columns=(0, 1), size=4)
def test_both_readers_agree_on_any_text(text: str, delimiter: bytes, columns: tuple[int, int], size: int) -> None:
    dialect = Dialect(delimiter=delimiter, columns=columns, weight=3)
    assert outcome(CompiledScanner, text + "\n", dialect, size) == outcome(PlainScanner, text + "\n", dialect, size)


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("01.eE+-2x"), max_size=8))
@example("1.000000000000000000e+00")
@example("+01.0E-0")
@example("1e")
def test_both_readers_know_a_weight_of_one(weight: str) -> None:
    reader = CompiledScanner(Dialect(weight=2))
    reader.scan(f"a b {weight}\n".encode())
    weights = reader.links().weights
    assert weights is not None
    assert (weights != 1).tolist() == [is_weight(weight.encode())]
    if not is_weight(weight.encode()) and weight:
        assert float(weight) == 1


@both
def test_many_names_survive_the_growth_of_the_tables(scanner: Scanner) -> None:
    text = "".join(f"node-{i:x} a-name-of-more-than-sixteen-bytes-{i * 7919:x}\n" for i in range(20_000))
    links, names = scanned(scanner, text, Dialect(), size=50_000)
    assert len(names) == len(set(names)) == 40_000
    assert links[12_345] == ("node-3039", f"a-name-of-more-than-sixteen-bytes-{12_345 * 7919:x}")


@both
def test_integers_read_so_far_become_text_when_text_comes(scanner: Scanner) -> None:
    text = "".join(f"{i} {-i}\n" for i in range(1, 3000)) + "a b\n5 b\n"
    links, names = scanned(scanner, text, Dialect(), size=1000)
    assert names[:3] == ["1", "-1", "2"]
    assert links[-1] == ("5", "b")


@both
def test_the_line_of_a_mistake_is_counted_over_blocks_and_line_ends(scanner: Scanner) -> None:
    with pytest.raises(GraphFileError, match=r"line 402 \('lonely'\)"):
        scanned(scanner, "1 2\r\n" * 401 + "lonely\r\n3 4", Dialect(), size=100)


def block_texts(text: str, size: int) -> Iterator[str]:
    return (block.decode() for block in text_blocks(io.BufferedReader(io.BytesIO(text.encode())), size=size))


@given(text=st.text(st.sampled_from("ab\r\né"), max_size=40), size=st.integers(1, 10))
def test_blocks_end_where_lines_end_and_lose_nothing(text: str, size: int) -> None:
    blocks = list(block_texts(text, size))
    assert "".join(blocks) == text
    joined = [line for block in blocks for line in block.encode().splitlines()]
    assert joined == text.encode().splitlines()


def matrix_reference(text: str, coordinate: bool, field: str) -> list[list[float]]:
    """The numbers on each line that is not blank, places counted from 0."""
    rows = [line.split() for line in re.split("\r\n|\r|\n", text)]
    ends, size = 2 * coordinate, 2 * coordinate + (field != "pattern")
    number = int if field == "integer" else float  # a float would round integers above 2^53
    return [[int(x) - 1 for x in row[:ends]] + [number(x) for x in row[ends:size]] for row in rows if row]


decimals = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.decimals(allow_nan=False, allow_infinity=False).map(str)
    | st.integers(-(10**30), 10**30).map(str)
    | st.tuples(st.integers(0, 10**18), st.integers(-40, 40)).map(lambda parts: f"{parts[0]}e{parts[1]}")
    | st.tuples(st.integers(0, 10**6), st.integers(0, 10**20)).map(lambda parts: f"{parts[0]}.{parts[1]}")
    | st.sampled_from(["1.", ".5", "+2", "-0", "1E5", "1e-400", "1e400", "9007199254740993", "0.1e1"])
)
places = st.integers(1, 10**17).map(str)
gaps = st.sampled_from([" ", "\t", "  "])


@settings(deadline=None, max_examples=300)
@given(data=st.data(), coordinate=st.booleans(), field=st.sampled_from(["pattern", "real", "integer"]))
def test_both_readers_of_matrices_find_the_numbers_that_are_there(
    data: st.DataObject, coordinate: bool, field: str
) -> None:
    coordinate = coordinate or field == "pattern"
    value = {
        "pattern": st.sampled_from(["", "7"]),
        "real": decimals,
        "integer": st.integers(-(10**17), 10**17).map(str),
    }
    parts = st.tuples(*[places] * 2 * coordinate, value[field], st.sampled_from(["", "x y"]))
    lines = data.draw(st.lists(parts | st.just(("",)), max_size=20))
    gap, end = data.draw(gaps), data.draw(ends)
    text = end.join(gap + gap.join(line) for line in lines)
    expected = matrix_reference(text, coordinate, field)
    for scan in (scan_plainly, scan_compiled):
        found = scan(text.encode(), coordinate, field, 0)
        assert found.values.tolist() == [1.0 if field == "pattern" else row[-1] for row in expected]
        assert found.rows.tolist() == [row[0] for row in expected if coordinate]
        assert found.columns.tolist() == [row[1] for row in expected if coordinate]


@settings(deadline=None, max_examples=300)
@given(
    text=st.text(st.sampled_from("0123456789 .+-eE\n\r\tx\0"), max_size=40),
    coordinate=st.booleans(),
    field=st.sampled_from(["pattern", "real", "integer"]),
)
@example(text="1 2\n3 4 \0", coordinate=True, field="pattern")
@example(text="1 2\r\n\r\n5", coordinate=True, field="pattern")
def test_both_readers_of_matrices_agree_on_anything_at_all(text: str, coordinate: bool, field: str) -> None:
    outcomes: list[object] = []
    for scan in (scan_plainly, scan_compiled):
        try:
            found = scan(text.encode(), coordinate or field == "pattern", field, 7)
            outcomes.append((found.rows.tolist(), found.columns.tolist(), found.values.tolist(), found.values.dtype))
        except GraphFileError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_digits_and_powers_become_the_number_that_python_reads() -> None:
    rng = np.random.default_rng(0)
    digits = rng.integers(0, 10 ** rng.integers(1, 19, 20_000))
    powers = rng.integers(-22, 23, digits.size).astype(np.int8)
    values, exact = scaled(digits, powers)
    expected = [float(f"{number}e{power}") for number, power in zip(digits.tolist(), powers.tolist(), strict=True)]
    assert (values[exact] == np.array(expected)[exact]).all()
    assert exact[digits < 2**53].all()
