"""What the demo's model proposes, on a bench: the same proposals, refusals and distances."""

from __future__ import annotations

from pathlib import Path

from recorded_run import RecordedExecutive, RecordedFolder
from tree_bench import make_bench, propose

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import BatteryReceived, PoseReceived
from bt_executive.store.run_configuration_and_metadata import RunMetadata

PROPOSED = (
    *('capture_and_score', 'mast_rotate', 'capture_and_score', 'move_nudge', 'mast_close'),
    *('move_nudge', 'capture_and_score', 'mast_open', 'capture_and_score', 'mast_close'),
    *('move_nudge', 'mast_open', 'capture_and_score'),
)
SPEED_M_S = 0.486
STEP_S = 0.1
MASTS = {
    '/adapter/mast_open': {'mast_is_open': True, 'mast': 'open'},
    '/adapter/mast_close': {'mast_is_open': False, 'mast': 'closed'},
}
BOUND = 600


def record_demo(folder: Path) -> Path:
    """Records it into `folder`."""
    it = make_bench(*map(propose, PROPOSED), Answer('The picture is good.'))
    config, token = it.context.config, it.context.approvals.run_token
    run = RecordedFolder(folder, RunMetadata('demo', config, (), {'bt_executive': '0.0.0'}), token)
    executive = RecordedExecutive(it, run)
    scores, x, answered = iter((0.0, 0.0, 0.48, 0.97)), 0.0, 0
    it.goal('look')
    for _ in range(BOUND):
        x += SPEED_M_S * STEP_S * bool(it.robot.heartbeat.permit.motion)
        it.status(moving=bool(it.robot.heartbeat.permit.motion))
        it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0, stamp=it.now))
        it.inbox.put(BatteryReceived(it.now, 90.0))
        it.tick(after=STEP_S)
        for _, name in it.robot.sent[answered:]:
            it.facts |= MASTS.get(name, {})
            picture = {'ok': True, 'score': next(scores)} if name == '/capture_and_score' else {}
            it.robot.answer(name, **{'success': True, **picture})
        answered = len(it.robot.sent)
        if it.reporter.endings:
            break
    assert it.reporter.endings, it.robot.names
    executive.shut_down()
    run.close(60.0)
    return folder
