"""A launch: its memory, its workers and their order, its faults and what it printed."""
