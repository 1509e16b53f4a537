"""How the address of an access moves from one request to the next, and what that makes a memory fetch.

Requests are taken in the order in which the hardware issues them (`order`), addresses and conditions are evaluated
there (`sampler`), and `steps`, `guards` and `words` find what moves along each loop and work-item dimension, how often
an access runs, and how many memory words it takes. `walk` puts it together.
"""
