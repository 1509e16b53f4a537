"""What compilers do to loops without being asked, by their version."""

from __future__ import annotations

from burstline_model.facts import KernelFacts
from burstline_model.target import Family, Target

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


def for_compiler(facts: KernelFacts, target: Target) -> KernelFacts:
    """The facts as the target's compiler builds them."""
    unasked = target.aoc_version < ROLLED_SINCE or target.family not in PRO_FAMILIES
    return facts if facts.unrolls_unasked == unasked else facts.model_copy(update={"unrolls_unasked": unasked})
