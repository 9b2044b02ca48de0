"""All trials."""

from __future__ import annotations

from tests.chaos import databases, disks, irregular, killed, sharing, stores
from tests.chaos.trials import FaultTrial, Trial

TRIALS: tuple[Trial | FaultTrial, ...] = (
    *irregular.TRIALS,
    *databases.TRIALS,
    *killed.TRIALS,
    *stores.TRIALS,
    *disks.TRIALS,
    *sharing.TRIALS,
)
