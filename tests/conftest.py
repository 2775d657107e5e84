"""Settings of the property tests: machines differ in speed, so no example has a deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("philia", deadline=None)
settings.load_profile("philia")
