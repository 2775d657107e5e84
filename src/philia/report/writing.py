"""The report of a model as a file."""

from __future__ import annotations

import os
from pathlib import Path

from philia.models import LinkModel
from philia.report.assembling import page
from philia.report.charts import check_charts
from philia.report.contents import payload
from philia.report.labels import LabelsLike
from philia.report.missing import OnProgress
from philia.storage import saving


def write_report(
    model: LinkModel,
    path: str | os.PathLike[str],
    *,
    labels: LabelsLike | None = None,
    title: str | None = None,
    source: str | None = None,
    on_progress: OnProgress | None = None,
) -> Path:
    """Write the report of a fitted ``CommunityModel`` as one HTML file that needs no network, and give its path.

    ``labels`` are groups that were known before, to be compared with the communities: a mapping from their names to
    their nodes, or whatever ``read_communities`` read. ``title`` stands at the top, ``source`` says where the model
    comes from. ``on_progress`` is called, in large graphs, with how many nodes were searched for missing links and of
    how many.

    >>> import tempfile
    >>> from philia import CommunityModel
    >>> model = CommunityModel(1, 0, penalty=0.1, random_state=0).fit([(1, 2), (1, 3), (2, 3), (4, 5)])
    >>> path = write_report(model, Path(tempfile.mkdtemp()) / "report.html", title="Five people")
    >>> path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    True
    """
    check_charts()
    text = page(payload(model, labels=labels, title=title, source=source, on_progress=on_progress))
    with saving(path) as file:
        file.write(text.encode("utf-8"))
    return Path(path)
