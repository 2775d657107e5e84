"""
A network in whole numbers, exactly
===================================

*How many numbers per node does it take to know every link of a network?* A fitted model is right about most pairs. This
tutorial represents a network such that every pair is right, with a certificate that anyone can check. The network is
Zachary's karate club: 34 members and their friendships.
"""

# %%
# Every pair right
# ----------------
#
# Each node gets a few nonnegative numbers, its row of V, and each column a weight, W. The score of two nodes is the sum
# over the columns of the weight times both nodes' numbers. Columns with a positive weight attract, those with a
# negative weight repel. The claim: the score is positive if the two are linked, and negative if not.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import philia
from philia.datasets import classic
from philia.exact import (
    by_arboricity,
    by_degeneracy,
    by_max_degree,
    by_sign_changes,
    certified,
    exact_community,
    least_columns,
    load_exact,
)
from philia.exceptions import NotExactError

karate = classic("karate")
exact = exact_community(karate)
print(f"{exact.certificate.columns} columns; {exact.certificate.claim}")

# %%
# Check it yourself
# -----------------
#
# You need not trust the certificate. Here are the numbers, and the product in Python's own integers, which are never
# rounded.

V, W = (exact.representation.arrays()[name].astype(object) for name in ("memberships", "weights"))
print("first node:", [int(number) for number in V[0]])
print("weights:   ", [int(weight) for weight in W])

scores = (V * W) @ V.T
linked = karate.adjacency.toarray() > 0
print("pairs that are wrong:", int(np.sum((scores > 0) != linked)), "of", linked.size)

# %%
# ``verify`` does the same for networks of any size, and checks everything in the certificate. If one link is removed,
# it refuses, and says where.

exact.verify(karate)
links = list(zip(*(karate.nodes.pick(rows) for rows in karate.links), strict=True))
try:
    exact.verify(philia.as_graph(links[1:]))
except NotExactError as error:
    print(error)

# %%
# Numbers and certificate can be saved to a text file and loaded again:

with tempfile.TemporaryDirectory() as folder:
    exact.save(Path(folder) / "karate.json")
    again = load_exact(Path(folder) / "karate.json")
print(again.verify(karate).claim)

# %%
# A way that never fails
# ----------------------
#
# These columns were found by a fit, which guarantees nothing in advance: it minimizes the errors until none is left.
# Before it, a construction was tried, which works for every network.

print("; ".join(exact.tried))

# %%
# The construction is a line. All nodes are on it, at even numbers, and each node has a polynomial that changes its sign
# at some odd numbers between them. The picture shows the line for two members: dark dots are friends, light ones are
# not, the cross is the member, and the polynomial is positive on the blue background.

polynomials = by_sign_changes(karate)
points = polynomials.points
positive = np.array([[polynomials.value(v, u) > 0 for u in range(34)] for v in range(34)])
never_wrong = (positive == linked).all(axis=1)
shown = [int(np.argmax(never_wrong * karate.degrees)), 0]  # with most friends where all is right; the teacher

_, axes = plt.subplots(2, 1, figsize=(9, 3), layout="constrained", sharex=True)
for ax, v in zip(axes, shown, strict=True):
    for u in np.flatnonzero(positive[v]):
        ax.axvspan(points[u] - 1, points[u] + 1, color="#CFE5F2", linewidth=0)
    ax.scatter(points, np.zeros(34), c=np.where(linked[v], "#004C77", "#BFBFBF"), zorder=2)
    ax.scatter(points[v], 0, marker="x", color="black", zorder=3)
    ax.set_title(f"Member {karate.nodes[v]}", loc="left")
    ax.set_yticks([])

# %%
# Where a node's polynomial has the wrong sign, the other node's polynomial has the right one, and weights ensure that
# the right one wins: the score of two nodes is the sum of both.

for v in shown:
    wrong = np.flatnonzero(positive[v] != linked[v])
    print(f"member {v} is wrong at {wrong.tolist()}")
right = positive == linked
print("is one of the two right, at every pair?", bool((right | right.T).all()))

# %%
# A polynomial with s roots has s + 1 coefficients, and is evaluated with as many powers of the position. So the columns
# are powers and coefficients, added and subtracted so that nothing is negative: 2 (s + 1) of them. The fewer sign
# changes, the fewer columns, so the search looks for a line on which friends are close together.

print("most roots:", max(len(polynomials.roots_of(v)) for v in range(34)))

# %%
# Other ways to build them
# ------------------------
#
# There are several constructions, each with a theorem that bounds its columns. All of these are exact and certified;
# they differ in the number of columns and in the length of the numbers.

for built in (by_max_degree(karate), by_arboricity(karate), by_degeneracy(karate), polynomials):
    certificate = certified(karate, built).certificate
    print(f"{certificate.construction:<14}{certificate.columns:>3} columns, up to {certificate.bits:,} bits")

# %%
# The answer
# ----------
#
# Five columns of whole numbers represent every link of the karate club and no other, and no representation has fewer
# than four. The columns are not communities: to understand a network, fit a model and read its communities; an exact
# representation shows how much there is to know. The page :doc:`/docs/exact` has the theorems with their proofs, and
# the columns that larger networks need.

print("needed at least:", least_columns(karate).columns)
