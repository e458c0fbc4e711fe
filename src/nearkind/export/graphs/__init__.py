"""ONNX: a graph that embeds rows and, of a classifier, counts their votes.

``building`` makes nodes, ``inputs`` turns cells into codes, ``voting`` counts the votes
for one row; ``file`` puts them together. The onnx package is loaded when a graph is
built.
"""
