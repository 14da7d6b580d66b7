"""Plug-ins: installed code for what a robot's file cannot say. See `plugin_interfaces.py`."""
