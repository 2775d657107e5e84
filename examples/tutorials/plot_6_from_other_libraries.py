"""
Moving from networkx, cdlib or karateclub
=========================================

*I have code that uses another library. What do I have to change?* Little: networkx graphs are accepted as they are, and
communities are returned as sets, data frames, or cdlib objects. This tutorial shows the calls side by side, and how the
results differ.
"""

# %%
# The calls side by side
# ----------------------
#
# .. list-table::
#    :header-rows: 1
#    :widths: 45 55
#
#    * - other library
#      - philia
#    * - networkx: ``louvain_communities(G)``
#      - ``model.fit(G)``, then ``model.communities()``
#    * - networkx: ``adamic_adar_index(G, pairs)``
#      - ``model.predict_proba(pairs)``; the formula itself is ``PREDICTORS["Adamic-Adar"]``
#    * - cdlib: ``algorithms.big_clam(G)``
#      - ``BigClam(8).fit(G)``, then ``model.communities()``
#    * - cdlib: ``evaluation.omega(a, b)`` and others
#      - ``compare_communities(a, b)``: F1, two overlapping NMIs and omega
#    * - cdlib: ``NodeClustering``
#      - ``found.to_cdlib()``, and back with ``as_communities(clustering)``
#    * - karateclub: ``model.get_memberships()``
#      - ``model.communities()``, or ``found.of(node)``
#    * - karateclub: ``model.get_embedding()``
#      - ``model.features()``, rows in the order of ``model.graph_.nodes``
#
# Input
# -----
#
# Pass a networkx graph with its own node names. Names need not be numbers, and the results have the same names.

import importlib.util

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import philia
from philia import plots
from philia.evaluate import compare_communities
from philia.graphs import as_communities

G = nx.les_miserables_graph()
graph = philia.as_graph(G, weights=False)
model = philia.CommunityModel(random_state=0).fit(graph)
print(model.graph_)
print(model.selection_)

# %%
# ``fit(G)`` does the same, with a warning that weights are dropped; they are counted in any case. To use them in the
# fit, ask for it: ``fit(philia.as_graph(G, weights=True))``.
#
# Sets that overlap, not one label
# --------------------------------
#
# Louvain assigns every node to exactly one community. Here a node may be in several, in one or in none, and its
# membership in each is the share of its links that lead there.

partition = nx.community.louvain_communities(G, seed=0)
print("Louvain:", len(partition), "communities, everybody is in exactly one")

found = model.communities()
print("philia:", len(found), "communities;", found.n_unassigned, "people are in none")
for person in ("Valjean", "Marius"):
    print(f"{person}:", ", ".join(f"{name} {share:.2f}" for name, share in found.of(person).items()))

# %%
# The hero is in two circles, Marius in one. No node is forced into one, though here everybody has a place. If you need
# one label per node, ``labels_`` has it, with -1 for nodes without a community, and ``partition()`` has the same as
# sets:

labels = dict(zip(model.graph_.nodes, model.labels_.tolist(), strict=True))
print(labels["Valjean"], labels["Marius"])

# %%
# Both kinds of results can be compared; all nodes count, including those in no community:

print(compare_communities(found, partition, model.graph_))

# %%
# Which communities share members? The picture shows the percentage of the smaller one's members who are in both.

_, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
ax = plots.overlap(model, ax)

# %%
# Seeds
# -----
#
# The same ``random_state`` gives the same numbers, to the last bit, with any number of threads. Nothing reads or sets
# the global seeds of Python or NumPy.

one, two = (philia.CommunityModel(6, 1, penalty=1, random_state=0, n_jobs=threads).fit(graph) for threads in (1, 2))
print("the same:", np.array_equal(one.features(), two.features()))

# %%
# New nodes
# ---------
#
# A new node does not need a new fit. Give its neighbours:

placed = model.place({"Inspector": ["Valjean", "Javert", "Fantine"]})
print(placed.communities().of("Inspector"))

# %%
# Output
# ------
#
# Back to networkx, with the results for each node and each link:

described = model.described().to_networkx()
print(described.nodes["Marius"])
print(described.edges["Marius", "Cosette"])

# %%
# As a pandas frame (``to_polars`` gives a polars frame):

print(found.to_pandas().round(2).to_string(index=False))

# %%
# And to cdlib, for the measures that philia does not have. (Without cdlib this cell only says so.)

if importlib.util.find_spec("cdlib") is None:
    print("cdlib is not installed")
else:
    from cdlib import evaluation

    clustering = found.to_cdlib(model.graph_)
    print("conductance:            ", round(evaluation.conductance(G, clustering).score, 3))
    print("average internal degree:", round(evaluation.average_internal_degree(G, clustering).score, 3))
    back = as_communities(clustering)
    print("and back:               ", compare_communities(back, found, model.graph_).omega)

# %%
# The answer
# ----------
#
# Pass your graph to ``fit`` and read ``communities()``. Two things are different on purpose. Communities overlap and
# leave some nodes out, so code that expects one label per node has to choose one. And a community may repel: check its
# ``kind`` before you call its members friends. :doc:`/docs/interoperability` has the rest: igraph, polars, Gephi,
# scikit-learn and PyTorch Geometric.
