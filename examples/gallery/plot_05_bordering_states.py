"""
States that share a border
==========================

The 48 contiguous states of the USA, linked if they share a border. The links of a map form no dense groups, so this is
a hard case: is there more than one country?
"""

import matplotlib.pyplot as plt

import philia
from philia import CommunityModel, plots

BORDERS = """
AL FL GA MS TN; AR LA MS MO OK TN TX; AZ CA NV NM UT; CA NV OR; CO KS NE NM OK UT WY; CT MA NY RI; DE MD NJ PA; FL GA
GA NC SC TN; IA MN MO NE SD WI; ID MT NV OR UT WA WY; IL IN IA KY MO WI; IN KY MI OH; KS MO NE OK; KY MO OH TN VA WV
LA MS TX; MA NH NY RI VT; MD PA VA WV; ME NH; MI OH WI; MN ND SD WI; MO NE OK TN; MS TN; MT ND SD WY; NC SC TN VA
ND SD; NE SD WY; NH VT; NJ NY PA; NM OK TX; NV OR UT; NY PA VT; OH PA WV; OK TX; OR WA; PA WV; SD WY; TN VA; UT WY
VA WV
"""
lines = [line.split() for line in BORDERS.replace("\n", ";").split(";") if line]
graph = philia.as_graph([(state, other) for state, *others in lines for other in others])
print(graph)

model = CommunityModel(random_state=0).fit(graph)
for community in model.communities():
    print(f"{community.name}, {len(community)} states:", " ".join(sorted(map(str, community))))

# %%
# Regions that anyone would recognize: New England with New York, the South, the West, the Great Plains with their
# neighbours, and what lies between the Great Lakes and the sea. States between two regions are pies of both.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
