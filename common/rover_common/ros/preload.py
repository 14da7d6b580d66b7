"""What each process of ours does before its node exists, and does once for all that are forked."""

from __future__ import annotations

import inspect
import re
import sys

import rclpy

from rover_common.config.key_comments import comment
from rover_common.config.load import load_config
from rover_common.ros.type_support import leave_out_code_generator

NO_FILE = '<no file>'  # with a known name it would not examine the others
INTERFACES = re.compile(r'\w+\.(msg|srv|action)')


def preload() -> None:
    """Reads the shipped configuration, and loads the C code of all interfaces imported so far.

    The first message to a log asks `inspect` for the file of every module, which takes as long as
    all else that a node does at its start.
    """
    leave_out_code_generator()
    for section in type(load_config()).model_fields:
        comment((section,))
    inspect.getmodule(sys._getframe(), NO_FILE)
    rclpy.get_rmw_implementation_identifier()
    modules = [module for name, module in sys.modules.items() if INTERFACES.fullmatch(name)]
    for interface in [each for module in modules for each in vars(module).values()]:
        load_c_code = getattr(type(interface), '__import_type_support__', None)
        if load_c_code is not None:
            load_c_code()
