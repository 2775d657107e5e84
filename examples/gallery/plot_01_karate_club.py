"""
A karate club that split
========================

Wayne Zachary watched the 34 members of a university karate club in the 1970s. A quarrel between the instructor (0) and
the president (33) ended in two clubs. philia sees who met whom outside of the lessons, before the split.
"""

import matplotlib.pyplot as plt
import networkx

from philia import CommunityModel, plots
from philia.datasets import classic

model = CommunityModel(random_state=0).fit(classic("karate"))
print(model.communities())

# %%
# The two communities are the two clubs of later, but for one member, number 8. Three fifths of his links lead to the
# other side:

later = networkx.get_node_attributes(networkx.karate_club_graph(), "club")
found = model.communities().labels()
clubs = {found[leader]: later[leader] for leader in (0, 33)}
print("in the other club:", [node for node in found if clubs[found[node]] != later[node]])
print("shares of the links of 8:", {name: round(share, 2) for name, share in model.communities().of(8).items()})

# %%
# Each node is a pie of the shares of its links.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
