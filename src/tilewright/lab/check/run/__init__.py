"""What a launch of the file does: run on the emulator, watched, and what was found in it."""
