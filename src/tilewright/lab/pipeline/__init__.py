"""What a kernel with mbarriers and bulk copies did: copies, barriers and multiplications in the order they happened."""
