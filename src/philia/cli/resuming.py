"""Long fits that were ended in the middle: what is left of them, and what becomes of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia.cli.files import check_target
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.models import LinkModel
    from philia.models.checkpoints import Checkpoint

Resume = Annotated[bool, option("--resume", "Go on with a fit that was ended.")]

_SUFFIX = ".checkpoint"


def checkpoint_of(target: Path, *, resume: bool, force: bool) -> Checkpoint:
    """The folder beside the model file where a long fit notes how far it has come.

    A model that would be replaced unasked is complained about before anything is loaded, where that can be said yet.

    >>> checkpoint_of(Path("model.safetensors"), resume=False, force=False).path
    PosixPath('model.checkpoint')
    """
    folder = target.with_suffix(_SUFFIX)
    check_target(target, force=force or resume or folder.is_dir())
    from philia.models.checkpoints import Checkpoint

    return Checkpoint(folder, stays=True)


def settle(
    out: Output, checkpoint: Checkpoint, target: Path, fit: dict[str, Any], *, resume: bool, force: bool
) -> LinkModel | None:
    """Make the way free for a fit, given what earlier ones have left; the model, if it is complete already.

    A fit that was ended is neither gone on with nor thrown away unasked. That of other settings is in nobody's way: it
    is renamed.
    """
    from philia.models.descriptions import differences
    from philia.models.resuming import fit_in, in_words

    folder = str(checkpoint.path)
    about = None if force and not resume else fit_in(checkpoint)
    if about is None:
        checkpoint.clear()
        if resume and not force and target.is_file():
            return _complete(out, target, fit)
        check_target(target, force=force)
        if resume:
            out.remark(f"There is no {folder!r} to go on with; the fit begins anew.")
        return None
    other = differences(about["fit"], fit)
    if resume:  # where it is of another fit, the fit itself says so
        out.remark(f"Going on with {in_words(about)}." if not other else f"Found {in_words(about)}.")
        return None
    if not other:
        raise InvalidParameterError(
            f"{folder!r} holds {in_words(about)}, which was ended before it was done; add --resume to go on with it, "
            "or --force to begin anew"
        )
    check_target(target, force=force)
    out.remark(
        f"{folder!r} holds {in_words(about)}, which is another fit ({'; '.join(other)}). It is now called "
        f"{str(checkpoint.set_aside())!r}; remove it if you do not need it."
    )
    return None


def _complete(out: Output, target: Path, fit: dict[str, Any]) -> LinkModel | None:
    """The model that is there already, if it is complete; None if that fit was interrupted and has to begin anew."""
    from philia.models import load
    from philia.models.descriptions import description, differences

    model = load(target)
    other = differences(description(model, model.graph_), fit)
    if other:
        raise InvalidParameterError(
            f"{str(target)!r} exists already and is of another fit: {'; '.join(other)}; choose another name or add "
            "--force to replace it"
        )
    if model.solution_.reason == "interrupted":
        out.remark(f"{str(target)!r} is of a fit that was interrupted and left no checkpoint; the fit begins anew.")
        return None
    out.remark(f"{str(target)!r} is complete already; there is nothing left to do.")
    return model
