"""
A random network
================

Any method that must return groups finds some here. This network has 120 nodes and 360 links between pairs drawn by lot;
there is nothing to find.
"""

import matplotlib.pyplot as plt
import networkx

from philia import CommunityModel, plots

noise = networkx.gnm_random_graph(120, 360, seed=0)
model = CommunityModel(random_state=0).fit(noise)
print(model.communities())
print("Louvain:", len(networkx.community.louvain_communities(noise, seed=0)), "communities")

# %%
# philia finds none: no groups make the description of the links shorter. :doc:`Can I trust this? </docs/trust>` has
# the other questions that one should ask.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
