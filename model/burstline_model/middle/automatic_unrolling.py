"""What compilers do to loops without being asked, by their version."""

from __future__ import annotations

from burstline_model.facts import KernelFacts
from burstline_model.target import Family, Target
from burstline_model.unasked import USUAL, Unasked

ROLLED_SINCE = (19, 0, 0)
"""From this version of the Pro edition on, no loop is unrolled unless a pragma asks for it.

Vendor reports print "Auto-unrolled" from 17.1 to 18.1 (FiveLu/DE10_nano_opencl_emulator-deploy,
kenter/OpenCL-FPGA-examples, vkhristenko/test-regression, WenqiJiang/Intel-OpenCL-playground), and none of those of 19.2
to 22.3 does (six independent repositories). Small loops without a pragma stay rolled in MartinKarp/Nekbone (20.2). The
programming guide of 18.1 says that simple loops may be unrolled without a pragma, those of 21.4 and later do not
(Unrolling a Loop).
"""
PRO_FAMILIES: frozenset[Family] = frozenset({"Arria 10", "Stratix 10", "Agilex"})
"""The families of the Pro edition; the Standard edition, for the others, ends with 19.1 and compiles as 18.1 does."""


MOVES_SINCE = (17, 0, 0)
"""From this version on, innermost loops that move words and compute nothing are unrolled up to `MOST_MOVED` trips.

Vendor reports 17.1 and 18.1: loops of 16 to 32 trips that clear or copy arrays are (abelardojarab/ethminer,
WenqiJiang/Intel-OpenCL-playground, Connie120/CNN); of 16.1, copies of 38 trips are not.
"""
MOST_MOVED = 32
NESTS_SINCE = (16, 0, 0)
"""Before this version, loops around unrolled ones make no more than `MOST_IN_EARLY_NESTS` copies of accesses.

Spector's matrix products (14.1, measured) have up to 16; of the vendor's kernels' views of 15.0, 25 loads of a window
are five of a row (surjithbs17/SmartCamera_OpenCL_DE1SoC). Reports of 18.1 show more.
"""
MOST_IN_EARLY_NESTS = 16


def for_compiler(facts: KernelFacts, target: Target) -> KernelFacts:
    """The facts as the target's compiler builds them."""
    unasked = _unasked(target)
    return facts if facts.unasked == unasked else facts.model_copy(update={"unasked": unasked})


def _unasked(target: Target) -> Unasked | None:
    version = target.aoc_version
    if version >= ROLLED_SINCE and target.family in PRO_FAMILIES:
        return None
    return Unasked(
        moving_trips=MOST_MOVED if version >= MOVES_SINCE else USUAL.moving_trips,
        nest_copies=USUAL.nest_copies if version >= NESTS_SINCE else MOST_IN_EARLY_NESTS,
    )
