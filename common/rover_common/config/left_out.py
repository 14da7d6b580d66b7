"""Fills in the keys that folders of earlier versions leave out, as the shipped folder has them.

Such a folder means what was built in when it was written. That stands in the shipped folder now,
and is read from there: no part of a robot is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Raw: TypeAlias = dict[str, Any]  # the content of a file
OF_PARTS = ('parts', 'preconditions', 'moving_resources')
MODELS = ('embedding', 'model')  # of the memory


def fill_in(raw: Mapping[str, Raw], shipped: Callable[[str], Raw]) -> None:
    """Complete the contents of the files, by their names.

    Args:
        raw: Of the folder; changed in place.
        shipped: Returns the content of a file of the shipped folder.
    """
    _fill_in_skills(raw['skills'], lambda: shipped('skills'))
    _fill_in_executive(raw['executive'], lambda: shipped('executive'))


def _fill_in_skills(skills: Raw, shipped: Callable[[], Raw]) -> None:
    """A folder that names no part and no condition of its own has those that were built in."""
    resources = skills.get('resources')
    if skills.keys() & set(OF_PARTS):
        for key, value in (('parts', {}), ('preconditions', {}), ('moving_resources', resources)):
            skills.setdefault(key, value if value is not None else [])
    else:
        known = resources if isinstance(resources, list) else []
        skills |= {key: shipped()[key] for key in OF_PARTS}
        skills['moving_resources'] = [each for each in skills['moving_resources'] if each in known]
    tools = skills.get('skills')
    if isinstance(tools, dict) and not any(map(_is_called, tools.values())):
        for name, known in shipped()['skills'].items():
            _fill_in_tool(tools.get(name), known)


def _is_called(tool: Any) -> bool:
    """Whether a tool says how people call it; it was built in by the tool's name."""
    motion = tool.get('motion') if isinstance(tool, dict) else None
    return isinstance(tool, dict) and (
        'command' in tool or (isinstance(motion, dict) and 'by_hand' in motion)
    )


def _fill_in_tool(tool: Any, shipped: Raw) -> None:
    if not isinstance(tool, dict):
        return
    if 'command' in shipped:
        tool['command'] = shipped['command']
    if isinstance(tool.get('motion'), dict) and (word := shipped.get('motion', {}).get('by_hand')):
        tool['motion']['by_hand'] = word


def _fill_in_executive(executive: Raw, shipped: Callable[[], Raw]) -> None:
    if 'journal' not in executive:  # none was kept, so nothing can depend on it
        executive['journal'] = shipped()['journal'] | {'on_fault': 'memory_only'}
    if 'memory' not in executive:
        known = shipped()['memory']
        executive['memory'] = {key: known[key] for key in known.keys() - set(MODELS)}
    memory = executive['memory']
    if isinstance(memory, dict) and (missing := set(MODELS) - memory.keys()):  # it asked none
        offline = shipped()['memory']['model'] | {'provider': 'offline'}
        memory |= {model: dict(offline) for model in missing}
    battery = executive.get('battery')
    if isinstance(battery, dict) and 'before_rest' not in battery:
        battery['before_rest'] = _before_rest(executive.get('guards'), shipped())


def _before_rest(guards: Any, shipped: Raw) -> str:
    """The tool that makes the same condition true as the shipped one does."""
    resolvers = guards.get('resolve_by') if isinstance(guards, dict) else None
    known = resolvers if isinstance(resolvers, dict) else {}
    tool = shipped['battery']['before_rest']
    conditions = [name for name, each in shipped['guards']['resolve_by'].items() if each == tool]
    return next((known[each] for each in conditions if each in known), '')
