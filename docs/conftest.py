"""Pages are tests, and so are the examples of extensions; what needs Sphinx to be read is not, as it may be missing."""

collect_ignore = ["conf.py", "_extensions/command_line.py", "_extensions/mathml.py", "_extensions/reference.py"]
