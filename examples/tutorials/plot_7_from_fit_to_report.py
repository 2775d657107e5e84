"""
From fit to report
==================

*How do I show this to someone who does not write Python?* With one page: a single HTML file with a summary, the
communities, a map, and every node to look up. It works offline and needs no installation, so you can send it by mail.
To write it, you need ``pip install 'philia[report]'``.
"""

# %%
# One line
# --------
#
# A small dating app: 200 users, three cities, two genders. A tenth of all pairs is held out, so that the page can show
# how well they are predicted. Known groups can be passed as labels: the page says which community matches which label.

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
# Here the page is deleted again; write it to a folder of your own and open it in a browser.
#
# The content of the page
# -----------------------
#
# Everything on the page comes from one dictionary, which you can get as well. These are the sentences at its top:

content = payload(model, labels=labels, title="A dating app")
print("\n".join(content["sentences"]))

# %%
# And the communities, each with the label that matches it best:

for community in content["communities"]:
    name, label = community["name"], community["label"]
    print(f"{name} {community['kind']}, {community['size']} members: {label['name']} (F1 {label['f1']:.2f})")

# %%
# If you only want the communities, for a talk or a paper, there is a plot of them:

_, ax = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
ax = plots.communities(model, ax)

# %%
# How well held-out pairs were predicted, in the words of the page:

print(content["quality"]["words"])

# %%
# The answer
# ----------
#
# One line writes the page. In a terminal it is one line too, from a file of links to the page::
#
#     $ philia fit links.csv --report report.html
#
# or, with a saved model and known groups::
#
#     $ philia report model.safetensors -o report.html --labels known.txt
