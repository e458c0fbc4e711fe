"""``make bench``: every benchmark, one after another."""

from benchmarks import encoding

for benchmark in (encoding,):
    benchmark.main()
