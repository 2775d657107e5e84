"""philia demo: the paper's dating app, from sampling the network to explaining a match."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia.cli import options
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError, MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from philia._types import Float64Array, Int64Array
    from philia.datasets import DatingApp
    from philia.explain import Communities
    from philia.models import CommunityModel

_FIGURES = {
    "network.png": "the probabilities of matches, and the matches sampled from them",
    "reconstruction.png": "the matches next to the fitted probabilities",
    "factors.png": "memberships: cities attract, genders repel",
    "loss.png": "the loss per iteration",
    "explanation.png": "one match, explained",
}
"""What each figure shows."""

_ROWS = "users, by city and within it by gender"


def demo(
    output: Annotated[Path, option("-o --output", "Folder for figures and model (demo).")] = Path("demo"),
    nodes: Annotated[int, typer.Option(hidden=True, min=20)] = 1000,
    cities: Annotated[int, typer.Option(hidden=True, min=2)] = 10,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Show what philia does, on a made-up dating app: figures and a report in a folder, in less than a minute.

    Example:
    $ philia demo --output demo
    """
    out = Output(json, quiet, debug)
    if output.exists() and not output.is_dir():
        raise InvalidParameterError(f"{str(output)!r} is a file; give the name of a folder for the figures")
    output.mkdir(parents=True, exist_ok=True)
    with out.listening():
        app = _draw_network(out, nodes, cities)
        model = _fit(out, app)
        facts = _compare(out, app, model)
        pair = _explain(out, app, model)
        _save(out, app, model, pair, output)
    _what_next(out, output, pair)
    out.data({"folder": str(output), "explained": list(pair), **facts})


def _draw_network(out: Output, nodes: int, cities: int) -> DatingApp:
    from philia.datasets import dating_app

    out.say("1. A network", style="bold")
    out.say(
        f"{nodes:,} made-up users of a dating app live in {cities} cities, about half of them women. Two users match "
        "with probability 0.5 if they live in the same city and differ in gender, 0.05 if only one of the two holds, "
        "and 0.005 if neither does."
    )
    app = dating_app(nodes, cities, random_state=0)
    out.say(f"Sampled with seed 0, this gives {app.graph.n_links:,} matches among {nodes * (nodes - 1) // 2:,} pairs.")
    return app


def _fit(out: Output, app: DatingApp) -> CommunityModel:
    from philia.cli.output import progress_line
    from philia.cli.summaries import stop_in_words
    from philia.models import CommunityModel

    out.say()
    out.say("2. A model", style="bold")
    out.say(
        "philia sees only the matches, neither cities nor genders, and is not told how many communities there are. It "
        "sets a tenth of all pairs aside for validation and chooses what predicts these best."
    )
    model = CommunityModel(random_state=0)
    with progress_line(out) as on_iteration:
        model.fit(app.graph, on_iteration=on_iteration)
    out.say(f"Chosen: {model.selection_}.")
    out.say(stop_in_words(model.solution_))
    return model


def _compare(out: Output, app: DatingApp, model: CommunityModel) -> dict[str, Any]:
    from sklearn.metrics import adjusted_rand_score

    city = adjusted_rand_score(app.city, model.labels_)
    gender = adjusted_rand_score(app.gender, model.factors_.heterophilous.argmax(axis=1))
    out.say()
    out.say("3. What it found", style="bold")
    out.say(
        "Each user's strongest attracting community compared with the true city, and the stronger repelling one with "
        "the true gender (adjusted Rand index: 1 is perfect, 0 is chance):"
    )
    out.table(
        ["hidden truth", "adjusted Rand index"], [("city", f"{city:.3f}"), ("gender", f"{gender:.3f}")], right=(1,)
    )
    found = model.communities()
    out.table(["community", "odds of a link", "members", "description"], _described(app, found), right=(1, 2))
    return {
        "nodes": app.graph.n_nodes,
        "links": app.graph.n_links,
        "seconds": model.solution_.seconds,
        "mean_log_likelihood": model.score(),
        "adjusted_rand_index": {"city": float(city), "gender": float(gender)},
    }


def _described(app: DatingApp, found: Communities) -> list[tuple[str, str, str, str]]:
    import numpy as np

    from philia.explain.links import factor_in_words

    rows = []
    for community in found:
        label, truth = ("city", app.city) if community.kind == "homophilous" else ("gender", app.gender)
        members = np.array(list(community.members), dtype=np.int64)  # users are named by their row numbers
        counts = np.bincount(truth[members], minlength=1)
        most = int(counts.argmax())
        share = counts[most] / max(len(members), 1)
        who = f"{'all' if share == 1 else f'{share:.0%}'} from {label} {most}"
        rows.append((community.name, factor_in_words(community.typical), f"{len(members):,}", who))
    return rows


def _explain(out: Output, app: DatingApp, model: CommunityModel) -> tuple[int, int]:
    """Explain the first match between two users of one city."""
    from philia.cli.explain import show_explanation

    rows, columns = app.graph.links
    same = (app.city[rows] == app.city[columns]) & (app.gender[rows] != app.gender[columns])
    first = int(same.argmax())
    pair = int(rows[first]), int(columns[first])
    out.say("4. One match, explained", style="bold")
    out.say(f"Users {pair[0]} and {pair[1]} live in the same city and differ in gender. For the model:")
    show_explanation(out, model.explain(*pair))
    return pair


def _save(out: Output, app: DatingApp, model: CommunityModel, pair: tuple[int, int], folder: Path) -> None:
    from philia.cli.files import save_figure
    from philia.graphs import write_communities

    out.say("5. Files", style="bold")
    for name, ax in draw_figures(app, model, pair).items():
        save_figure(ax, folder / name)
    model.save(folder / "model.safetensors")
    found = [list(community.members) for community in model.communities() if len(community)]
    write_communities(found, folder / "communities.txt")
    rest = {
        "model.safetensors": "the model, with the network",
        "communities.txt": "the members of each community, one community per line",
        **_report(out, model, folder / "report.html"),
    }
    out.table(["file", "what it shows"], [(str(folder / name), text) for name, text in {**_FIGURES, **rest}.items()])


def _report(out: Output, model: CommunityModel, path: Path) -> dict[str, str]:
    """Write the report; without the package that draws its charts there is none."""
    from philia.cli.report import write_page

    try:
        write_page(out, model, path, title="A dating app", source="philia demo")
    except MissingDependencyError as error:
        out.remark(f"There is no report: {error}.")
        return {}
    return {path.name: "everything on one page; open it in a browser"}


def _what_next(out: Output, folder: Path, pair: tuple[int, int]) -> None:
    model = quote(str(folder / "model.safetensors"))
    out.say("6. What to type next", style="bold")
    out.say(f"philia communities {model}")
    out.say(f"philia explain {model} {pair[0]} {pair[1]}")
    out.say(f"philia predict {model} --node {pair[0]}")
    out.say("philia fit your_links.csv      (a file with one link per line: two names separated by a comma or a tab)")


def draw_figures(app: DatingApp, model: CommunityModel, pair: tuple[int, int]) -> dict[str, Axes]:
    """One of the axes of each figure, by file name.

    >>> from philia.datasets import dating_app
    >>> from philia.models import CommunityModel
    >>> app = dating_app(60, cities=3, random_state=0)
    >>> drawn = draw_figures(app, CommunityModel(3, 2, penalty=1, random_state=0).fit(app.graph), (0, 1))
    >>> list(drawn) == list(_FIGURES)
    True
    """
    import numpy as np

    from philia import plots

    order = np.lexsort((app.gender, app.city))
    return {
        "network.png": _network(app, order),
        "reconstruction.png": _reconstruction(app, model, order),
        "factors.png": _factors(app, model, order),
        "loss.png": plots.loss_curve(model),
        "explanation.png": plots.waterfall(model.explain(*pair)),
    }


def _network(app: DatingApp, order: Int64Array) -> Axes:
    import numpy as np

    from philia.plots.matrices import binned_links

    true, drawn = _panels(2)
    _matrix(true, app.probabilities()[np.ix_(order, order)], app, "True probability of a match")
    _matrix(drawn, binned_links(app.graph, order), app, "Matches sampled from it (share of pairs)", bar=True)
    return true


def _reconstruction(app: DatingApp, model: CommunityModel, order: Int64Array) -> Axes:
    import numpy as np
    from scipy.special import expit

    from philia.plots.matrices import binned_links

    drawn, fitted, true = _panels(3)
    _matrix(drawn, binned_links(app.graph, order), app, "Matches: what the model sees")
    _matrix(
        fitted,
        expit(model.factors_.score_block(order, order)),
        app,
        "Fitted probabilities (the penalty evens them out)",
    )
    _matrix(true, app.probabilities()[np.ix_(order, order)], app, "True probabilities", bar=True)
    return drawn


def _factors(app: DatingApp, model: CommunityModel, order: Int64Array) -> Axes:
    from matplotlib.figure import Figure

    from philia import plots
    from philia.plots.style import label

    k_B, k_C = model.read_columns().counts
    figure = Figure(figsize=(10.5, 6.5), layout="constrained", dpi=150)
    grid = figure.add_gridspec(1, 2, width_ratios=[k_B, k_C + 1.5])
    left, right = figure.add_subplot(grid[0]), figure.add_subplot(grid[1])
    plots.memberships(model, left, order, kinds=["homophilous"])
    plots.memberships(model, right, order, kinds=["heterophilous"])
    label(left, title=f"B: {k_B} attract: the cities", x="community", y=_ROWS)
    label(right, title=f"C: {k_C} repel: the genders", x="community")
    _mark_cities(left, app, "y")
    _mark_cities(right, app, "y", named=False)
    return left


def _panels(count: int) -> list[Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0 * count + 1.5, 5.8), layout="compressed", dpi=150)
    return [figure.add_subplot(1, count, number) for number in range(1, count + 1)]


def _matrix(ax: Axes, cells: Float64Array, app: DatingApp, title: str, *, bar: bool = False) -> None:
    from philia import plots
    from philia.plots.style import label

    first = ax is ax.figure.axes[0]
    plots.heat_map(cells, ax, extent=app.graph.n_nodes, largest=0.5, bar="probability" if bar else None)
    label(ax, title=title, x=_ROWS, y=_ROWS if first else "")
    _mark_cities(ax, app, "x")
    _mark_cities(ax, app, "y", named=first)


def _mark_cities(ax: Axes, app: DatingApp, side: str, *, named: bool = True) -> None:
    """Draw lines between cities, and label the middle of each instead of single nodes."""
    import numpy as np

    sizes = np.bincount(app.city)
    ends = np.cumsum(sizes) - 0.5
    middles = [float(middle) for middle in ends - sizes / 2]
    names = [f"city {city}" if side == "y" else str(city) for city in range(len(sizes))]
    axis = ax.xaxis if side == "x" else ax.yaxis
    axis.set_ticks(middles, names if named else [""] * len(names))
    ax.tick_params(axis="x" if side == "x" else "y", length=0)
    for end in ends[:-1]:
        draw = ax.axvline if side == "x" else ax.axhline
        draw(float(end), color="#808080", linewidth=0.4)
