"""Letters: which end markup, how wide they are, where lines and sentences end."""
