"""Products of matrices that are larger than a memory: tiles of C stay, panels of A and B stream."""
