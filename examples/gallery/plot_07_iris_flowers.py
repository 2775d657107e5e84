"""
Iris flowers and their nearest neighbours
=========================================

Edgar Anderson measured 150 iris flowers of three species, and Ronald Fisher made them famous. Here each flower is
linked to the six whose petals and sepals are most like its own.
"""

import matplotlib.pyplot as plt
import networkx
import numpy as np
from sklearn.datasets import load_iris
from sklearn.neighbors import kneighbors_graph

from philia import CommunityModel, plots

iris = load_iris()
similar = networkx.Graph(kneighbors_graph(iris.data, 6))
model = CommunityModel(random_state=0).fit(similar)
for community in model.communities():
    species = dict(zip(iris.target_names, np.bincount(iris.target[list(community)], minlength=3), strict=True))
    print(f"{community.name}, {len(community)} flowers:", {str(name): int(count) for name, count in species.items()})

# %%
# There are more communities than species, because flowers of one species differ in size. *Setosa* shares none with
# the others. One community has as many *versicolor* as *virginica*: these two species overlap in the measurements. A
# coarser level has fewer communities:

for name, flowers in model.hierarchy().cut(2).as_sets().items():
    print(name, sorted({str(iris.target_names[iris.target[flower]]) for flower in flowers}))

# %%
# Two islands, and a gradient from one species to the next on the larger one.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
