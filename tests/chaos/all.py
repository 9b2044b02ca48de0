"""All trials."""

from __future__ import annotations

from tests.chaos import irregular

TRIALS = (*irregular.TRIALS,)
