"""Names that could break a command line: markup, quotes, commas, formulas, dashes, emoji, other scripts."""

HOSTILE = ["[red]", "[/bold]", 'say "hi"', "a,b", "naïve", "😀", ":smile:", "$x$", "-dash", "日本"]
NAMES = ["ann", "bob", "cat", *HOSTILE, *(f"n{i}" for i in range(27))]
