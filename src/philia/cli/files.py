"""Files that commands read and write, checked before any work."""

from __future__ import annotations

import hashlib
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from philia.graphs import Graph
    from philia.models import CommunityModel

MODEL_SUFFIX = ".safetensors"


def load_community_model(path: Path, task: str) -> CommunityModel:
    """The community model in a file; another model cannot do the task.

    >>> load_community_model(Path("nowhere.safetensors"), "place new nodes")
    Traceback (most recent call last):
    philia.exceptions.ModelFileError: there is no model file 'nowhere.safetensors'; ...
    """
    from philia.models import CommunityModel, load

    model = load(path)
    if not isinstance(model, CommunityModel):
        raise InvalidParameterError(f"{str(path)!r} holds a {type(model).__name__}; only a CommunityModel can {task}")
    return model


_OWN_TABLES = (b"node,community,kind,share,membership\n", b"source,target,probability\n", b"source,target,forest\n")
"""The first lines of tables that commands write."""

_LOOKED_AT = 1 << 12
"""Bytes at the beginning and at the end of a file that show who wrote it."""


def is_own(path: Path) -> bool:
    """Whether philia wrote the file: a model, a report or a table of its results, or anything that it remembers.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.csv"
    >>> _ = path.write_text("precious")
    >>> is_own(path)
    False
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
        file.seek(-min(_LOOKED_AT, path.stat().st_size), 2)
        end = file.read()
    return (
        (start[8:].startswith(b'{"__metadata__"') and b"philia" in start)
        or b"<title>philia report</title>" in start
        or start.startswith(_OWN_TABLES)
        or (start.startswith(b"{") and b'"philia' in start)
        or (start.startswith(b"PAR1") and b"membership" in end and b"community" in end)
        or _is_remembered(path)
    )


def remember(path: Path) -> None:
    """Keep the checksum of a network or a figure, which cannot say who wrote it, so that it may be replaced later.

    A file that was edited since then has another checksum. Where the cache cannot be written, nothing is kept.

    >>> import os, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> os.environ["PHILIA_CACHE"] = str(folder / "cache")
    >>> _ = (folder / "links.csv").write_text("ann,bob")
    >>> remember(folder / "links.csv")
    >>> is_own(folder / "links.csv")
    True
    >>> _ = (folder / "links.csv").write_text("ann,bob,since 2019")
    >>> is_own(folder / "links.csv")
    False
    >>> del os.environ["PHILIA_CACHE"]
    """
    with suppress(OSError, InvalidParameterError):
        record = _record()
        record.parent.mkdir(parents=True, exist_ok=True)
        with record.open("a", encoding="ascii") as file:
            file.write(_checksum(path) + "\n")


def _is_remembered(path: Path) -> bool:
    with suppress(OSError, InvalidParameterError):
        return _checksum(path) in _record().read_text(encoding="ascii").split()
    return False


def _record() -> Path:
    from philia.datasets.cache import cache_folder

    return cache_folder() / "written.sha256"


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_target(path: Path, *, force: bool, printing: bool = False) -> None:
    """Raise an error, before any work, if the file cannot be written or would replace one that philia did not write.

    With ``printing`` it may be "-", the standard output.

    >>> check_target(Path("no/such/folder/new.csv"), force=False)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no folder 'no/such/folder' to write 'new.csv' to; make it first
    """
    if str(path) == "-":
        if printing:
            return
        raise InvalidParameterError("this command cannot write to standard output; give the name of a file")
    if path.is_dir():
        raise InvalidParameterError(f"{str(path)!r} is a folder; give the path of a file in it")
    if path.is_file() and not force and not is_own(path):
        raise InvalidParameterError(
            f"{str(path)!r} exists already and was not written by this program; choose another name, or add --force to "
            "replace it"
        )
    if not path.parent.is_dir():
        raise InvalidParameterError(f"there is no folder {str(path.parent)!r} to write {path.name!r} to; make it first")


def write_links(graph: Graph, path: Path) -> None:
    """Write the graph to a file, or as CSV to the standard output if the path is "-".

    >>> import tempfile
    >>> from philia import as_graph
    >>> path = Path(tempfile.mkdtemp()) / "links.csv"
    >>> write_links(as_graph([("ann", "bob")]), path)
    >>> path.read_text().split()
    ['source,target', 'ann,bob']
    """
    from philia.graphs import DescribedGraph, write_graph
    from philia.graphs.files.edge_list import write_edge_list

    if str(path) != "-":
        write_graph(graph, path)
        remember(path)
        return
    sys.stdout.flush()
    write_edge_list(DescribedGraph(graph), sys.stdout.buffer, delimiter=",")
    sys.stdout.buffer.flush()


def check_figure(path: Path, *, force: bool) -> None:
    """The same for a figure, whose extension must also be a supported format.

    >>> check_figure(Path("link.xyz"), force=False)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: '.xyz' is not a format for figures; use one of ...
    """
    from matplotlib.figure import Figure

    formats = sorted(Figure().canvas.get_supported_filetypes())
    if path.suffix.lower().lstrip(".") not in formats:
        raise InvalidParameterError(f"{path.suffix!r} is not a format for figures; use one of {', '.join(formats)}")
    check_target(path, force=force)


def save_figure(ax: Axes, path: Path) -> None:
    """Write the figure that the axes belong to.

    >>> import tempfile
    >>> from philia import as_graph, plots
    >>> path = Path(tempfile.mkdtemp()) / "links.png"
    >>> save_figure(plots.adjacency(as_graph([(1, 2)])), path)
    >>> path.is_file()
    True
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # names in a script the font lacks
        cast("Figure", ax.figure).savefig(path)
    remember(path)
