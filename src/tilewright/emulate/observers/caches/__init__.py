"""The caches of a GPU as a model: which accesses of a launch reach L2."""
