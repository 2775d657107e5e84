"""
The dating network
==================

*Can a network be made of groups that stay apart?* Most methods look for groups whose members link with each other. On
a dating app people of one city match, and that is such a group. But people of one gender mostly do not match, and that
shapes the network as much. This tutorial fits both kinds of groups, and looks at what a method makes of them that
knows only one.
"""

# %%
# A network of which everything is known
# --------------------------------------
#
# A thousand users live in ten cities and have one of two genders. How likely a match is depends on both: one half in
# the same city between different genders, a tenth of that if one of the two conditions fails, a hundredth if both do.
# The links are drawn by chance. The model will see them and nothing else; cities and genders only serve to check what
# it finds.

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
# Sorted by city, and within a city by gender, the network is a picture. A row and a column stand for a user, a dark dot
# for a match. Along the diagonal are ten squares, the cities. In each, two corners are dark, where the genders meet,
# and two are pale, where a gender meets itself.

sorted_users = np.lexsort((app.gender, app.city))
_, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax = plots.adjacency(app.graph, ax, order=sorted_users)

# %%
# What philia finds
# -----------------
#
# Nobody says how many groups there are, or of which kind. The model hides some pairs from itself, and takes the fewest
# communities that predict those well.

model = philia.CommunityModel(random_state=0).fit(app.graph)
print(model.selection_)
print(model.communities())

# %%
# Ten communities attract and two repel. How near are they to the cities and the genders? An F1 of 1 means that each
# group is a community, to the last member.


def groups(labels: npt.NDArray[np.int64]) -> list[set[int]]:
    """The users with each label."""
    return [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]


attracting = [set(c.members) for c in model.communities() if c.kind == "homophilous"]
repelling = [set(c.members) for c in model.communities() if c.kind == "heterophilous"]
print("attracting, and the cities:", compare_communities(attracting, groups(app.city), app.graph))
print("repelling, and the genders:", compare_communities(repelling, groups(app.gender), app.graph))

# %%
# The genders are found without an error, the cities almost. The picture has a column for each community and a row for
# each user, in the order of the picture above: every user has one dark blue cell, the city, and an orange one, the
# gender.

_, ax = plt.subplots(figsize=(6, 6), layout="constrained")
ax = plots.memberships(model, ax, order=sorted_users)

# %%
# Without groups that repel
# -------------------------
#
# BigClam is a known method with overlapping communities. All of them attract. It gets as many as philia chose.

bigclam = philia.BigClam(12, random_state=0).fit(app.graph)
found = bigclam.communities().as_sets()
print("BigClam and the cities: ", compare_communities(found, groups(app.city), app.graph))
print("BigClam and the genders:", compare_communities(found, groups(app.gender), app.graph))

# %%
# The cities are there, the genders are not: no set of users who avoid each other can be said by groups that attract.
#
# The singular value decomposition (SVD) has negative numbers, and so it can say more. It gives the matrix of rank 12
# that is nearest to the links. Here are the three beside the truth. A cell is the expected link between two users.

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
# The mean over all pairs of each of the four kinds, and what was really drawn.

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
# BigClam gives a pair of one city nearly the same chance whatever the genders. The SVD tells genders apart, but with
# twelve columns it misses some cities, as the picture shows, and some of its values are below zero, which no
# probability is. The community model is nearest to the truth in all four kinds. It is not on it: the penalty that keeps
# it from following chance pulls its numbers together, so likely matches come out less likely than they are, and
# unlikely ones of the same city likelier.
#
# One pair
# --------
#
# User 0 and the first other user of the same city and gender. The city multiplies the odds, the gender divides them.

alike = int(np.flatnonzero((app.city == app.city[0]) & (app.gender == app.gender[0]))[1])
why = model.explain(0, alike)
print(why)

_, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax = plots.waterfall(why, ax)

# %%
# The answer
# ----------
#
# Yes. A network can be made of groups that stay apart, and they can be read from its links alone, as long as the model
# has a word for them. A method that only knows groups that attract finds the cities, and gives a man and a man in one
# city the chance of a man and a woman.
