"""Rules that the code implements outside the tables: each is a row that can be disabled on its own."""

from burstline_model.compiler.lsu_rules.rule import Switch
from burstline_model.compiler.rule_names import (
    ACROSS_CONDITIONS,
    ACROSS_CONDITIONS_EARLY,
    ANY_ARM,
    ANY_ARM_EARLY,
    BARE_HELPERS,
    CHOSEN_STORE,
    ITEMS_INTERLEAVE,
    LAST_STORES,
    PAIRED_LOADS,
    STREAMS_APART,
    WHOLE_BLOCKS,
)

SWITCHES = (
    Switch(
        ACROSS_CONDITIONS, "neighbours in one body share a unit, loads and stores, whatever conditions they are under: "
        "conditions without a loop become enable bits; compilers from 16.0 to 19.4 keep them apart", "groups.py",
        "vendor reports 20.4: pairs under different conditions, 17 places; 0 of 1 in those of 19.4, none in those of "
        "16.1 of two repositories",
        since=(20, 0, 0), document="Best Practices Guide 4.9",
    ),
    Switch(
        ACROSS_CONDITIONS_EARLY, "the same", "groups.py", "times of Spector's histograms, 14.1",
        until=(15, 9, 99), document="Best Practices Guide 4.9",
    ),
    Switch(
        ANY_ARM, "stores to one place of which a round runs only one, those behind an arm that returns as well, are "
        "one store on the line of the first; c ? p[i] : p[j] is one load", "forward.py",
        "vendor reports 17.1 (2 of 2 loads) and 20.4 (10 of 13 stores)",
        since=(17, 0, 0), document="Best Practices Guide 4.9",
    ),
    Switch(
        ANY_ARM_EARLY, "the same; compilers of 16.x join the ends of arms alone", "forward.py",
        "vendor reports 14.1: six stores of three builds of a kernel; 16.1: 0 of 16 in two repositories",
        until=(15, 9, 99), document="Best Practices Guide 4.9",
    ),
    Switch(
        LAST_STORES, "what two arms store last are one store of a chosen value at a chosen address, on the line of the "
        "first, if both are of one type, wherever they store", "forward.py",
        "vendor reports 16.1: seven pairs of two kernels; clang 14 makes one of them",
        since=(16, 0, 0), until=(16, 9, 9),
    ),
    Switch(
        PAIRED_LOADS, "the loads of one type that two arms of a condition make are paired in order, wherever they "
        "are from: a pair is one load at a chosen address, on the line of the first, sharing its unit with no other",
        "forward.py", "vendor reports 16.1: 17 pairs of three kernels, none against; 20.4: two kernels agree",
        since=(16, 0, 0), until=(16, 9, 9),
    ),
    Switch(
        STREAMS_APART, "an a[id] that steps by one element with the work-item and an a[id + c] have a unit each, "
        "though they are neighbours; bounds of one loop share theirs", "groups.py",
        "vendor reports 20.4: nine pairs in five kernels",
        families=("Arria 10",), since=(20, 0, 0),
        document="compiler reports of SYCL designs, oneAPI 20.3",
    ),
    Switch(
        ITEMS_INTERLEAVE, "a store of an NDRange kernel does not wait for what a later iteration of its loop may "
        "touch: work-items interleave their iterations", "lsu_rules/stores.py",
        "vendor reports 17.0: one loop compiled both ways, plain in an NDRange", since=(17, 0, 0), until=(18, 1, 99),
    ),
    Switch(
        BARE_HELPERS, "loads in nested loops of helper functions get no cache: their pointer may not be known to be "
        "restrict", "lsu_rules/caches.py", "vendor reports 17.1: 9 of 9", since=(17, 0, 0), until=(17, 1, 99),
    ),
    Switch(
        WHOLE_BLOCKS, "loads that share a unit are fetched with the whole aligned block of a power of two bytes around "
        "them, up to a memory word, where the source shows which one it is", "groups.py",
        "vendor reports 16.1: fields in the middle of structures of 32 and 64 bytes", until=(16, 9, 9),
    ),
    Switch(
        CHOSEN_STORE, "a store and one in front of it to the same place that has one condition less are one store of "
        "either value, on the line of the first", "forward.py",
        "vendor reports 16.1: 5 stores of one kernel in four builds, one of another in five",
    ),
)  # fmt: skip
