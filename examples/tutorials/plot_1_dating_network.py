"""
The dating network
==================

*Can a network consist of groups whose members avoid each other?* Most methods look for groups whose members link to
each other. On a dating app people from the same city match, and that is such a group. But people of the same gender
mostly do not match, and that shapes the network just as much. This tutorial fits both kinds of groups, and compares
the result with methods that know only one kind.
"""

# %%
# A network with known groups
# ---------------------------
#
# A thousand users live in ten cities and have one of two genders. The probability of a match depends on both: one half
# in the same city between different genders, a tenth of that if one of the two conditions fails, a hundredth if both
# do. The links are drawn at random. The model sees only the links; cities and genders serve to check what it finds.

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

import philia
from philia import plots
from philia.datasets import dating_app
from philia.evaluate import compare_communities

app = dating_app(n=1000, cities=10, random_state=0)
print(app.graph)

# %%
# Sorted by city, and within a city by gender, the network shows its structure. Each row and column is a user, each dark
# dot a match. Along the diagonal are ten squares, the cities. In each, two corners are dark, where different genders
# meet, and two are pale, where a gender meets itself.

sorted_users = np.lexsort((app.gender, app.city))
_, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax = plots.adjacency(app.graph, ax, order=sorted_users)

# %%
# What philia finds
# -----------------
#
# We do not say how many groups there are, or of which kind. The communities that attract are those with which the links
# have the shortest description. What repels, and what else helps to predict, is chosen by validation pairs.

model = philia.CommunityModel(random_state=0).fit(app.graph)
print(model.selection_)
print(model.communities())

# %%
# Ten communities attract and two repel. How close are they to the cities and the genders? An F1 of 1 means that each
# group is exactly one community.


def groups(labels: npt.NDArray[np.int64]) -> list[set[int]]:
    """The users with each label."""
    return [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]


attracting = [set(c.members) for c in model.communities() if c.kind == "homophilous"]
repelling = [set(c.members) for c in model.communities() if c.kind == "heterophilous"]
print("attracting, and the cities:", compare_communities(attracting, groups(app.city), app.graph))
print("repelling, and the genders:", compare_communities(repelling, groups(app.gender), app.graph))

# %%
# Both are found without an error. The ten more columns follow the cities too: they make probabilities better, but need
# not be read, and explanations count them as part of the cities. The next picture has a column for each community and a
# row for each user, in the same order as above: every user has one dark blue cell, the city, and an orange one, the
# gender.

_, ax = plt.subplots(figsize=(6, 6), layout="constrained")
ax = plots.memberships(model, ax, order=sorted_users)

# %%
# Without groups that repel
# -------------------------
#
# BigClam is a well-known method for overlapping communities, all of which attract. It gets as many as philia chose.

bigclam = philia.BigClam(12, random_state=0).fit(app.graph)
found = bigclam.communities().as_sets()
print("BigClam and the cities: ", compare_communities(found, groups(app.city), app.graph))
print("BigClam and the genders:", compare_communities(found, groups(app.gender), app.graph))

# %%
# It finds the cities but not the genders: groups that attract cannot describe users who avoid each other.
#
# The singular value decomposition (SVD) has negative numbers and so can express more. It is the matrix of rank 12
# closest to the links. Here are all three beside the truth. A cell is the expected link between two users.

svd = philia.SVD(12, random_state=0).fit(app.graph)
expected = {
    "truth": app.probabilities(),
    "CommunityModel": model.expected_block(slice(None), slice(None)),
    "BigClam": bigclam.expected_block(slice(None), slice(None)),
    "SVD": svd.expected_block(slice(None), slice(None)),
}
_, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained")
for ax, (name, matrix) in zip(axes, expected.items(), strict=True):
    plots.heat_map(matrix[np.ix_(sorted_users, sorted_users)], ax, largest=0.5)
    ax.set_title(name, loc="left")

# %%
# The same in numbers
# -------------------
#
# The mean over all pairs of each of the four kinds, and the links that were actually drawn.

expected["links drawn"] = app.graph.adjacency.toarray()
pairs = ~np.eye(1000, dtype=bool)
same_city = app.city[:, None] == app.city
same_gender = app.gender[:, None] == app.gender
kinds = {
    "same city, other gender": same_city & ~same_gender & pairs,
    "same city, same gender": same_city & same_gender & pairs,
    "other city, other gender": ~same_city & ~same_gender,
    "other city, same gender": ~same_city & same_gender,
}
print(f"{'':<26}" + "".join(f"{name:>16}" for name in expected))
for kind, where in kinds.items():
    print(f"{kind:<26}" + "".join(f"{matrix[where].mean():>16.3f}" for matrix in expected.values()))
print(f"\nsmallest value of the SVD: {svd.expected_block(slice(None), slice(None)).min():.2f}")

# %%
# BigClam gives two users of one city nearly the same probability whatever their genders. The SVD distinguishes the
# genders, but with twelve columns it misses some cities, as the picture shows, and some of its values are negative,
# which no probability is. The community model is closest to the truth for all four kinds. It does not match it exactly:
# the regularization that prevents overfitting shrinks its numbers, so likely matches come out less likely than they
# are, and unlikely ones in the same city likelier.
#
# One pair
# --------
#
# Take user 0 and the first other user of the same city and gender. The city multiplies the odds, the gender divides
# them.

alike = int(np.flatnonzero((app.city == app.city[0]) & (app.gender == app.gender[0]))[1])
why = model.explain(0, alike)
print(why)

_, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax = plots.waterfall(why, ax)

# %%
# The answer
# ----------
#
# Yes. A network can consist of groups whose members avoid each other, and they can be inferred from its links alone, if
# the model has a term for them. A method that knows only groups that attract finds the cities, and gives two men in one
# city the same probability as a man and a woman.
