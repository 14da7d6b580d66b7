"""The log above the prompt, at the end of the prompt."""

from __future__ import annotations

import asyncio
import io

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.layout import FormattedTextControl, Layout, Window

from bt_executive.console.scrolling_log_above_prompt import LogFile, Screen


def test_a_line_as_the_prompt_ends_is_printed_and_the_view_not_drawn_again() -> None:
    terminal = io.StringIO()
    screen = Screen(terminal, lambda: Size(5, 40))
    log = LogFile(screen)

    async def run() -> None:
        with create_pipe_input() as keys:
            view = Layout(Window(FormattedTextControl('the view')))
            app: Application[None] = Application(
                view, input=keys, output=screen, erase_when_done=True
            )
            loop = asyncio.get_running_loop()

            def end_while_a_line_waits() -> None:
                log.begin(app, loop)
                log._text = 'the last line\n'
                app.exit()
                log._scroll()

            def begin() -> None:
                loop.call_soon(end_while_a_line_waits)

            await app.run_async(pre_run=begin)
            log._scroll()
            drawn = terminal.getvalue()
            log.end()
            assert 'the last line' not in drawn
            assert terminal.getvalue()[len(drawn) :] == 'the last line\n'

    asyncio.run(run())
