"""Make pages light: what a page does not use, it does not load."""
