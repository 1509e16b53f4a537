"""What one typed character costs: ``python -m bench.edits`` prints the time from edit to answer by file size.

The files are made of the example kernels, renamed. *First* is a file's first reading, *edit* the
median over edits inside one kernel, findings included; *whole* is what the edited file costs without anything known
of it. Shares compare figures of the same run: machines differ and are shared.
"""

from __future__ import annotations

import time
from statistics import median

from bench.generated import file_of

from burstline_server.assess import Assessor
from burstline_server.rules.catalogue import findings_of

SIZES = (100, 1_000, 5_000, 10_000)
EDITS = 15


def seconds(assessor: Assessor, text: str) -> float:
    """The time of one answer."""
    started = time.perf_counter()
    findings_of(assessor.assess(text, "bench.cl", []))
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    print("| lines | first | edit | whole | edit/whole |\n|---|---|---|---|---|")
    for lines in SIZES:
        text, assessor = file_of(lines), Assessor()
        first = seconds(assessor, text)
        edits = []
        for number in range(EDITS):
            at = text.index(";", len(text) // 2 + 41 * number)
            text = f"{text[:at]} + 1{text[at:]}"
            edits.append(seconds(assessor, text))
        edit, whole = median(edits), min(seconds(Assessor(), text) for _ in range(2))
        print(f"| {text.count(chr(10))} | {1e3 * first:.0f} ms | {1e3 * edit:.1f} ms | {1e3 * whole:.0f} ms "
              f"| {edit / whole:.2f} |")  # fmt: skip


if __name__ == "__main__":
    main()
