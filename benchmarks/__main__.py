"""All benchmarks, one after the other, and the page of their results."""

from benchmarks import evaluation, fits, page, peers, reading, startup

startup.run()
reading.main()
evaluation.run()
fits.run()
peers.run()
page.run()
