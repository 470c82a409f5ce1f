"""What a kernel is: its roles, its sizes and its launch, found by trying."""
