"""All benchmarks, one after the other."""

from benchmarks import evaluation, fits, reading, startup

startup.run()
reading.main()
evaluation.run()
fits.run()
