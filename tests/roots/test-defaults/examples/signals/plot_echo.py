"""
An echo
=======

The same thing again & again.
"""

import json

print(json.dumps("again"))
