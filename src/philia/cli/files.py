"""Files that commands read and write: graphs, models and figures, checked before the work begins."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, cast

from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from philia.models import LinkModel

MODEL_SUFFIX = ".safetensors"


def load_model(path: Path) -> LinkModel:
    """The model in a file.

    >>> load_model(Path("nowhere.safetensors"))
    Traceback (most recent call last):
    philia.exceptions.ModelFileError: there is no model file 'nowhere.safetensors'; ...
    """
    from philia.models import load

    return load(path)


def check_target(path: Path, *, force: bool) -> None:
    """Complain, before any work, if the file cannot be written or would replace another one unasked.

    >>> check_target(Path("no/such/folder/new.csv"), force=False)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: there is no folder 'no/such/folder' to write 'new.csv' to; make it first
    """
    if str(path) == "-":
        raise InvalidParameterError("nothing is written to standard output here; give the name of a file")
    if path.is_dir():
        raise InvalidParameterError(f"{str(path)!r} is a folder; give the path of a file in it")
    if path.is_file() and not force:
        raise InvalidParameterError(f"{str(path)!r} exists already; choose another name or add --force to replace it")
    if not path.parent.is_dir():
        raise InvalidParameterError(f"there is no folder {str(path.parent)!r} to write {path.name!r} to; make it first")


def check_figure(path: Path, *, force: bool) -> None:
    """The same for a figure, which must also end in a format that can be drawn.

    >>> check_figure(Path("link.xyz"), force=False)
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: no figure is drawn with the ending '.xyz'; use one of ...
    """
    from matplotlib.figure import Figure

    formats = sorted(Figure().canvas.get_supported_filetypes())
    if path.suffix.lower().lstrip(".") not in formats:
        raise InvalidParameterError(
            f"no figure is drawn with the ending {path.suffix!r}; use one of {', '.join(formats)}"
        )
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
