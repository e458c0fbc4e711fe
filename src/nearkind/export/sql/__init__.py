"""SQL: tables of values and training rows, and views that embed and classify.

``literals`` quotes, ``dialects`` says in what databases differ, ``tables`` fills what
is stored and ``views`` reads it; ``file`` puts them together.
"""
