"""The patterns as trials: each in full is one."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path

from tests.chaos.limited import TrialError
from tests.chaos.patterns.all import PATTERNS
from tests.chaos.patterns.measure import fault_of, size_for
from tests.chaos.patterns.tokens import Pattern
from tests.chaos.trials import FaultTrial

_SECONDS = 0.01
"""What a reader takes for plain text of the length of a pattern."""


def faults_in(patterns: Iterable[Pattern], seconds: float, scratch: Path) -> Iterator[str]:
    """Grow patterns; yield what is wrong with those that take too long.

    `seconds` are what the reader takes for plain text of the length of a pattern.
    """
    for pattern in patterns:
        (scratch / ".git").mkdir(exist_ok=True)  # the border of the project
        size = _size_for(pattern.reader, seconds)
        if fault := fault_of(pattern, size, seconds, scratch):
            yield f"{pattern}: {fault}"


@cache
def _size_for(reader: str, seconds: float) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return size_for(reader, seconds, Path(folder).resolve())


def _grow(pattern: Pattern, scratch: Path) -> float:
    for fault in faults_in([pattern], _SECONDS, scratch):
        raise TrialError(fault)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


TRIALS = tuple(
    FaultTrial("patterns grown", str(pattern), partial(_grow, pattern), in_short=False)
    for pattern in PATTERNS
)
