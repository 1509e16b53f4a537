"""From a tree to kernel facts: types, loops, index forms, accesses."""
