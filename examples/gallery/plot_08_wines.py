"""
Wines of three grapes
=====================

A laboratory measured 13 properties of 178 Italian wines, such as alcohol, color and acids. Each wine is linked to the
six most like it. The grapes, three of them, are known, but not to philia.
"""

import matplotlib.pyplot as plt
import networkx
import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from philia import CommunityModel, plots

wine = load_wine()
similar = networkx.Graph(kneighbors_graph(StandardScaler().fit_transform(wine.data), 6))
model = CommunityModel(random_state=0).fit(similar)
for name, wines in model.hierarchy().cut(3).as_sets().items():
    print(f"{name}, {len(wines)} wines, by grape:", np.bincount(wine.target[list(wines)], minlength=3).tolist())

# %%
# The level with three communities has nearly the three grapes. With the default, which describes the links better,
# grapes fall into kinds of wine; all but one of these communities are mostly of one grape.

for community in model.communities():
    if community.kind == "homophilous":
        grapes = np.bincount(wine.target[list(community)], minlength=3)
        print(f"{community.name}, {len(community)} wines, by grape:", grapes.tolist())

# %%
# Colored by communities; the pies lie between the grapes.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
