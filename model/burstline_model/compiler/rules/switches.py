"""Rules that stand in the code and not in a table's function: each is a row that can be switched off by itself."""

from burstline_model.compiler.rules.rule import Switch
from burstline_model.compiler.switches import (
    ACROSS_CONDITIONS,
    ANY_ARM,
    CHOSEN_STORE,
    IN_HELPERS,
    ITEMS_IN_ORDER,
    SHARED_STREAMS,
)

SWITCHES = (
    Switch(
        ACROSS_CONDITIONS, "neighbours in one body share a unit, loads and stores, whatever conditions they are under: "
        "conditions without a loop become enable bits", "groups.py",
        "vendor reports 20.4: pairs under different conditions, 17 places",
        since=(17, 0, 0), document="Best Practices Guide 4.9",
    ),
    Switch(
        ANY_ARM, "stores to one place of which a round runs only one, those behind an arm that returns as well, are "
        "one store on the line of the first; c ? p[i] : p[j] is one load", "forward.py",
        "vendor reports 17.1 (2 of 2 loads) and 20.4 (10 of 13 stores)",
        since=(17, 0, 0), document="Best Practices Guide 4.9",
    ),
    Switch(
        SHARED_STREAMS, "an a[id] that steps by one element with the work-item shares a unit with a[id + c], as other "
        "neighbours do", "groups.py", "vendor reports 20.4: 0 of 9 in five kernels", since=(17, 0, 0),
    ),
    Switch(
        ITEMS_IN_ORDER, "a store of an NDRange kernel waits for what a later iteration of its loop may touch, as in a "
        "single work-item", "rules/stores.py", "vendor reports 17.0: one loop compiled both ways, plain in an NDRange",
        since=(17, 0, 0), until=(18, 1, 99),
    ),
    Switch(
        IN_HELPERS, "loads in nested loops get a cache in helper functions as well as in the kernel's own body",
        "rules/caches.py", "vendor reports 17.1: 0 of 9", since=(17, 0, 0), until=(17, 1, 99),
    ),
    Switch(
        CHOSEN_STORE, "a store replaces one to the same place in front of it that has one condition less: either value "
        "is stored once", "forward.py", "vendor reports 16.1: 5 stores of one kernel in four builds",
    ),
)  # fmt: skip
