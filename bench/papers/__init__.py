"""The five papers item by item: what they print, what comes out here, and how far apart the two are."""
