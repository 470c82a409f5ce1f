"""`tilewright check`: whether a kernel of a user's file is right, what is wrong with it, and what to do."""
