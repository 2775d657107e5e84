"""Long fits that were ended in the middle: what is left of them, and what becomes of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from philia.cli.files import check_target
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.models.checkpoints import Checkpoint

Resume = Annotated[bool, option("--resume", "Go on with a fit that was ended.")]

_SUFFIX = ".checkpoint"


def checkpoint_of(out: Output, target: Path, *, resume: bool, force: bool) -> Checkpoint:
    """The folder beside the model file where a long fit notes how far it has come, and the check that both may be used.

    A fit that was ended is neither gone on with nor thrown away unasked.

    >>> checkpoint_of(Output(), Path("model.safetensors"), resume=False, force=False).path
    PosixPath('model.checkpoint')
    """
    folder = target.with_suffix(_SUFFIX)
    if not folder.is_dir():
        check_target(target, force=force)  # before anything is loaded
        if resume:
            out.remark(f"There is no {str(folder)!r} to go on with; the fit begins anew.")
    from philia.models.checkpoints import Checkpoint
    from philia.models.resuming import in_words

    checkpoint = Checkpoint(folder, stays=True)
    about = None if force and not resume else checkpoint.about
    if about is not None and not resume:
        raise InvalidParameterError(
            f"{str(folder)!r} holds {in_words(about)}, which was ended before it was done; add --resume to go on with "
            "it, or --force to begin anew"
        )
    check_target(target, force=force or about is not None)  # a model may be there already: that of Ctrl-C
    if about is None:
        checkpoint.clear()
    else:
        out.remark(f"Going on with {in_words(about)}.")
    return checkpoint
