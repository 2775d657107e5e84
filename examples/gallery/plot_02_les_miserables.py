"""
The characters of Les Misérables
================================

Donald Knuth linked two characters of Victor Hugo's novel if they appear in the same chapter. Readers know the groups:
the students of the barricade, the gang of Thénardier, the friends of Fantine's youth and the court of Arras.
"""

import matplotlib.pyplot as plt

from philia import CommunityModel, plots
from philia.datasets import classic

model = CommunityModel(random_state=0).fit(classic("les_miserables"))
for community in model.communities():
    print(f"{community.name}, {len(community)} members:", ", ".join(list(map(str, community))[:6]))

# %%
# The largest community has Valjean and those who meet him one by one, from the bishop on. He is also in the court of
# Arras, where he gives himself up:

print({name: round(share, 2) for name, share in model.communities().of("Valjean").items()})

# %%
# The picture shows whose links lead where.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
