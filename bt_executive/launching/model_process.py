"""The process `model`: a language model of llama.cpp, for `planner.provider: llamacpp`.

Serves OpenAI's protocol at planner.base_url, on this machine only. It is no ROS node.
"""

from __future__ import annotations

import os
import sys
import threading

from rover_common.errors import BtExecutiveError
from rover_common.llm.gguf_model_server import NICENESS, address_of, local_model, serve
from rover_common.process.process_end import (
    UNUSABLE,
    Shutdown,
    handle_ending_signals,
    watch_lifeline,
)
from rover_common.process.standard_streams import accept_every_text
from rover_common.ros.run_node import parse_options
from rover_common.text_sanitizing import printable


def main() -> None:
    """Loads the model, and serves it until a signal or the end of the supervisor.

    Exit codes: 0 asked to end, 2 unusable options, weights or port.
    """
    accept_every_text()
    ending, ended = Shutdown(), threading.Event()
    ending.then(ended.set)
    try:
        settings = parse_options(sys.argv[1:]).config.executive.planner
        handle_ending_signals(ending.request)
        watch_lifeline(ending.request)
        model = local_model(settings)
        print(f'Loads {model.sentence}')
        os.nice(NICENESS)
        server = serve(model, address_of(settings))
    except BtExecutiveError as error:
        print(printable(str(error)), file=sys.stderr)
        sys.exit(UNUSABLE)
    print('Ready')
    ended.wait()
    del server


if __name__ == '__main__':
    main()
