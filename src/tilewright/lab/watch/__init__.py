"""Plays a trace in a page: one file that needs no network and no framework."""
