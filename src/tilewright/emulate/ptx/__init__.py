"""PTX text becomes rows of integers: parsed, checked as ptxas checks it, encoded."""
