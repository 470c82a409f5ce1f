"""Runs a file's kernel on the emulator with observers, and interprets their findings."""
