"""One file per finding shown to the user, each with its code, its reason and an example."""
