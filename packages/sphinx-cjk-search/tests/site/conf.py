project = "Ring"
extensions = ["sphinx_cjk_search"]
cjk_search_synonyms = "synonyms.csv"
cjk_search_queries = "queries.csv"
cjk_search_last = ["about"]
cjk_search_missing = "Rings of steel are not covered."
cjk_search_unbroken = {"ja": ["勾配"]}
html_theme = "alabaster"
