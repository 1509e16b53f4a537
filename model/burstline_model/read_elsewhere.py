"""What another reading of a kernel leaves of its accesses."""

from __future__ import annotations

from burstline_model.record import Record


class OtherReading(Record):
    """What another reading (`by`) leaves of our `accesses` of a line: requests as (width in bits, how many)."""

    by: str
    accesses: tuple[int, ...]
    requests: tuple[tuple[int, int], ...]
