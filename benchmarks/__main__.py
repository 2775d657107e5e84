"""All benchmarks, one after the other, and the page of their results."""

from benchmarks import evaluation, fits, page, peers, reading, startup
from benchmarks.exact import columns, constructions, fitting

startup.run()
reading.main()
evaluation.run()
fits.run()
peers.run()
columns.main([])
constructions.main([])
fitting.main()
page.run()
