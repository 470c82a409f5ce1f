"""What an instruction does to 32 lanes at once, and to one lane where it must go lane by lane."""
