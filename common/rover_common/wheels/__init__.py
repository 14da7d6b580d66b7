"""Installs packages, and compiles ROS interface packages to wheels.

`make` runs most of this before anything is installed: those modules import only each other and the
standard library.
"""
