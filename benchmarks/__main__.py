"""All benchmarks, one after the other, and the page of their results."""

import tempfile
from pathlib import Path

from benchmarks import (
    cluster,
    evaluation,
    first_answer,
    fits,
    large,
    large_evaluation,
    page,
    peers,
    reading,
    startup,
    stochastic,
)
from benchmarks.exact import columns, constructions, fitting, one_space, small

first_answer.main(["--growth", "1e3", "1e4", "1e5", "1e6"])
startup.run()
reading.main()
evaluation.run()
fits.run()
peers.run()
stochastic.losses()
stochastic.times()
large_evaluation.run()
large.epochs()
with tempfile.TemporaryDirectory() as folder:
    large.whole(1_000_000, Path(folder))
    large.course(1_000_000, Path(folder))
cluster.run()
columns.main([])
constructions.main([])
small.main()
one_space.main()
fitting.main([])
page.run()
