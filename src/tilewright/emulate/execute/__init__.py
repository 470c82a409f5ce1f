"""What a warp does: it reads rows, and loads, computes, branches, waits and stores."""
