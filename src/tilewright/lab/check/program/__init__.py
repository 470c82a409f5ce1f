"""The file's own host program: its `main` is read step by step, and its launches run on the emulator."""
