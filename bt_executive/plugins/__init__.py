"""Plug-ins: installed code for what a robot's file cannot say. Their port is `ports.py`."""
