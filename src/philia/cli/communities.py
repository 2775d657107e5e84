"""philia communities: the members of each community."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia._text import counted, listed, percent
from philia.cli import options
from philia.cli.files import check_target, remember
from philia.cli.guard import INTERRUPTED
from philia.cli.nodes import node_called, plain, shown, shown_first
from philia.cli.options import choice, option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.explain import Communities, Community, RuleComparison
    from philia.models import LinkModel
    from philia.reading import Hierarchy

_NAMES = 8
"""Names listed per row of the table, so that it fits on a wide terminal."""

_SHOWN = 20, 60
"""Communities listed if there are more than the second number of them: about a screen; -o and --json have all."""

_PARTS = 4
"""Communities that the name of a union lists: of thousands, more would fill the screen."""


def _rules() -> dict[str, str]:
    from philia.explain.rules import RULES

    return {rule.name: rule.meaning for rule in RULES.values()}


def communities(
    model: options.Model,
    output: Annotated[
        Path | None, option("-o --output", "Members (.csv, .json, .parquet), or the network (.gexf).")
    ] = None,
    rule: Annotated[
        str | None,
        choice(
            "--rule",
            "Membership rule: {names}; or a threshold such as 0.5. The first that a model offers is its default.",
            _rules,
            or_number=True,
        ),
    ] = None,
    compare_rules: Annotated[bool, option("--compare-rules", "Show the sizes that each rule leads to.")] = False,
    stability: Annotated[int | None, option("--stability", "Number of refits, to see which communities recur.")] = None,
    significance: Annotated[bool, option("--significance", "Test on hidden pairs which communities are real.")] = False,
    keep: Annotated[bool, option("--keep", "Save what was measured in the model file.")] = False,
    everything: Annotated[bool, option("--everything", "List what is left out as well.")] = False,
    levels: Annotated[bool, option("--levels", "Show what fewer or more attracting communities would save.")] = False,
    level: Annotated[int | None, option("--level", "List the level with this many attracting communities.")] = None,
    finer: Annotated[bool, option("--finer", "List the communities within communities.")] = False,
    node: Annotated[str | None, option("--node", "Show only the memberships of this node.")] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """List the communities of a model: kind, strength, size and strongest members.

    The third column is what a community does to the odds of a link between two typical members.

    Example:
    $ philia communities model.safetensors -o communities.csv
    $ philia communities model.safetensors --levels
    $ philia communities model.safetensors -o for_gephi.gexf
    $ philia communities model.safetensors --significance --keep
    $ philia communities model.safetensors --node ann
    """
    out = Output(json, quiet, debug)
    if keep and stability is None and not significance:
        raise InvalidParameterError("there is nothing to keep; add --stability 10, or --significance")
    if finer and level is not None:
        raise InvalidParameterError("--finer and --level were both given; leave out one of them")
    if (finer or level is not None) and (rule is not None or compare_rules or stability is not None or significance):
        raise InvalidParameterError(
            f"{'--finer' if finer else '--level'} reads communities off the links; leave out the rules, the stability "
            "and the significance"
        )
    if output is not None:
        check_target(output, force=force)
    with out.listening():
        from philia.explain.communities import communities_of
        from philia.models import load

        fitted = load(model)
        complete = stability is None or _refit(out, fitted, stability)
        if significance:
            _test(out, fitted)
        if finer or level is not None:
            found = communities_of(
                _levels(fitted).finer() if level is None else _levels(fitted).cut(level), fitted.graph_
            )
        else:
            found = fitted.communities(_rule(rule), everything=everything)
        if keep:
            fitted.save(model)
            out.remark(f"Saved in {model}.")
        if output is not None:
            _write(out, fitted, found, output)
        if levels:
            _show_levels(out, fitted)
        elif compare_rules:
            _compare(out, fitted.compare_rules())
        elif node is None:
            _all(out, found, fitted, listing=output is None)
        else:
            name = node_called(fitted.graph_.nodes, node)
            fitted.graph_.nodes.row(name)  # raises an error if there is no such node
            _one(out, found, name)
    if not complete:
        raise typer.Exit(INTERRUPTED)


def _rule(text: str | None) -> str | float | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _refit(out: Output, model: LinkModel, fits: int) -> bool:
    """Measure the stability; False if that was interrupted."""

    out.remark(f"Refitting {counted(fits, 'time')}; Ctrl-C keeps the finished fits.")
    done = model.stability(fits, on_fit=_telling(out, "fits")).fits
    if done < fits:
        out.remark(f"Interrupted after {done} of {fits} fits.", style="yellow")
    return done == fits


def _telling(out: Output, what: str) -> Callable[[int, int], None]:
    def tell(done: int, asked: int) -> None:
        if out.errors.is_terminal:
            out.remark(f"{done} of {asked} {what} done.")

    return tell


def _test(out: Output, model: LinkModel) -> None:
    """Measure what the model does not know yet: significance and heterophily."""
    from philia.models import CommunityModel

    if not isinstance(model, CommunityModel):
        raise InvalidParameterError(
            f"found a {type(model).__name__}; only the communities of a CommunityModel can be tested: leave out "
            "--significance"
        )
    if model.significance_ is None:
        out.remark("Testing the communities on hidden pairs; Ctrl-C stops without a result.")
        model.significance(on_fit=_telling(out, "parts"))
    if model.heterophily_ is None:
        model.heterophily(on_fit=_telling(out, "parts without repelling communities"))


def _levels(model: LinkModel) -> Hierarchy:
    from philia.models import CommunityModel
    from philia.reading import read_levels

    return model.hierarchy() if isinstance(model, CommunityModel) else read_levels(model.graph_)


def _show_levels(out: Output, model: LinkModel) -> None:
    """How many communities there may be: what each level saves, the default, and those that are as good."""
    found = _levels(model)
    default, good = len(found.default), [len(level) for level in found.equally_good]
    facts = [
        {"communities": count, "nats_saved": saved, "default": count == default, "equally_good": count in good}
        for count, saved in zip(found.counts, found.saved, strict=True)
    ]
    out.data({"levels": facts})
    marks = {len(found.best): "shortest"} | dict.fromkeys(good, "as good") | {default: "default"}
    rows = [(f"{count:,}", f"{saved:,.0f}", marks.get(count, "")) for count, saved in _worth_it(found)]
    out.table(["communities", "nats saved", ""], rows, right=(0, 1))
    out.say("Nats saved: by how much the communities shorten the description of the links; more is better.")
    as_good = [count for count in good if count != default]
    if as_good:
        out.say(f"As good as the default, to within 3 nats: {listed([f'{count:,}' for count in as_good])} communities.")
    out.say("To list a level, give its number of communities: --level K.")


def _worth_it(found: Hierarchy) -> list[tuple[int, float]]:
    """The levels that say more than none, and none if that is the default."""
    pairs = zip(found.counts, found.saved, strict=True)
    return [(count, saved) for count, saved in pairs if saved > 0 or count == len(found.default)]


def _write(out: Output, model: LinkModel, found: Communities, output: Path) -> None:
    from philia.explain.tables import membership_table
    from philia.graphs import write_communities, write_graph
    from philia.graphs.files.formats import format_of_suffix
    from philia.graphs.files.tables import TABLE_SUFFIXES, write_table_file
    from philia.storage import suffix_of

    suffix, chosen = suffix_of(output), format_of_suffix(suffix_of(output))
    members = [list(community.members) for community in found if len(community)]
    if suffix in TABLE_SUFFIXES:
        write_table_file(membership_table(found, model.graph_), output)
    elif chosen is not None and chosen.describes:
        write_graph(model.described_by(found), output)
        remember(output)
        out.remark(f"Wrote the network with {len(members):,} communities to {output}.")
        return
    elif chosen is not None and chosen.text:
        write_communities(members, output)
        remember(output)
    else:
        raise InvalidParameterError(
            f"communities are not written with the suffix {suffix!r}; use {', '.join(TABLE_SUFFIXES)}, .txt, .gexf or "
            ".graphml"
        )
    out.remark(f"Wrote {len(members):,} communities to {output}.")


def _all(out: Output, found: Communities, model: LinkModel, *, listing: bool) -> None:
    from philia.explain.communities import left_out_in_words

    lonely = [name for name in model.graph_.nodes if name not in found.assigned]
    if out.json:  # thousands of communities are not spelled out for nobody
        out.data(_all_facts(found, lonely, model))
        return
    if not listing:
        return
    if not found.found and not found.left_out:
        out.say("The model has no communities.")
        if found.finer:
            out.say(finer_in_words(len(found.finer)))
        return
    listed = _largest(found)
    if listed:
        _table(out, found, listed)
    if len(listed) < len(found):
        out.say(
            f"These are the largest; there are {len(found) - len(listed):,} more. -o communities.csv writes all of "
            "them, --level K lists fewer and larger ones, --finer smaller ones, and --node those of one node."
        )
    for c in listed:
        if c.refits is not None and not c.refits.reliable:
            out.say(f"{c.name} was {c.refits.in_words()}.")
    few = f": {_first(lonely)}" if lonely else ""
    out.say(f"{len(lonely):,} of {len(found.nodes):,} nodes are in no community{few}.")
    out.say(_rule_in_words(found, model))
    if found.left_out:
        out.say(f"{left_out_in_words(found.left_out)}. --everything lists those that have members.")
    if found.finer:
        out.say(finer_in_words(len(found.finer)))
    if (gain := getattr(model, "heterophily_", None)) is not None:
        from philia.explain.significance import heterophily_in_words

        out.say(heterophily_in_words(gain))


def _table(out: Output, found: Communities, listed: Sequence[Community]) -> None:
    """One row per listed community."""
    refits = ("stability", "other fits") if found[0].refits else ()
    tests = ("on hidden pairs", "z") if any(c.tested for c in found) else ()
    members = "strongest members (share of their links)" if found.shares else "strongest members"
    rows = [
        (
            *(_named(c), "attracts" if c.kind == "homophilous" else "repels", c.effect, f"{len(c):,}", *_recurrence(c)),
            *(_tested(c) if tests else ()),
            _strongest(c, found),
        )
        for c in listed
    ]
    titles = ["name", "kind", "two typical members", "size", *refits, *tests, members]
    out.table(titles, rows, right=range(3, 4 + len(refits) + len(tests)))


def _tested(community: Community) -> tuple[str, str]:
    tested = community.tested
    return ("–", "–") if tested is None else (f"{tested.strength:.2f} ± {tested.error:.2f}", tested.shown_z)


def _heterophily_facts(model: LinkModel) -> dict[str, float] | None:
    gain = getattr(model, "heterophily_", None)
    return None if gain is None else asdict(gain)


def _all_facts(found: Communities, lonely: list[Any], model: LinkModel) -> dict[str, Any]:
    return {
        "rule": found.rule,
        "shares": found.shares,
        "communities": [_facts(community, found) for community in found],
        "nodes_in_none": [plain(name) for name in lonely],
        "left_out": dict(found.left_out),
        "finer": list(found.finer),
        "heterophily": _heterophily_facts(model),
    }


def _largest(found: Communities) -> list[Community]:
    """All communities, or the largest if there are too many to list."""
    few, most = _SHOWN
    return list(found) if len(found) <= most else sorted(found, key=lambda c: (-len(c), _number(c)))[:few]


def _number(community: Community) -> int:
    return int(community.name.lstrip("BC").split("+")[0].split(".")[0])


def _named(community: Community) -> str:
    """The name of a community; that of a union of many is shortened.

    >>> from philia.explain import Community
    >>> _named(Community("B1+B2+B3+B4+B5+B6", "homophilous", 1.0, {}, 0.0, 1.0))
    'B1+B2+B3+B4+… (6)'
    """
    parts = community.name.split("+")
    return community.name if len(parts) <= _PARTS + 1 else f"{'+'.join(parts[:_PARTS])}+… ({len(parts):,})"


def finer_in_words(count: int) -> str:
    """What columns are for that are not read as communities.

    >>> finer_in_words(1)
    '1 more column makes the probabilities better; it is not a community to be read.'
    """
    if count == 1:
        return "1 more column makes the probabilities better; it is not a community to be read."
    return f"{count:,} more columns make the probabilities better; they are not communities to be read."


def _compare(out: Output, comparison: RuleComparison) -> None:
    """The communities under each membership rule, as a table."""
    facts = [
        {
            "rule": effect.rule,
            "meaning": effect.said,
            "sizes": dict(effect.sizes),
            "nodes_in_none": effect.n_unassigned,
            "communities_a_node": effect.communities_a_node,
        }
        for effect in comparison.effects
    ]
    out.data({"rules": facts})
    titles = ["", *(effect.rule for effect in comparison.effects)]
    out.table(titles, comparison.rows(), right=range(1, len(titles)))
    for effect in comparison.effects:
        out.say(f"{effect.rule}: {effect.said}.")


def _first(names: Collection[object]) -> str:
    return shown_first(names, _NAMES, len(names))


def _strongest(community: Community, found: Communities) -> str:
    if not found.shares:
        return _first(community.members)
    missing = " missing" if community.kind == "heterophilous" else ""
    first = [f"{shown(name)} ({percent(share)}{missing})" for name, share in islice(community.members.items(), _NAMES)]
    return ", ".join(first) + (", …" if len(community) > _NAMES else "")


def _recurrence(community: Community) -> tuple[str, ...]:
    refits = community.refits
    return () if refits is None else (f"{refits.score:.2f}", f"{refits.appears} of {refits.fits}")


def _rule_in_words(found: Communities, model: LinkModel) -> str:
    from philia.explain.communities import OVERLAPPING, SHORTEST
    from philia.explain.rules import RULES

    rules = f"{', '.join(model.rules)}, or a threshold; --compare-rules shows their effect."
    if found.rule == OVERLAPPING:
        return f"Membership rule: {found.rule}. --levels shows what fewer communities would save."
    if found.rule == SHORTEST:
        return (
            "Communities are read off the links by the length of their description; --levels shows what fewer or more "
            f"would save. To read the columns of the model instead, choose a rule: {rules}"
        )
    if found.shares and found.rule != RULES["links"].meaning:
        return f"Read off the links: {found.rule}. Communities that repel have no levels."
    return f"Membership rule: {found.rule}.{f' Rules to choose from: {rules}' if len(model.rules) > 1 else ''}"


def _facts(community: Community, found: Communities) -> dict[str, Any]:
    refits = community.refits
    facts: dict[str, Any] = {
        "name": community.name,
        "kind": community.kind,
        "strength": community.strength,
        "typical": community.typical,
        "effect": community.effect,
        "odds_factor": community.odds_factor,
        "size": len(community),
        "members": [
            {
                "node": plain(name),
                "membership": share,
                **({} if refits is None else asdict(refits.interval(found.nodes.row(name)))),
            }
            for name, share in community.members.items()
        ],
    }
    if refits is not None:
        facts |= {"stability": refits.score, "found_in": refits.appears, "other_fits": refits.fits}
    if (tested := community.tested) is not None:
        facts["significance"] = {"strength": tested.strength, "error": tested.error, "z": tested.z, "real": tested.real}
    return facts


def _one(out: Output, found: Communities, name: Any) -> None:
    mine = found.of(name)
    kinds = {community.name: community for community in found}
    intervals = found.intervals(name)
    refits = {"intervals": {key: asdict(intervals[key]) for key in mine}} if intervals else {}
    out.data({"node": plain(name), "rule": found.rule, "memberships": mine, **refits})
    if not mine:
        out.say(f"{shown(name)} is in no community ({found.rule}).")
        return
    out.say(f"{shown(name)} is in {len(mine)} of {len(found)} communities:")
    rows = [
        (
            key,
            kinds[key].kind,
            kinds[key].effect,
            _membership(share, kinds[key], found),
            *([str(intervals[key])] if intervals else []),
        )
        for key, share in mine.items()
    ]
    titles = ["name", "kind", "two full members", "membership", *(["in other fits"] if intervals else [])]
    out.table(titles, rows, right=(3,))


def _membership(share: float, community: Community, found: Communities) -> str:
    if not found.shares:
        return f"{share:.3f}"
    lacking = " are missing" if community.kind == "heterophilous" else ""
    return f"{percent(share)} of its links{lacking}"
