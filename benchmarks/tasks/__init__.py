"""Tasks over a distance, beside packages made for each."""
