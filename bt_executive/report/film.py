"""A run as a short film, a GIF: map, picture, mode and decisions, drawn by Pillow."""

from __future__ import annotations

import base64
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import io
import math
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageEnhance, ImageFont

from bt_executive.core.value_formatting import format_value
from bt_executive.report.read_and_join_run_folders import join, read_recording
from bt_executive.report.report_page_data import page_data
from bt_executive.report.run_facts import duration
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.page_data_fields_and_json import Light, PageData, PagePicture
from bt_executive.view.steps_of_a_goal import ToolStep
from bt_executive.view.world_map_data import MapScale, Point
from rover_common.call_text import format_call
from rover_common.errors import RecordingError

MARGIN_M, SMALLEST_M = 1.5, 8.0
STRIPS = 48  # of the light, from left to right
DARK, LIT = (203, 185, 171), (255, 223, 122)
ROVER_M = (1.3, 0.9)  # half its length and width
SCORES = ('#2a2350', '#54306d', '#8c3f6b', '#f08a52', '#f8b548', '#ffe45c')
Box = tuple[int, int, int, int]


class MapDrawing:
    """Draws the map, with the same scale in all frames. `box`: left, top, right, bottom in px."""

    def __init__(self, data: PageData, box: Box) -> None:
        self._data = data
        self._box = box
        poses = data.poses
        path = [*zip(poses.x, poses.y, strict=True)] or [(0.0, 0.0)]
        self._at = MapScale(path, data.world.zones, box, MARGIN_M, SMALLEST_M)

    def draw(self, draw: ImageDraw.ImageDraw, ts: float, font: Any) -> None:
        """Draw the map at a time."""
        draw.rectangle(self._box, DARK)
        if self._data.world.light is not None:
            self._light(draw, self._data.world.light)
        for zone in self._data.world.zones:
            draw.polygon([self._at(point) for point in zone.points], outline='#b3261e', width=2)
        index = bisect_right(self._data.poses.ts, ts)
        poses = self._data.poses
        path = [self._at(point) for point in zip(poses.x[:index], poses.y[:index], strict=True)]
        if len(path) > 1:
            draw.line(path, '#2460a7', 3, joint='curve')
        self._captures(draw, ts, font)
        if index:
            self._rover(draw, (poses.x[index - 1], poses.y[index - 1]), poses.yaw[index - 1])
        draw.rectangle(self._box, outline='#dfe1e6')

    def _light(self, draw: ImageDraw.ImageDraw, light: Light) -> None:
        left, top, right, bottom = self._box
        if light.spots:
            for spot in light.spots:
                x, y = self._at((spot.x, spot.y))
                radius = spot.sigma * self._at.per_m
                for part in (1.0, 0.6):
                    r = radius * part
                    draw.ellipse(
                        (x - r, y - r, x + r, y + r), _mix_colour(spot.peak * (1.3 - part / 2))
                    )
            return
        width = (right - left) / STRIPS
        for strip in range(STRIPS):
            begin = left + strip * width
            x = self._at.centre[0] + (begin + width / 2 - (left + right) / 2) / self._at.per_m
            score = (x - light.x_min) / (light.x_good - light.x_min)
            draw.rectangle((begin, top, begin + width, bottom), _mix_colour(score))

    def _captures(self, draw: ImageDraw.ImageDraw, ts: float, font: Any) -> None:
        poses = self._data.poses
        for number, picture in enumerate(self._data.pictures, 1):
            index = bisect_right(poses.ts, picture.stamp) - 1
            if picture.ts > ts or index < 0:
                continue
            x, y = self._at((poses.x[index], poses.y[index]))
            y -= 26 + 18 * (number % 2)
            level = round(min(max(picture.score, 0.0), 1.0) * (len(SCORES) - 1))
            draw.ellipse((x - 9, y - 9, x + 9, y + 9), SCORES[level], '#1b2129')
            ink = '#ffffff' if level < 3 else '#1b2129'
            draw.text((x, y), str(number), ink, font, anchor='mm')

    def _rover(self, draw: ImageDraw.ImageDraw, at: Point, yaw: float) -> None:
        length, width = ROVER_M
        cos, sin = math.cos(yaw), math.sin(yaw)
        corners = (
            (-length, -width),
            (length, -width),
            (length + 0.6, 0),
            (length, width),
            (-length, width),
        )
        shape = [
            self._at((at[0] + x * cos - y * sin, at[1] + x * sin + y * cos)) for x, y in corners
        ]
        draw.polygon(shape, '#f4f1ea', '#1b2129', 2)


def _mix_colour(score: float) -> tuple[int, int, int]:
    share = min(max(score, 0.0), 1.0)
    red, green, blue = (
        round(dark + (lit - dark) * share) for dark, lit in zip(DARK, LIT, strict=True)
    )
    return red, green, blue


SIZE = (880, 544)
MAP_BOX, PICTURE_BOX = (16, 56, 432, 380), (448, 56, 864, 380)
FRAMES, FRAME_MS, LAST_MS = 60, 90, 2500
REFUSAL_MS, REFUSALS = 2200, 2  # duration of the first refusals, and their number
COLOURS, OF_PALETTE = 192, 8  # of a film; frames at even distances whose colours they are
PAPER, SHEET, INK, QUIET = '#f6f4f1', '#ffffff', '#1b2129', '#5a6472'
MODES = {'EXEC': '#2460a7', 'SAFE': '#b3261e', 'CHARGE': '#855600'}
REFUSED, ALLOWED, EARLY = '#b3261e', '#1b7a4b', '#855600'
DECISION_BOX = (16, 408, 864, 498)
OUTCOMES = dict.fromkeys(('reached', 'answered'), ALLOWED)
OUTCOMES |= dict.fromkeys(('claimed', 'gave_up', 'interrupted'), EARLY)
FONTS = ('NotoSansCJK-Regular.ttc', 'NotoSansJP-Regular.otf', 'DejaVuSans.ttf')
FILM_FILE = 'film.gif'
MAX_LINE_CHARS = 300  # of which as many are drawn as there is room for
GAP = 16  # px, between two texts in a line, and at the edge


def write_film(
    runs: Sequence[Path], output: Path | None = None, in_progress: bool = False
) -> Path:
    """Writes one film of one or more run folders; returns its path; see `write_report`.

    Raises:
        RecordingError: The folder cannot be read as a run, or the film cannot be written.
    """
    path = output or runs[-1] / FILM_FILE
    data = page_data(join([read_recording(run) for run in runs]), in_progress)
    with _write_errors(path):
        path.open('ab').close()  # before the film is drawn, which takes long
    frames = [*film(data)]
    palette = _palette(
        [each for each, _ in frames], [each for each, ms in frames if ms > FRAME_MS]
    )
    first, *others = (
        each.quantize(palette=palette, dither=Image.Dither.NONE) for each, _ in frames
    )
    with _write_errors(path):
        first.save(
            path,
            'GIF',
            save_all=True,
            append_images=others,
            duration=[ms for _, ms in frames],
            loop=0,
            optimize=True,
        )
    return path


def _palette(frames: Sequence[Image.Image], longer: Sequence[Image.Image]) -> Image.Image:
    """Return the colours of a whole film, in a twentieth of the time that each frame's would take.

    `longer`: frames that stand longer than others, which all count.
    """
    seen = [*frames[:: len(frames) // OF_PALETTE + 1], *longer]
    width, height = SIZE[0] // 2, SIZE[1] // 2
    sheet = Image.new('RGB', (width, height * len(seen)))
    for number, each in enumerate(seen):
        sheet.paste(each.resize((width, height), Image.Resampling.NEAREST), (0, height * number))
    return sheet.quantize(COLOURS, dither=Image.Dither.NONE)


def film(data: PageData, frames: int = FRAMES) -> Iterator[tuple[Image.Image, int]]:
    """Yield the frames with their duration in ms: equidistant times, and refusals."""
    drawing = _Frame(data)
    start, ended = span_of(data)
    length, last = ended - start, max(frames - 1, 1)
    moments = {start + length * number / last: FRAME_MS for number in range(frames)}
    refused = sorted({step.asked for step in _steps(data) if _is_refused(step)} - {ended})
    moments |= dict.fromkeys(refused, FRAME_MS) | dict.fromkeys(refused[:REFUSALS], REFUSAL_MS)
    moments[ended] = LAST_MS
    for ts, ms in sorted(moments.items()):
        yield drawing.at(ts), ms


def span_of(data: PageData) -> tuple[float, float]:
    """Return begin and end of the film in ROS s: of the first and of the last goal."""
    stories = [goal.story for goal in data.goals]
    if not stories or data.run.made_at is not None:
        return min([data.ended, *(each.began for each in stories)]), data.ended
    return min(each.began for each in stories), max(each.ended for each in stories)


@contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RecordingError(
            f'{path} cannot be written ({error.strerror}): name another file with -o FILE.'
        ) from None


class _Frame:
    def __init__(self, data: PageData) -> None:
        self._data = data
        self._span = span_of(data)
        self._map = MapDrawing(data, MAP_BOX)
        self._pictures = [_open_picture(each) for each in data.pictures]
        self._small, self._large = _font(14), _font(19)
        self._steps = _steps(data)

    def at(self, ts: float) -> Image.Image:
        """Draw the frame at a time."""
        frame = Image.new('RGB', SIZE, PAPER)
        draw = ImageDraw.Draw(frame)
        self._draw_header(draw, ts)
        self._map.draw(draw, ts, self._small)
        self._picture(frame, draw, ts)
        self._draw_decision(draw, ts)
        self._draw_footer(draw, ts)
        return frame

    def _draw_header(self, draw: ImageDraw.ImageDraw, ts: float) -> None:
        if (made_at := self._data.run.made_at) is not None:
            made = f'made during the run, at {made_at - self._data.began:.0f} s'
            draw.text((16, 38), made, EARLY, self._small)
        goal = goal_at([goal.story for goal in self._data.goals], ts)
        if goal is None:
            return
        over = goal.over and ts >= goal.ended
        outcome = goal.outcome.replace('_', ' ') if over else 'under way'
        colour = OUTCOMES.get(goal.outcome, '#b3261e') if over else MODES['EXEC']
        room = SIZE[0] - 3 * GAP - self._large.getlength(outcome)
        draw.text((GAP, 16), _fit(goal.text, self._large, room), INK, self._large)
        draw.text((SIZE[0] - GAP, 18), outcome, colour, self._large, anchor='ra')

    def _picture(self, frame: Image.Image, draw: ImageDraw.ImageDraw, ts: float) -> None:
        draw.rectangle(PICTURE_BOX, '#0b0c0e')
        number = bisect_right(self._data.pictures, ts, key=lambda each: each.ts) - 1
        shown = self._pictures[number] if number >= 0 else None
        if shown is None:
            return
        left, top, right, bottom = PICTURE_BOX
        frame.paste(shown, (left + (right - left - shown.width) // 2, top))
        picture = self._data.pictures[number]
        lifted = f' · lifted ×{picture.lift:g} for display' if picture.lift > 1.0 else ''
        words = picture.words or f'score {picture.score:.2f}{lifted}'
        draw.text((left, bottom + 6), _fit(words, self._small, right - left), QUIET, self._small)

    def _draw_decision(self, draw: ImageDraw.ImageDraw, ts: float) -> None:
        """Draw the latest proposal with its verdict."""
        step = next((each for each in reversed(self._steps) if each.asked <= ts), None)
        if step is None:
            return
        left, top, right, bottom = DECISION_BOX
        verdict, colour = describe_decision(step, ts)
        draw.rectangle((left, top, right, bottom), SHEET, '#dfe1e6')
        draw.rectangle((left, top, left + 6, bottom), colour)
        call = format_call(step.tool, step.arguments)
        source = (
            'The model proposes' if step.by == 'planner' else f'{step.by or "Somebody"} asks for'
        )
        if step.proposed is not None:
            source = 'The operator changed it to'
        room = right - left - 18 - GAP
        proposal = _fit(f'{source} {call}', self._large, room)
        draw.text((left + 18, top + 8), proposal, INK, self._large)
        draw.text((left + 18, top + 36), _fit(verdict, self._large, room), colour, self._large)
        if _is_refused(step):
            why = _fit(_why(step), self._small, room)
            draw.text((left + 18, top + 65), why, QUIET, self._small)

    def _draw_footer(self, draw: ImageDraw.ImageDraw, ts: float) -> None:
        event = bisect_right(self._data.events, ts, key=lambda each: each[0]) - 1
        mode = bisect_right(self._data.stages, ts, key=lambda each: each[0]) - 1
        name = self._data.stages[mode][1] if mode >= 0 else ''
        latest = self._data.events[event] if event >= 0 else None
        at = f'{ts - self._data.began:6.1f} s'
        draw.text((16, 504), at, INK, self._small)
        draw.text((100, 504), name, MODES.get(name, QUIET), self._small)
        if latest is not None:
            text = _fit(f'{latest[1]}  {latest[3]}', self._small, SIZE[0] - 160 - GAP)
            draw.text((160, 504), text, QUIET, self._small)
        left, right = 16, SIZE[0] - 16
        start, ended = self._span
        share = min(max((ts - start) / max(ended - start, 1e-6), 0.0), 1.0)
        draw.rectangle((left, 530, right, 535), '#dfe1e6')
        draw.rectangle((left, 530, left + (right - left) * share, 535), '#b4511f')


def goal_at(goals: Sequence[GoalStory], ts: float) -> GoalStory | None:
    """Return the goal at a time, as `goalAt` of the page's model."""
    begun = [goal for goal in goals if goal.began <= ts]
    last: GoalStory | None = None
    for goal in begun:
        if last is None or (goal.ended >= last.ended and not _ended_with(goal, last)):
            last = goal
    return next((goal for goal in reversed(begun) if not goal.over or goal.ended >= ts), last)


def _ended_with(goal: GoalStory, last: GoalStory) -> bool:
    """Return whether a goal ended in the queue by what had ended another one."""
    return goal.began == goal.ended and goal.answer == last.answer


def describe_decision(step: ToolStep, ts: float) -> tuple[str, str]:
    """Return what had been decided of a proposal at a time, or its result, and its colour."""
    if _is_refused(step):
        return f'Refused by guard {step.guard}: {step.reason}', REFUSED
    if step.ended is not None and step.ended <= ts:
        return step.result, EARLY if step.early else REFUSED if step.ok is False else ALLOWED
    if step.approval is not None and (step.began is None or ts < step.began):
        return 'Allowed by every guard, if the operator approves it', EARLY
    return ('Allowed by every guard', ALLOWED) if step.verdict == 'allowed' else ('', QUIET)


def _steps(data: PageData) -> list[ToolStep]:
    """Return the requested tools in the order of time."""
    steps = (step for goal in data.goals for step in goal.story.steps)
    return sorted(steps, key=lambda step: step.asked)


def _is_refused(step: ToolStep) -> bool:
    return step.verdict == 'refused'


def _why(step: ToolStep) -> str:
    """Describe the reading of the guard, its age, and the applied rule."""
    values, age_s = step.why.get('values') or {}, step.why.get('age_s')
    read = ', '.join(f'{name} = {format_value(value)}' for name, value in values.items())
    old = f' ({duration(age_s)} old)' if isinstance(age_s, float) else ''
    rules = ', '.join(step.why.get('rule') or ())
    return ' · '.join(
        text for text in (read and f'Reading: {read}{old}', rules and f'Rule: {rules}') if text
    )


def _open_picture(picture: PagePicture) -> Image.Image | None:
    """Return the picture as displayed, scaled to its box."""
    if not picture.src:
        return None
    with Image.open(io.BytesIO(base64.b64decode(picture.src.partition(',')[2]))) as image:
        shown = image.convert('RGB')
    shown.thumbnail((PICTURE_BOX[2] - PICTURE_BOX[0], PICTURE_BOX[3] - PICTURE_BOX[1]))
    return ImageEnhance.Brightness(shown).enhance(picture.lift)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the first installed font of `FONTS`, or Pillow's own."""
    for name in FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def _fit(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, room: float) -> str:
    """Return as much of a text as is not wider than `room`, in px: characters differ in width."""
    line = ' '.join(text.split())[:MAX_LINE_CHARS]
    if font.getlength(line) <= room:
        return line
    fitting = bisect_right(
        range(len(line)), room, key=lambda kept: font.getlength(f'{line[:kept]}…')
    )
    return f'{line[: max(fitting - 1, 0)]}…'
