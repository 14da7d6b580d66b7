"""What each process of ours does before its node exists, and does once for all that are forked."""

from __future__ import annotations

import re
import sys

import rclpy
import rclpy.logging

from rover_common.config.comments import comment
from rover_common.config.load import load_config

INTERFACES = re.compile(r'\w+\.(msg|srv|action)')


def preload() -> None:
    """Reads the shipped configuration, and loads the C code of all interfaces imported so far.

    The first message to a log asks for the file of every module, which takes as long as a node.
    """
    for section in type(load_config()).model_fields:
        comment((section,))
    rclpy.logging.get_logger('preload').debug('')
    rclpy.get_rmw_implementation_identifier()
    modules = [module for name, module in sys.modules.items() if INTERFACES.fullmatch(name)]
    for interface in [each for module in modules for each in vars(module).values()]:
        load_c_code = getattr(type(interface), '__import_type_support__', None)
        if load_c_code is not None:
            load_c_code()
