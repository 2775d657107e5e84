"""
Marriages of Florentine families
================================

In the Florence of the fifteenth century the Medici rose by marrying well. John Padgett recorded 20 marriages between 15
families.
"""

import matplotlib.pyplot as plt

from philia import CommunityModel, plots
from philia.datasets import classic

graph = classic("florentine")
model = CommunityModel(random_state=0).fit(graph)
print(model.communities())

# %%
# There are no communities, and that is an answer. Twenty links are too few for groups to make their description
# shorter. What stands out is popularity: the Medici have twice as many marriages as most.

print(graph.nodes[int(graph.degrees.argmax())], "has the most links")

# %%
# Gray nodes are in no community.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
