"""Plug-ins: installed code for what a robot's file cannot express. See `plugin_interfaces.py`."""
