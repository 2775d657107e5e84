"""The checkpoint beside a model file: what an earlier fit left there, and what to do with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia.cli.files import check_target
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.fitting import Checkpoint
    from philia.graphs import Graph
    from philia.models import LinkModel

Resume = Annotated[bool, option("--resume", "Resume a fit, or accept a complete one.")]


def checkpoint_of(target: Path, *, resume: bool, force: bool) -> Checkpoint:
    """The checkpoint beside the model file; an error if the model would be replaced without being asked to.

    >>> checkpoint_of(Path("model.safetensors"), resume=False, force=False).path
    PosixPath('model.checkpoint')
    """
    folder = target.with_suffix(".checkpoint")
    check_target(target, force=force or resume or folder.is_dir())  # with a folder, ``settle`` decides
    from philia.fitting import Checkpoint

    return Checkpoint(folder, stays=True)


def planned(model: LinkModel, graph: Graph, held_out: float | None) -> dict[str, Any]:
    """The description of the fit that is about to begin.

    >>> from philia import SVD, as_graph
    >>> planned(SVD(2, random_state=0), as_graph([(0, 1)]), None)["model"]
    'SVD'
    """
    from philia.fitting.checkpoint import description
    from philia.models.link_model import generator
    from philia.pairs import as_held_out

    return description(model, graph, as_held_out(graph, held_out, generator(model.random_state)))


def settle(
    out: Output, checkpoint: Checkpoint, target: Path, fit: dict[str, Any], *, resume: bool, force: bool
) -> LinkModel | None:
    """Prepare the folder for a fit, given what earlier ones left there; the model, if it is already complete.

    An unfinished fit is resumed, since that gives the same model as a new start. One with other settings is renamed, so
    that it never blocks this one; ``force`` discards both.
    """
    from philia.fitting.checkpoint import differences

    folder = str(checkpoint.path)
    about = None if force and not resume else checkpoint.about
    if about is None:
        checkpoint.clear()
        if resume and not force and target.is_file():
            return _complete(out, target, fit)
        check_target(target, force=force)
        if resume:
            out.remark(f"There is no checkpoint {folder!r}; starting a new fit.")
        return None
    earlier = about["fit"]
    found = (
        f"a fit of {earlier['model']} to {earlier['nodes']:,} nodes and {earlier['links']:,} links, begun "
        f"{about['begun']}"
    )
    other = differences(earlier, fit)
    if not other:
        out.remark(f"Resuming {found}, which did not finish; --force starts again.")
        return None
    if resume:  # the fit itself refuses it
        out.remark(f"Found {found}.")
        return None
    check_target(target, force=force)
    out.remark(
        f"{folder!r} holds {found}, which is another fit ({'; '.join(other)}). It is now called "
        f"{str(checkpoint.set_aside())!r}; remove it if you do not need it."
    )
    return None


def _complete(out: Output, target: Path, fit: dict[str, Any]) -> LinkModel | None:
    """The model file's model if it is complete, or None if its fit was interrupted and has to start again."""
    from philia.fitting.checkpoint import description, differences
    from philia.models import load

    model = load(target)
    other = differences(description(model, model.graph_, model.held_out_), fit)
    if other:
        raise InvalidParameterError(
            f"{str(target)!r} already exists and is of another fit: {'; '.join(other)}; choose another name or add "
            "--force to replace it"
        )
    if model.solution_.reason == "interrupted":
        out.remark(f"{str(target)!r} is of a fit that was interrupted and left no checkpoint; starting a new fit.")
        return None
    out.remark(f"{str(target)!r} is already complete; nothing to do.")
    return model
