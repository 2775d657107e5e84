"""philia communities: who belongs where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia.cli import options
from philia.cli.files import check_target, load_model
from philia.cli.naming import node_called, plain, shown, shown_first
from philia.cli.options import option
from philia.cli.output import Output

if TYPE_CHECKING:
    from philia.explain import Communities, Community


def communities(
    model: options.Model,
    output: Annotated[
        Path | None, option("-o --output", "Write the members: .csv as a table, else one community a line.")
    ] = None,
    rule: Annotated[
        str, option("--rule", "Who is a member: density, or a membership such as 0.5 (density).")
    ] = "density",
    node: Annotated[str | None, option("--node", "Show the memberships of this node only.")] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """List the communities of a model: kind, strength, size and fullest members.

    The third column says what a community does to the odds of a link between two full members.

    Example:
    $ philia communities model.safetensors -o communities.csv
    $ philia communities model.safetensors --node ann
    """
    out = Output(json, quiet, debug)
    if output is not None:
        check_target(output, force=force)
    with out.listening():
        fitted = load_model(model)
        found = fitted.communities(_rule(rule))
        if output is not None:
            _write(out, found, output)
        if node is None:
            _all(out, found, list(fitted.graph_.nodes))
        else:
            name = node_called(fitted.graph_.nodes, node)
            fitted.graph_.nodes.row(name)  # complains if there is no such node
            _one(out, found, name)


def _rule(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _write(out: Output, found: Communities, output: Path) -> None:
    from philia.graphs import write_communities
    from philia.graphs.files.compression import suffix_of

    members = {community.name: list(community.members) for community in found if len(community)}
    write_communities(members if suffix_of(output) == ".csv" else list(members.values()), output)
    out.remark(f"Wrote {len(members)} communities to {output}.")


def _all(out: Output, found: Communities, nodes: list[Any]) -> None:
    lonely = [name for name in nodes if name not in found.assigned]
    out.data(
        {
            "rule": found.rule,
            "communities": [_facts(community) for community in found],
            "nodes_in_none": [plain(name) for name in lonely],
            "empty": list(found.empty),
            "repeated": [list(pair) for pair in found.repeated],
        }
    )
    if not found.found and not found.empty:
        out.say("The model has no communities.")
        return
    rows = [(c.name, c.kind, c.effect, f"{len(c):,}", shown_first(c.members, 8, len(c))) for c in found]
    if rows:
        out.table(["name", "kind", "two full members", "size", "fullest members"], rows, right=(3,))
    few = f": {shown_first(lonely, 8, len(lonely))}" if lonely else ""
    out.say(f"{len(lonely):,} of {len(found.nodes):,} nodes are in no community{few}.")
    out.say(f"Who is a member: {found.rule}.")
    if found.empty:
        out.say(f"Empty: {', '.join(found.empty)}.")
    for a, b in found.repeated:
        out.say(f"{a} and {b} have the same members.")


def _facts(community: Community) -> dict[str, Any]:
    return {
        "name": community.name,
        "kind": community.kind,
        "strength": community.strength,
        "effect": community.effect,
        "odds_factor": community.odds_factor,
        "size": len(community),
        "members": [{"node": plain(name), "membership": share} for name, share in community.members.items()],
    }


def _one(out: Output, found: Communities, name: Any) -> None:
    mine = found.of(name)
    kinds = {community.name: community for community in found}
    out.data({"node": plain(name), "rule": found.rule, "memberships": mine})
    if not mine:
        out.say(f"{shown(name)} is in no community ({found.rule}).")
        return
    out.say(f"{shown(name)} is in {len(mine)} of {len(found)} communities:")
    rows = [(key, kinds[key].kind, kinds[key].effect, f"{share:.3f}") for key, share in mine.items()]
    out.table(["name", "kind", "two full members", "membership"], rows, right=(3,))
