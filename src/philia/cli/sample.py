"""philia sample: a new network sampled from a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from philia.cli import options
from philia.cli.files import check_target, write_links
from philia.cli.options import option
from philia.cli.output import Output


def sample(
    model: options.Model,
    output: Annotated[Path, option("-o --output", "The new file; its extension gives the format; - prints .csv.")],
    seed: options.Seed = 0,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Sample a new network on the same nodes, each link with its fitted probability.

    Example:
    $ philia sample model.safetensors -o new.csv --seed 1
    $ philia sample model.safetensors -o -
    """
    from philia.cli.summaries import graph_facts, graph_in_words
    from philia.models import load

    out = Output(json, quiet, debug)
    check_target(output, force=force, printing=True)
    with out.listening():
        graph = load(model).sample(random_state=seed)
        write_links(graph, output)
    if str(output) == "-":
        return
    out.say(f"{output}: {graph_in_words(graph)}")
    out.data({"file": str(output), "seed": seed, **graph_facts(graph)})
