"""
From fit to report
==================

*How do I show this to somebody who does not write Python?* With one page: a single HTML file that holds the summary,
the communities, a map, and every node to be looked up. It needs no network and no installation, so it can be sent by
mail. It needs ``pip install 'philia[report]'`` on your side.
"""

# %%
# One line
# --------
#
# A small dating app: 200 users, three cities, two genders. A tenth of all pairs is hidden, so that the page can say how
# well they were predicted. What is known already can go in as labels: the page says which community is which.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import philia
from philia import plots
from philia.datasets import dating_app
from philia.report import payload, write_report

app = dating_app(n=200, cities=3, random_state=0)
model = philia.CommunityModel(3, 2, penalty=2, random_state=0).fit(app.graph, held_out=0.1)

labels = {f"city {number}": np.flatnonzero(app.city == number).tolist() for number in range(3)}
labels |= {f"gender {number}": np.flatnonzero(app.gender == number).tolist() for number in range(2)}

with tempfile.TemporaryDirectory() as folder:
    page = write_report(model, Path(folder) / "report.html", labels=labels, title="A dating app")
    print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB")

# %%
# Here the page is thrown away again; write it to a folder of yours and open it in a browser.
#
# What it says
# ------------
#
# All that the page shows comes from one dictionary, which you can have as well. These are the sentences at its top:

content = payload(model, labels=labels, title="A dating app")
print("\n".join(content["sentences"]))

# %%
# And the communities, each with the label that is nearest to it:

for community in content["communities"]:
    name, label = community["name"], community["label"]
    print(f"{name} {community['kind']}, {community['size']} members: {label['name']} (F1 {label['f1']:.2f})")

# %%
# If you only want the communities, for a talk or a paper, there is a picture of them:

_, ax = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
ax = plots.communities(model, ax)

# %%
# How well hidden pairs were predicted, in the words of the page:

print(content["quality"]["words"])

# %%
# The answer
# ----------
#
# One line makes the page. From a terminal it is one line too, from a file of links to the page::
#
#     $ philia fit links.csv --report report.html
#
# or, with a model that was saved, and groups that are known::
#
#     $ philia report model.safetensors -o report.html --labels known.txt
