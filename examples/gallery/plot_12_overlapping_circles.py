"""
Circles that overlap
====================

Five circles of friends on a ring. Each has twenty members, and four of them are also in the next circle. Two members of
a circle know each other with probability 0.8.
"""

import random

import matplotlib.pyplot as plt

from philia import CommunityModel, plots

chance = random.Random(0)
circles = [[(first + k) % 80 for k in range(20)] for first in range(0, 80, 16)]
pairs = {tuple(sorted((a, b))) for circle in circles for a in circle for b in circle if a != b}
model = CommunityModel(random_state=0).fit([pair for pair in sorted(pairs) if chance.random() < 0.8])

found = model.communities()
print("the circles:", {frozenset(community) for community in found} == set(map(frozenset, circles)))
both = [node for node in range(80) if len(found.of(node)) == 2]
print("in two circles:", both)

# %%
# A method that gives each node one label would have to cut the friendships of these people in two. Here they are pies
# of two colours.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
