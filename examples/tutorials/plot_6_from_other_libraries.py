"""
Moving from networkx, cdlib or karateclub
=========================================

*I have code with another library. What do I have to change?* Little: graphs of networkx go in as they are, communities
go out as sets, frames, or objects of cdlib. This tutorial has the calls side by side, and what differs in what comes
back.
"""

# %%
# What is what
# ------------
#
# .. list-table::
#    :header-rows: 1
#    :widths: 45 55
#
#    * - there
#      - here
#    * - networkx: ``louvain_communities(G)``
#      - ``model.fit(G)``, then ``model.communities()``
#    * - networkx: ``adamic_adar_index(G, pairs)``
#      - ``model.predict_proba(pairs)``; the formula itself is ``PREDICTORS["Adamic-Adar"]``
#    * - cdlib: ``algorithms.big_clam(G)``
#      - ``BigClam(8).fit(G)``, then ``model.communities()``
#    * - cdlib: ``evaluation.omega(a, b)`` and others
#      - ``compare_communities(a, b)``: F1, two overlapping NMIs and omega
#    * - cdlib: ``NodeClustering``
#      - ``found.to_cdlib()`` there, ``as_communities(clustering)`` back
#    * - karateclub: ``model.get_memberships()``
#      - ``model.communities()``, or ``found.of(node)``
#    * - karateclub: ``model.get_embedding()``
#      - ``model.features()``, rows in the order of ``model.graph_.nodes``
#
# What goes in
# ------------
#
# A graph of networkx, with the names that it has. Names need not be numbers, and what comes back has the same names.

import importlib.util

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import philia
from philia import plots
from philia.evaluate import compare_communities
from philia.graphs import as_communities

G = nx.les_miserables_graph()
model = philia.CommunityModel(random_state=0).fit(G)
print(model.graph_)
print(model.selection_)

# %%
# Weights were dropped, and counted. To let them count in the fit, say so: ``fit(philia.as_graph(G, weights=True))``.
#
# Sets that overlap, not one label
# --------------------------------
#
# Louvain puts everybody into exactly one community. Here a node may be in several, in one or in none, and its
# membership in each is a number between 0 and 1.

partition = nx.community.louvain_communities(G, seed=0)
print("Louvain:", len(partition), "communities, everybody is in exactly one")

found = model.communities()
print("philia:", len(found), "communities;", found.n_unassigned, "people are in none")
for person in ("Valjean", "Marius", "Gervais"):
    print(f"{person}:", ", ".join(f"{name} {share:.2f}" for name, share in found.of(person).items()))

# %%
# The hero is in several circles, Gervais in none, and nobody decides that for you. If you do need one label a node,
# take the largest membership, and keep those apart who have none:

labels = {node: next(iter(found.of(node)), None) for node in model.graph_.nodes}
print(labels["Valjean"], labels["Marius"], labels["Gervais"])

# %%
# Both kinds of answers can be compared, with all nodes counted, those in none as well:

print(compare_communities(found, partition, model.graph_))

# %%
# Which communities share members? The picture gives the percentage of the smaller one's members who are in both.

_, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
ax = plots.overlap(model, ax)

# %%
# Seeds
# -----
#
# The same ``random_state`` gives the same numbers, to the last bit, whatever the number of threads. Nothing reads or
# sets the global seeds of Python or NumPy.

one, two = (philia.CommunityModel(6, 1, penalty=1, random_state=0, n_jobs=threads).fit(G) for threads in (1, 2))
print("the same:", np.array_equal(one.features(), two.features()))

# %%
# Somebody new
# ------------
#
# A new node does not need a new fit. Say whom it is linked with:

placed = model.place({"Inspector": ["Valjean", "Javert", "Fantine"]})
print(placed.communities().of("Inspector"))

# %%
# What comes out
# --------------
#
# Back to networkx, with what the model says of each node and each link:

described = model.described().to_networkx()
print(described.nodes["Marius"])
print(described.edges["Marius", "Cosette"])

# %%
# Frames of pandas (``to_polars`` gives those of polars):

print(found.to_pandas().round(2).to_string(index=False))

# %%
# And cdlib, for the measures that it has and philia has not. (On a machine without cdlib this cell only says so.)

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
# Hand your graph to ``fit`` and read ``communities()``. Two things are different on purpose. Communities overlap and
# leave some nodes out, so code that expects one label a node has to choose one. And a community may repel: look at its
# ``kind`` before you call its members friends. :doc:`/docs/interoperability` has the rest: igraph, polars, Gephi,
# scikit-learn and PyTorch Geometric.
