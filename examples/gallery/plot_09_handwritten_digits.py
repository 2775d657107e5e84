"""
Handwritten digits
==================

Two hundred scanned digits, from 0 to 4, each linked to the five that differ least from it, pixel by pixel. Are the
communities the digits?
"""

import matplotlib.pyplot as plt
import networkx
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

from philia import CommunityModel, plots

images, digits = (array[:200] for array in load_digits(n_class=5, return_X_y=True))
model = CommunityModel(random_state=0).fit(networkx.Graph(kneighbors_graph(images, 5)))
for community in model.communities():
    counts = np.bincount(digits[list(community)], minlength=5)
    print(f"{community.name}, {len(community)} images: {counts.max()} of them a {counts.argmax()}")

# %%
# Nearly every community has images of one digit only, and a digit that is written in two ways has two.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
