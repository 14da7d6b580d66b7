"""Installs packages, and compiles ROS interface packages to wheels.

`make` runs most of this before anything is installed: those modules import the standard library,
and modules of this package that do so.
"""
