"""Decodes recorded lines into the values that the executive received. Refuses unknown fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from bt_executive.core.executive_ports import (
    Answer,
    Notice,
    PlannerFailure,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.core.inputs import Input
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.store_port import StoreCode, StoreFault
from bt_executive.core.stored_names import INPUTS, fields_in_code
from bt_executive.store.run_folder_formats import InboxEntry
from bt_executive.tree.resume_from_checkpoints import RunBegins
from rover_common.errors import RecordingError
from rover_common.llm.model_usage import ModelUse
from rover_common.permit import Heartbeat, Permit
from rover_common.reason import Reason

OUTPUTS: Mapping[str, type] = {each.__name__: each for each in (Proposal, Answer, PlannerFailure)}
_OTHERS: tuple[type, ...] = (
    *(Notice, ModelUse, ToolResult, Heartbeat, RunBegins),
    RequestedActs,
)
_ADAPTERS: Mapping[type, TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (*INPUTS.values(), *OUTPUTS.values(), *_OTHERS)
}
Value = TypeVar('Value')


def is_event(entry: InboxEntry) -> bool:
    """Return whether a line is an input."""
    return entry.event in INPUTS


def event_of(entry: InboxEntry) -> Input:
    """Decode an input."""
    event: Input = _make(INPUTS[entry.event], entry.fields, entry)
    return event


def output_of(entry: InboxEntry) -> PlannerOutput:
    """Decode an output of the planner."""
    fields = dict(entry.fields)
    kind = OUTPUTS.get(str(fields.pop('kind', '')))
    if kind is None:
        raise RecordingError(f'a planner gives no {entry.fields.get("kind")!r}')
    output: PlannerOutput = _make(kind, fields, entry)
    return output


def notice_of(entry: InboxEntry) -> Notice:
    """Decode a notice of the planner."""
    return _make(Notice, entry.fields, entry)


def use_of(entry: InboxEntry) -> ModelUse:
    """Decode the usage of the model."""
    return _make(ModelUse, entry.fields, entry)


def result_of(entry: InboxEntry) -> ToolResult:
    """Decode the result of a query of the ROS graph."""
    return _make(ToolResult, entry.fields.get('result', {}), entry)


def requested_acts_of(entry: InboxEntry) -> RequestedActs:
    """Decode the acts that the text of a goal asks for."""
    return _make(RequestedActs, entry.fields, entry)


def fault_of(entry: InboxEntry) -> StoreFault | None:
    """Decode a fault of the store; None: it has passed."""
    fields = entry.fields
    return Reason(StoreCode[fields['code']], str(fields['sentence'])) if fields else None


def beginning_of(entry: InboxEntry) -> RunBegins:
    """Decode the state at the begin of a run."""
    return _make(RunBegins, entry.fields, entry)


def heartbeat_of(entry: InboxEntry, permit: Permit) -> Heartbeat:
    """Decode the heartbeat that carried a permit."""
    fields = {key: entry.fields.get(key) for key in ('sender', 'sequence', 'sent_at')}
    return _make(Heartbeat, {**fields, 'permit': permit}, entry)


def _make(kind: type[Value], fields: Mapping[str, Any], entry: InboxEntry) -> Value:
    fields = fields_in_code(kind, fields)
    try:
        value: Value = _ADAPTERS[kind].validate_python(fields)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = '.'.join(str(part) for part in fault['loc'])
        raise RecordingError(f'{entry.event}: {where!r}: {fault["msg"]}') from None
    unknown = _unknown_in(fields, _ADAPTERS[kind].dump_python(value))
    if unknown:
        raise RecordingError(f'{entry.event}: this version of bt_executive knows no {unknown!r}')
    return value


def _unknown_in(given: Any, read: Any) -> str:
    """Return a field that was not read, as that of a later version, with its path; empty: none."""
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        for name, each in given.items():
            if name not in read:
                return str(name)[:80]
            if found := _unknown_in(each, read[name]):
                return f'{name}.{found}'
    if isinstance(given, (list, tuple)) and isinstance(read, (list, tuple)):
        return next(filter(None, map(_unknown_in, given, read)), '')
    return ''
