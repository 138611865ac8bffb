r"""
Title
=====

Words.
"""

# A comment.
x = 1

# %%
# A program with a backslash.

# language=Python
(folder / "odd.py").write_text("""\
print("\n")
""", encoding="utf-8")

# %%
# Two programs.

# language=Python
(folder / "one.py").write_text("""\
one()
""", encoding="utf-8")

# %%
# .. diff:: one.py three.py
#
#    Why
#       There is no such file.
#
# .. diff:: one.py two.py
#
#    Why
#       Because.
#
#    And
#       Another reason.

# language=Python
(folder / "two.py").write_text("""\
two()
""", encoding="utf-8")

# %%
# Text.
#
# .. alt-text:: Of no figure.

y = 2
