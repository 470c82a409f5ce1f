"""Races: two accesses of one byte that nothing orders."""
