"""
Measurements of tumours
=======================

Here the nodes are not patients but what was measured: 30 properties of cell nuclei in 569 biopsies of breast tumours,
linked if their correlation is above 0.6 in size. Which of them say the same?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import philia
from philia import CommunityModel, plots

tumours = load_breast_cancer()
names = tumours.feature_names.tolist()
alike = np.triu(np.abs(np.corrcoef(tumours.data.T)) > 0.6, k=1)
graph = philia.as_graph([(names[i], names[j]) for i, j in zip(*np.nonzero(alike), strict=True)])
print(graph)

model = CommunityModel(random_state=0).fit(graph)
for community in model.communities():
    print(f"{community.name}, {len(community)} measurements:", ", ".join(map(str, community)))

# %%
# Size and shape. One community has everything about radius, perimeter and area; the other has smoothness, symmetry and
# fractal dimension. Concavity is in both: its mean goes with size, its error and its worst value with shape.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
