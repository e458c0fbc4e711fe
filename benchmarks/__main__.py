"""``make bench``: every benchmark, one after another."""

from benchmarks import encoding, engine

for benchmark in (encoding, engine):
    benchmark.main()
