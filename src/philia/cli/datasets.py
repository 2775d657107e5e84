"""philia datasets: real networks with labels, and their files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia._text import counted
from philia.cli import options
from philia.cli.guard import GuardedCommand, GuardedGroup
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.datasets import CatalogEntry, DataFile
    from philia.datasets.cache import OnBytes

datasets = typer.Typer(
    name="datasets",
    cls=GuardedGroup,
    no_args_is_help=True,
    help="List, describe and download real networks with labels.",
)

_Name = Annotated[str, typer.Argument(metavar="NAME", help="A name shown by list.", show_default=False)]
_Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", help="Names shown by list.", show_default=False)]


@datasets.command("list", cls=GuardedCommand)
def _show_all(json: options.Json = False, quiet: options.Quiet = False, debug: options.Debug = False) -> None:
    """List all datasets: their size, and whether their files are on this machine.

    Example:
    $ philia datasets list
    """
    from philia.datasets import CATALOG
    from philia.datasets.cache import CACHE, DATA, cache_folder, data_folder

    out = Output(json, quiet, debug)
    found = {name: all(file["found"] for file in _files(entry)) for name, entry in CATALOG.items()}
    out.data({"datasets": [{"name": name, **_size(entry), "found": found[name]} for name, entry in CATALOG.items()]})
    rows = [
        (name, *(f"{count:,}" for count in _size(entry).values()), "yes" if found[name] else "no", entry.title)
        for name, entry in CATALOG.items()
    ]
    out.table(["name", "nodes", "links", "labels", "here", "title"], rows, right=(1, 2, 3))
    out.say(f"Files are searched for in ${DATA} ({data_folder() or 'not set'}), then in the cache, {cache_folder()},")
    out.say(f"which ${CACHE} can move. Download missing files with: philia datasets fetch NAME")


@datasets.command("info", cls=GuardedCommand)
def _show_one(
    name: _Name, json: options.Json = False, quiet: options.Quiet = False, debug: options.Debug = False
) -> None:
    """Describe a dataset: its content, citation, files and, if they are on this machine, its counts.

    Example:
    $ philia datasets info football
    """
    from philia.datasets import entry

    out = Output(json, quiet, debug)
    about = entry(name)
    files = _files(about)
    with out.listening():
        counts = _counts(name) if all(file["found"] for file in files) else None
    words = {"citation": about.citation, "source": about.source, "licence": about.licence}
    facts = {"name": name, "title": about.title, "description": about.description, **words, "catalog": _size(about)}
    out.data({**facts, "files": files, "counts": counts})
    out.say(f"{name}: {about.title}", style="bold")
    out.say(about.description)
    for word, text in words.items():
        out.say(f"{word.capitalize()}: {text}")
    _say_files(out, files)
    if counts is None:
        out.say(f"{_in_words(_size(about))}, according to the catalog.")
        out.say(f"Download the files with: philia datasets fetch {name}")
    else:
        densest = f"largest degree {counts['largest_degree']:,}, degeneracy {counts['degeneracy']:,}"
        out.say(f"{_in_words(counts)}; {densest}.")


@datasets.command("fetch", cls=GuardedCommand)
def _fetch(
    names: _Names = None,
    everything: Annotated[bool, option("--all", "All datasets.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Download missing files, verify all checksums, and show where the files are.

    Example:
    $ philia datasets fetch football
    """
    from philia import datasets as library

    out = Output(json, quiet, debug)
    if bool(names) == everything:
        raise InvalidParameterError("give the names of datasets, or --all; philia datasets list shows them")
    wanted = library.names() if everything else list(dict.fromkeys(names or []))
    for name in wanted:
        library.entry(name)  # raises an error for an unknown name before anything is downloaded
    files: list[dict[str, Any]] = []
    with out.listening(), _bars(out) as on_bytes:
        for name in wanted:
            there = {file["file"]: file["found"] for file in _files(library.entry(name))}
            for file, path in library.fetch(name, on_bytes=on_bytes).items():
                files.append({"dataset": name, "file": file.name, "path": str(path), "found": there[file.name]})
    out.data({"files": files})
    out.table(
        ["dataset", "was", "file"],
        [(file["dataset"], "here" if file["found"] else "downloaded", file["path"]) for file in files],
    )


def _files(entry: CatalogEntry) -> list[dict[str, Any]]:
    """The facts about each file, and its path, or where it would be downloaded to."""
    from philia.datasets.cache import cache_path, find

    files = []
    for file in entry.files:
        found = find(file)
        known = {"file": file.name, "bytes": file.size, "sha256": file.sha256, "address": file.address}
        files.append({**known, "path": str(found or cache_path(file)), "found": found is not None})
    return files


def _say_files(out: Output, files: list[dict[str, Any]]) -> None:
    out.say()
    for file in files:
        out.say(f"{file['file']}, {file['bytes']:,} bytes, {'at' if file['found'] else 'to be downloaded to'}")
        out.say(f"  {file['path']}")
        out.say(f"  from {file['address']}")
        out.say(f"  sha256 {file['sha256']}")
    out.say()


def _size(entry: CatalogEntry) -> dict[str, int]:
    return {"nodes": entry.n_nodes, "links": entry.n_links, "labels": entry.n_labels}


def _counts(name: str) -> dict[str, int]:
    from philia.datasets import load
    from philia.graphs import degeneracy

    dataset = load(name)
    return {
        "nodes": dataset.graph.n_nodes,
        "links": dataset.graph.n_links,
        "labels": len(dataset.communities),
        "largest_degree": int(dataset.graph.degrees.max(initial=0)),
        "degeneracy": degeneracy(dataset.graph),
    }


def _in_words(size: dict[str, int]) -> str:
    nodes, links, labels = (counted(size[noun + "s"], noun) for noun in ("node", "link", "label"))
    return f"{nodes}, {links} and {labels}"


@contextmanager
def _bars(out: Output) -> Iterator[OnBytes | None]:
    """A function to call while bytes arrive, which shows one bar per file if standard error is a terminal."""
    if out.quiet or not out.errors.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=12), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=out.errors, transient=True) as bars:
        tasks: dict[DataFile, Any] = {}

        def show(file: DataFile, arrived: int) -> None:
            if file not in tasks:
                tasks[file] = bars.add_task(file.name, total=file.size)
            bars.update(tasks[file], completed=arrived)

        yield show
