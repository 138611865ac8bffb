"""What a translation must keep."""
