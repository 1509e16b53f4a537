"""The clocks that public builds for Stratix 10 reached, by how full of kernels the device was.

    python -m bench.scoreboard.clocks --mirror DIR

Every ``acl_quartus_report.txt`` of the repositories below is read once: logic and RAM of the whole device, and the
kernel's clock. The emptiest builds are next to nothing but the board's shell, so that their share is taken off.
Prints the line by least absolute errors, each repository counted alike, and how eight of ten builds lie about it.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bench.scoreboard.fit import Clocked, fit_clock
from bench.scoreboard.repositories import git_files, git_show

REPOSITORIES = (
    "angelicadavila/FPGA_MEMORY_HLS", "arjunramaswami/FFTFPGA-eval", "IntelLabs/t2sp", "pc2/hpcc_fpga_eval",
    "pc2/hpcc_fpga_eval_21",
)  # fmt: skip
SHELLS = {933_120: 0.14, 702_720: 0.15}
"""The emptiest build on a card, by the device's ALMs; the development kit's is half as large."""
_LOGIC = re.compile(r"Logic utilization: *([\d,]+) */ *([\d,]+)")
_RAM = re.compile(r"RAM blocks: *([\d,]+) */ *([\d,]+)")
_CLOCK = re.compile(r"Actual clock freq: *([\d.]+)")
BINS = 0.1


def builds(mirror: Path) -> list[Clocked]:
    """Each build with the share of the device that its kernels took."""
    found = []
    for repository in REPOSITORIES:
        texts = {
            git_show(mirror, repository, f"HEAD:{path}").decode("utf-8", "replace")
            for path in git_files(mirror, repository, "HEAD")
            if path.endswith("acl_quartus_report.txt")
        }
        for text in sorted(texts):
            logic, ram, clock = _LOGIC.search(text), _RAM.search(text), _CLOCK.search(text)
            if logic is None or ram is None or clock is None:
                continue
            (used, of), (rams, all_rams) = ([int(n.replace(",", "")) for n in m.groups()] for m in (logic, ram))
            if of in SHELLS:
                shares = {"logic_alms": max(0.0, used / of - SHELLS[of]), "rams": rams / all_rams}
                found.append(Clocked(repository, "Stratix 10", shares, float(clock[1])))
    return found


def table(points: Sequence[Clocked], by: Sequence[str]) -> list[str]:
    """Clocks by tenths of the device."""
    bins: dict[int, list[float]] = defaultdict(list)
    for one in points:
        bins[int(max(one.shares[name] for name in by) / BINS)].append(one.f_max_mhz)
    return [
        f"{n * BINS:.0%} to {(n + 1) * BINS:.0%}: {len(clocks)} builds, median {np.median(clocks):.0f} MHz"
        for n, clocks in sorted(bins.items())
    ]


def main() -> None:
    """Print the builds and their line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True, metavar="DIR")
    points, by = builds(parser.parse_args().mirror), ("logic_alms", "rams")
    print("\n".join(table(points, by)))
    empty, fall = fit_clock(points, by)
    print(f"{len(points)} builds: {empty:.0f} - {fall:.0f} * share, in MHz")
    fullest = np.array([max(p.shares[n] for n in by) for p in points])
    ratios = np.array([p.f_max_mhz for p in points]) / (empty - fall * fullest)
    number = np.array([sum(q.group == p.group for q in points) for p in points])
    order = np.argsort(ratios)
    reached = np.cumsum(1 / number[order]) / np.sum(1 / number)
    low, high = (float(ratios[order][np.searchsorted(reached, end)]) for end in (0.1, 0.9))
    print(f"eight of ten between {low:.2f} and {high:.2f} times that; the slowest tenth of all at "
          f"{np.quantile([p.f_max_mhz for p in points], 0.1):.0f} MHz")  # fmt: skip


if __name__ == "__main__":
    main()
