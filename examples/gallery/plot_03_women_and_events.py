"""
Women and the events they attended
==================================

In the 1930s Davis, Gardner and Gardner noted which of 18 women of a southern town came to which of 14 social events.
Women are linked to events only: nobody is linked to their like. What repels is half of the answer.
"""

import matplotlib.pyplot as plt

from philia import CommunityModel, plots
from philia.datasets import classic

davis = classic("davis")
model = CommunityModel(2, 2, random_state=0).fit(davis)
events = {f"E{number}" for number in range(1, 15)}
for community in model.communities():
    members = set(community)
    print(f"{community.name} {community.kind}: {len(members - events)} women, {len(members & events)} events")

# %%
# The two communities that repel are exactly the two sides, and those that attract are two circles of women with their
# events. We asked for two of each kind: philia itself finds the two sides, but 89 links are too few for it to see the
# circles. :doc:`A tutorial </build/tutorials/plot_2_women_and_events>` has more about this network. Colours are the
# circles.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
