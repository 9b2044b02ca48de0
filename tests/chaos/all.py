"""All trials."""

from __future__ import annotations

from tests.chaos import (
    bombs,
    databases,
    disks,
    irregular,
    killed,
    odd_values,
    sharing,
    stores,
)
from tests.chaos.patterns import trials as patterns
from tests.chaos.trials import FaultTrial, Trial

TRIALS: tuple[Trial | FaultTrial, ...] = (
    *irregular.TRIALS,
    *databases.TRIALS,
    *bombs.TRIALS,
    *odd_values.TRIALS,
    *killed.TRIALS,
    *stores.TRIALS,
    *disks.TRIALS,
    *sharing.TRIALS,
    *patterns.TRIALS,
)
