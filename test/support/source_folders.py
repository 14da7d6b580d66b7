"""The folders of the project's Python packages."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    'bt_executive': ROOT / 'bt_executive',
    'rover_common': ROOT / 'common' / 'rover_common',
    'gates': ROOT / 'adapter' / 'gates',
    'curiosity_adapter': ROOT / 'adapter' / 'curiosity_adapter',
    'curiosity_navigation': ROOT / 'adapter' / 'curiosity_navigation',
    'curiosity_sim': ROOT / 'sim' / 'curiosity_sim',
    'curiosity_viz': ROOT / 'viz' / 'curiosity_viz',
    'embodied_nav': ROOT / 'memory' / 'embodied_nav',
    'rover_vision': ROOT / 'vision' / 'rover_vision',
}
PARTS = {**PACKAGES, 'bench': ROOT / 'bench', 'launch': ROOT / 'launch'}
