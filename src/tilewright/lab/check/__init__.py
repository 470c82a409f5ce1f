"""`tilewright check`: whether a kernel of anyone's file is right, what is wrong with it, and what to do."""
