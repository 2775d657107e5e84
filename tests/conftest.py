"""Settings of the property tests: the same examples everywhere, and no deadline, because machines differ in speed.

`pytest --hypothesis-profile=new` tries examples that nobody has tried before.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("philia", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None, print_blob=True)
settings.load_profile("philia")
