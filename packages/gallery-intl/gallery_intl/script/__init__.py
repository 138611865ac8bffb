"""A gallery script: its blocks, its comments, its program, and words put back."""
