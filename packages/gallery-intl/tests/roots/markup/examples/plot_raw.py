r"""
Raw text
========

A formula :math:`\alpha` and a table in the docstring:

======  ===========
Sign    Its name
======  ===========
``\``   backslash
a       letter "a"
======  ===========

"""
x = 1
