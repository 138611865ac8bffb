"""Catalogs: read, write, merge and count ``.po`` files."""
