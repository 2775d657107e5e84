"""Tables of named columns in files: CSV, JSON and Parquet."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from philia._text import to_json
from philia._types import Node
from philia._version import __version__
from philia.exceptions import InvalidParameterError
from philia.graphs.described import plain
from philia.graphs.files.names import written_name
from philia.graphs.files.parquet import write_columns
from philia.graphs.frames import Frame
from philia.storage import FilePath, saving, suffix_of

TABLE_SUFFIXES = (".csv", ".json", ".parquet")


def write_table_file(frame: Frame, path: FilePath) -> None:
    """Write the table in the format of the suffix: .csv, .json (a list of rows) or .parquet.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ages.csv"
    >>> write_table_file(Frame({"node": ["ann", "New York"], "age": [31, 45]}), path)
    >>> print(path.read_text().strip())
    node,age
    ann,31
    "New York",45
    """
    writers = dict(zip(TABLE_SUFFIXES, (_write_csv, _write_json, _write_parquet), strict=True))
    suffix = suffix_of(path)
    if suffix not in writers:
        raise InvalidParameterError(
            f"tables are not written with the suffix {suffix!r}; use one of {', '.join(TABLE_SUFFIXES)}"
        )
    with saving(path) as file:
        writers[suffix](frame, file)


def _write_csv(frame: Frame, file: BinaryIO) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    text.write(",".join(frame.columns) + "\n")
    rows = zip(*(plain(values) for values in frame.columns.values()), strict=True)
    text.writelines(",".join(map(_cell, row)) + "\n" for row in rows)
    text.flush()
    text.detach()


def _cell(value: Node) -> str:
    return repr(value) if isinstance(value, float) else written_name(value)


def _write_json(frame: Frame, file: BinaryIO) -> None:
    rows = zip(*(plain(values) for values in frame.columns.values()), strict=True)
    listed: list[dict[str, Any]] = [dict(zip(frame.columns, map(_value, row), strict=True)) for row in rows]
    file.write(to_json({"philia": __version__, "rows": listed}, indent=1, ensure_ascii=False).encode() + b"\n")


def _value(value: Node) -> Any:
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _write_parquet(frame: Frame, file: BinaryIO) -> None:
    write_columns({name: plain(values) for name, values in frame.columns.items()}, file)
