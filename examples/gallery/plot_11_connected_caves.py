"""
Caves that know each other
==========================

Duncan Watts' caveman world: twelve caves of eight people who all know each other, and then every seventh acquaintance
moves to somebody in another cave.
"""

import matplotlib.pyplot as plt
import networkx

from philia import CommunityModel, plots

world = networkx.relaxed_caveman_graph(12, 8, 0.15, seed=1)
model = CommunityModel(random_state=0).fit(world)
caves = {frozenset(range(first, first + 8)) for first in range(0, 96, 8)}
found = {frozenset(community) for community in model.communities()}
print(len(found), "communities; the caves:", found == caves)

# %%
# The twelve caves are found, to a person.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
