"""All trials."""

from __future__ import annotations

from tests.chaos import databases, irregular

TRIALS = (*irregular.TRIALS, *databases.TRIALS)
