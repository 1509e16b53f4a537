"""What decides how many units there are, how wide and how aligned: coalescing, in rows like the other tables'.

The code is in the modules that the rows name; the rows say what it does and whence.
"""

from __future__ import annotations

from dataclasses import dataclass

from burstline_model.compiler.lsu_rules.rule import Scope
from burstline_model.target import STANDARD_FAMILIES


@dataclass(frozen=True)
class StructureRule(Scope):
    """A rule of coalescing: `name` is what a unit's reasons call it."""

    name: str
    text: str
    where: str
    source: str


STRUCTURE_RULES = (
    StructureRule(
        "width", "element times contiguous copies (SIMD lanes, unrolled iterations, neighbouring accesses), to the "
        "next power of two, never cut at the memory word", "groups.py",
        "vendor reports: 259 sites as computed, 13 split; 1 024 and 2 048 bits occur; Knowledge Base 000073879",
    ),
    StructureRule(
        "widest", "what would be wider than 8 192 bits is cut into units of that width from its first byte on, "
        "structures into parts", "groups.py",
        "vendor reports 18.1, 19.4 and 20.2 of three repositories, on Arria 10 and Stratix 10: eight units of 8 192 "
        "bits and one of the rest, where 16 384 to 32 768 would be fetched; none of 5 000 units is wider",
    ),
    StructureRule(
        "merged", "loads of the same place or of neighbours in one body, under one condition, with no store and no "
        "bytes between, share a unit, which reports list on the first line", "groups.py",
        "vendor reports 16.1: p[k], p[k+1] make one 64-bit unit, p[4g..4g+3] one of 128; fields with others between "
        "have one each",
        until=(16, 9, 9),
    ),
    StructureRule(
        "merged", "neighbours in one body share a unit, loads and stores, across accesses of other bytes", "groups.py",
        "vendor reports 17.1 (pairs read, changed and written back: one load and one store of 64 bit)",
        since=(17, 0, 0),
    ),
    StructureRule(
        "one of two", "stores to one place at the ends of both arms of an if are one store, on the line of the first; "
        "up to 16.x the cases of a switch stay apart",
        "forward.py", "vendor reports: 3 of 3 ends of arms; M21's padding; four switches of one repository",
    ),
    StructureRule(
        "stride", "copies 1 to 5 elements apart are fetched together, gaps thrown away; from 6 on each copy has a unit",
        "groups.py", "vendor reports: strides 1, 2, 4 one aligned unit, 3 and 5 one non-aligned, 6 and more one each",
    ),
    StructureRule(
        "scattered", "copies whose addresses come from data have a unit each", "lanes.py",
        "vendor reports: 412 of 412 loads p[table[gid]] with SIMD on Stratix 10",
    ),
    StructureRule(
        "rows apart", "copies of a loop that lie apart by an amount that the text does not fix have their own units; "
        "in each the copies of other loops and the lanes are merged", "lanes.py",
        "follows from what is merged: neighbours at fixed distances alone",
    ),
    StructureRule(
        "nests apart", "each copy of an unrolled loop with a loop in it that stays one runs that loop by itself: no "
        "unit serves two copies, but of a place outside that loop that is the same in all", "groups.py",
        "vendor reports 18.1 and 21.1 of three repositories, on Cyclone V, Arria 10 and Stratix 10: 164 of 164 units",
    ),
    StructureRule(
        "non-aligned", "a merged unit whose first address is not proved to be a multiple of its width, and so a "
        "structure whose size is no power of two; other single elements never are, but members of a structure that "
        "breaks their type's own alignment", "groups.py",
        "vendor reports: no counter-example among 90 merged sites; 8 sites with float2 members; structures of 12 and "
        "4 004 bytes on Cyclone V (18.1) and Arria 10 (19.4), four sites; printf's records of 12 and 20 bytes; "
        "Best Practices Guide 3.6.2",
    ),
    StructureRule(
        "hoisted", "values that no work-item or iteration changes are fetched before everything else, fields of one "
        "structure by one unit in each memory word", "groups.py",
        "vendor reports 16.1: 43 of 43, nine structures that reach over a word's end", until=(16, 9, 9),
    ),
    StructureRule(
        "types apart", "pointers that may alias are taken not to where they reach different scalar types, neither a "
        "character", "alias.py",
        "C99 6.5 §7; vendor reports 16.1: int fields are fetched before loops that store float, the float field of the "
        "same structure is not, in four kernels",
    ),
    StructureRule(
        "forwarded", "a store that the same body overwrites under the same conditions needs no unit",
        "forward.py", "vendor reports: vectors written component by component",
    ),
    StructureRule(
        "there already", "a load of a place that was loaded or stored before on every path needs no unit, if nothing "
        "but stores to that very place may have changed it, in loops and arms too", "forward.py",
        "vendor reports 16.1: 80 loads and stores of a generator's state in four builds of one repository, counters in "
        "structures of another (nine places)",
    ),
    StructureRule(
        "line", "a report names the line of the statement (a declaration's last), or of the call begun last in it",
        "lines.py", "vendor reports 16.1, 17.1: seven statements of two repositories; 18.1 Pro names the "
        "expression's own line",
        until=(17, 1, 99),
    ),
    StructureRule(
        "line", "the same", "lines.py",
        "vendor reports 18.0 to 19.1 Standard: statements over several lines in four repositories",
        families=STANDARD_FAMILIES, since=(18, 0, 0), until=(19, 1, 99),
    ),
    StructureRule(
        "line", "a report names the line of the expression, in a line that a backslash continues as well; what an "
        "assignment stores is on the line of its operator",
        "lines.py", "Clang's debug locations (a binary expression is where its operator is); vendor reports 19.4: "
        "stores of three programs on two boards; 21.1: four products on continued lines",
        since=(18, 0, 0), families=("Arria 10", "Stratix 10", "Agilex"),
    ),
    StructureRule(
        "line of a macro", "what is written in a macro's argument is on the line where the macro's use begins",
        "lines.py", "Clang's debug locations (those of expansions); vendor reports 16.1: seven fields in arguments "
        "that go over several lines, in two kernels",
    ),
    StructureRule(
        "unrolled unasked", "innermost loops of up to 12 trips, and loops around such that are unrolled as a whole, "
        "are unrolled without a pragma where they reach global memory or none but registers; those that reach local "
        "memory alone stay rolled", "loop_copies.py",
        "Best Practices Guide 2.3.1; vendor reports 17.1 and 18.1: 7 of 7 loops of 10 trips around global accesses, in "
        "two repositories, 18.1: one of 12 on registers; lud (16.1, measured): 16 reads of local memory are not",
    ),
    StructureRule(
        "unrolled unasked", "so are innermost loops of up to 32 trips that move words and compute nothing",
        "middle/automatic_unrolling.py",
        "vendor reports 17.1 and 18.1: five of 16 to 32 trips in three repositories; of 16.1, copies of 38 are not",
        since=(17, 0, 0),
    ),
    StructureRule(
        "unrolled unasked", "a loop around an unrolled one stays where more than 16 copies of accesses would come of "
        "it",
        "middle/automatic_unrolling.py",
        "compiled kernels' views, 15.0: two windows of 25 places; Spector's matrix products (14.1, measured); reports "
        "of 18.1 show more", until=(15, 9, 99),
    ),
    StructureRule(
        "copies in order", "copies of an unrolled loop share no unit over an access of another pointer that may reach "
        "the same place, but where ivdep denies it: a load is made after the store of the copy before",
        "program_order.py",
        "the language's semantics (restrict, C99 6.7.3.1); vendor reports 18.1: 48 units of three accesses, none "
        "against",
    ),
    StructureRule(
        "rolled unless asked", "instead, no loop is unrolled without a pragma", "middle/automatic_unrolling.py",
        "vendor reports of 19.2 to 22.3 print no loop as unrolled unasked, in six independent repositories, those of "
        "17.1 to 18.1 do in four; 20.2: 0 of 9 loops of up to 12 trips; the Programming Guide of 18.1 says that simple "
        "loops may be unrolled without a pragma, that of 21.4 does not",
        families=("Arria 10", "Stratix 10", "Agilex"), since=(19, 0, 0),
    ),
    StructureRule(
        "coalesced loops", "work-items run a loop alone inside one of varying trips as one loop with it, so that it is "
        "not unrolled unasked", "unroll.py",
        "vendor reports 17.1 and 20.4: 13 loops of work-items that are coalesced unasked, in two repositories, one of "
        "them of 10 trips",
    ),
    StructureRule(
        "coalesced when asked", "loops that a loop_coalesce pragma merges are not unrolled unasked", "unroll.py",
        "Programming Guide, loop_coalesce; vendor reports 19.4: four loads of two trips on two boards",
    ),
    StructureRule(
        "invariant", "a load that every iteration of a loop makes of the same value is made once in front of it",
        "middle/invariant.py",
        "vendor reports 20.4: bounds p[i + 1] of loops share a unit with the p[i] in front, in three kernels",
    ),
    StructureRule(
        "channels stay rolled", "a loop with an operation on one channel is not unrolled, whatever a pragma asks",
        "unroll.py",
        "vendor reports 19.4: the loop keeps its line and an initiation interval",
    ),
    StructureRule("control built-in", "__burst_coalesced_load and its like decide the style", "hints.py",
                  "Best Practices Guide 3.6.3"),
    StructureRule("printf", "each printf stores its arguments through a unit that nobody wrote, non-aligned where a "
                  "record is no power of two long; before 17.0 every record takes 256 bits at least", "hints.py",
                  "vendor reports: 93 units, of 32, 64 or 256 bits; eight of 16.1, with two arguments or none, all "
                  "non-aligned of 256"),
    StructureRule("atomic", "reads and writes in one unit, one operation at a time; none on memories of separate "
                  "channels", "infer.py", "Best Practices Guide 3.6.1; vendor reports: 81 units"),
    StructureRule("constant", "__constant arguments are read through the cache they share, by units that are merged as "
                  "those of global memory; reports call them pipelined, and up to 16.x simple where the place is fixed",
                  "infer.py", "Best Practices Guide 8.3.1; vendor reports 16.1 and 17.1: 18 of 18 units pipelined, of "
                  "32 to 256 bits, in two repositories, 35 of 35 at fixed places simple (16.1), in two"),
    StructureRule("local", "on-chip memory has units without external traffic", "infer.py",
                  "Best Practices Guide 3.6.1"),
)  # fmt: skip
