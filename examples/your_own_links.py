"""Your own links: from a messy file to communities, missing links and a reason.

A dance club meets on Mondays and on Thursdays. Who danced with whom was written down by several people, not very
tidily. Two things decide: people of one evening meet, and a leader dances with a follower.

    python examples/your_own_links.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import philia

FILE = """\
# dances this spring, from three notebooks
from; to; weight
ann; emil; 2
ann; finn; 1
ann; gus; 1
bea; emil; 1
bea; finn; 4
bea; gus; 1
bea; hugo; 1
cleo; emil; 1
cleo; finn; 1
cleo; gus; 1
cleo; hugo; 1
dora; emil; 1
dora; finn; 1
dora; gus; 1
dora; hugo; 1

# Thursdays
ida; max; 1
ida; nils; 1
ida; otto; 1
ida; paul; 1
jana; max; 1
jana; nils; 3
jana; paul; 1
kim; max; 1
kim; nils; 1
kim; otto; 1
kim; paul; 1
lea; max; 1
lea; nils; 1
lea; otto; 1
lea; paul; 1
max; lea; 1
emil; ann; 1
kim; kim; 1
"dora"; max; 1
ida; gus; 1
"""


def main() -> None:
    """Read, fit, and show what was found."""
    # Delimiter, comments, header and quotes are detected; everything that has to be dropped is counted. Without
    # weights=False, which says that this is meant, dropped weights would be warned of.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dances.csv"
        path.write_text(FILE)
        graph = philia.read_graph(path, weights=False)
    print(f"{graph.n_nodes} people, {graph.n_links} pairs who danced")
    print(f"changed on reading: {graph.changes}\n")

    # Two groups that attract, two that repel, and the odds of an ordinary pair ("constant") as the baseline. The graph
    # is small, and so is the penalty. By default philia would choose these numbers, but there are too few links for
    # that.
    model = philia.CommunityModel(2, 2, penalty=0.3, background="constant", random_state=0).fit(graph)
    print(f"the fit {model.solution_}\n")

    # B communities are the two evenings, C communities the leaders and the followers.
    print(model.communities(), "\n")

    # The likeliest pairs who have not danced yet: the same evening, different roles.
    print("likeliest missing links:")
    for link in model.top_links(count=2):
        print(f"  {link.u} and {link.v}, probability {link.probability:.2f}")

    # Why? Every community multiplies the odds; the product is the answer.
    print(f"\n{model.explain('ann', 'hugo')}")
    print(f"\n{model.explain('ann', 'bea')}")


if __name__ == "__main__":
    main()
