"""One file for each technique; the path is the id. A file has `ATTEMPT`, or `FAMILY` for close siblings.

Goes in: a scene. Comes out: what to do inside, what may be seen outside, and the twin that must work. To add one, copy the nearest.
"""
