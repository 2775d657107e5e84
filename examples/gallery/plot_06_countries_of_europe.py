"""
Countries of Europe
===================

Countries are linked if they share a land border, with Russia and Turkey, which are in Europe in part, and Kosovo, which
not all of the others recognize. Do parts of Europe show in nothing but borders?
"""

import matplotlib.pyplot as plt

import philia
from philia import CommunityModel, plots

BORDERS = """
Albania: Greece, Kosovo, Montenegro, North Macedonia
Andorra: France, Spain
Austria: Czechia, Germany, Hungary, Italy, Liechtenstein, Slovakia, Slovenia, Switzerland
Belarus: Latvia, Lithuania, Poland, Russia, Ukraine
Belgium: France, Germany, Luxembourg, Netherlands
Bosnia and Herzegovina: Croatia, Montenegro, Serbia
Bulgaria: Greece, North Macedonia, Romania, Serbia, Turkey
Croatia: Hungary, Montenegro, Serbia, Slovenia
Czechia: Germany, Poland, Slovakia
Estonia: Latvia, Russia
Finland: Norway, Russia, Sweden
France: Germany, Italy, Luxembourg, Monaco, Spain, Switzerland
Germany: Denmark, Luxembourg, Netherlands, Poland, Switzerland
Greece: North Macedonia, Turkey
Hungary: Romania, Serbia, Slovakia, Slovenia, Ukraine
Ireland: United Kingdom
Italy: San Marino, Slovenia, Switzerland, Vatican City
Kosovo: Montenegro, North Macedonia, Serbia
Latvia: Lithuania, Russia
Liechtenstein: Switzerland
Lithuania: Poland, Russia
Moldova: Romania, Ukraine
Montenegro: Serbia
North Macedonia: Serbia
Norway: Russia, Sweden
Poland: Russia, Slovakia, Ukraine
Portugal: Spain
Romania: Serbia, Ukraine
Russia: Ukraine
Slovakia: Ukraine
"""
lines = [line.split(": ") for line in BORDERS.strip().splitlines()]
graph = philia.as_graph([(country, other) for country, others in lines for other in others.split(", ")])
print(graph)

model = CommunityModel(random_state=0).fit(graph)
for community in model.communities():
    print(f"{community.name}, {len(community)} countries:", ", ".join(sorted(map(str, community))))
print("in none:", ", ".join(str(node) for node in graph if not model.communities().of(node)))

# %%
# The west, the east with the north, and the Balkans. Countries between two of them, such as Austria, Hungary, Romania
# and Croatia, are pies of both. Ireland and the United Kingdom border on each other only, which is no group.

_, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax = plots.network(model, ax)
