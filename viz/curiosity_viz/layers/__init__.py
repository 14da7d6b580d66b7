"""One module for each layer of the picture: a part of the scene in, its markers out.

`NAMES` are the layer's namespaces in RViz.
"""
