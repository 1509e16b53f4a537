"""The models of Burstline: facts of a kernel in, load/store units and times out.

A separate library: it knows no text, no syntax tree and no editor. `facts` is the contract with
whoever reads kernels, `compiler` decides which units the vendor's compiler builds, `memory` holds the
equations, `estimate` runs the two over a launch on a board.
"""
