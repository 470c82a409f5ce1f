"""The banks of shared memory: how many passes an access needs."""
