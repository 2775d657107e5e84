"""Claims of speed, measured side by side in one run: all by ``make bench``, one by its module."""
