"""The map of the film: light, zones, driven path, pictures and rover, drawn by Pillow."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
import math
from typing import Any

from PIL import ImageDraw

from bt_executive.view.page_data import Light, PageData

MARGIN_M, SMALLEST_M = 1.5, 8.0
NEAR_M = 6.0
STRIPS = 48  # of the light, from left to right
DARK, LIT = (203, 185, 171), (255, 223, 122)
ROVER_M = (1.3, 0.9)  # half its length and width
SCORES = ('#2a2350', '#54306d', '#8c3f6b', '#f08a52', '#f8b548', '#ffe45c')
Box = tuple[int, int, int, int]
Point = tuple[float, float]


class MapDrawing:
    """Draws the map, with the same scale in all frames. `box`: left, top, right, bottom in px."""

    def __init__(self, data: PageData, box: Box) -> None:
        self._data = data
        self._box = box
        self._fit()

    def _fit(self) -> None:
        poses = self._data.poses
        points = [*zip(poses.x, poses.y, strict=True)] or [(0.0, 0.0)]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        for zone in self._data.world.zones:
            near = [
                (x, y)
                for x, y in zone.points
                if min(xs) - NEAR_M < x < max(xs) + NEAR_M
                and min(ys) - NEAR_M < y < max(ys) + NEAR_M
            ]
            points += near
        xs, ys = [x for x, _ in points], [y for _, y in points]
        left, top, right, bottom = self._box
        self._per_m = min(
            (right - left) / max(max(xs) - min(xs) + 2 * MARGIN_M, SMALLEST_M),
            (bottom - top) / max(max(ys) - min(ys) + 2 * MARGIN_M, SMALLEST_M),
        )
        self._centre = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2

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
        self._frame(draw)

    def _at(self, point: Sequence[float]) -> Point:
        left, top, right, bottom = self._box
        return (
            (left + right) / 2 + (point[0] - self._centre[0]) * self._per_m,
            (top + bottom) / 2 - (point[1] - self._centre[1]) * self._per_m,
        )

    def _light(self, draw: ImageDraw.ImageDraw, light: Light) -> None:
        left, top, right, bottom = self._box
        if light.spots:
            for spot in light.spots:
                x, y = self._at((spot.x, spot.y))
                radius = spot.sigma * self._per_m
                for part in (1.0, 0.6):
                    r = radius * part
                    draw.ellipse(
                        (x - r, y - r, x + r, y + r), _mix_colour(spot.peak * (1.3 - part / 2))
                    )
            return
        width = (right - left) / STRIPS
        for strip in range(STRIPS):
            begin = left + strip * width
            x = self._centre[0] + (begin + width / 2 - (left + right) / 2) / self._per_m
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

    def _frame(self, draw: ImageDraw.ImageDraw) -> None:
        draw.rectangle(self._box, outline='#dfe1e6')


def _mix_colour(score: float) -> tuple[int, int, int]:
    share = min(max(score, 0.0), 1.0)
    red, green, blue = (
        round(dark + (lit - dark) * share) for dark, lit in zip(DARK, LIT, strict=True)
    )
    return red, green, blue
