-- The first schema. One table for each record of bt_executive/core/journal_records.py: its fields,
-- and before them where and when it was written. `entry` counts over all tables, in order.
-- Times in seconds: ROS time, the robot's time, steady time of the machine, time of day (Unix).
-- Nested values are JSON text. `crc32` guards the row, see bt_executive/journal/rows.py.

CREATE TABLE lives (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, run_id TEXT NOT NULL, run_dir TEXT NOT NULL, pid INTEGER NOT NULL,
    boot_id TEXT NOT NULL, version TEXT NOT NULL, fresh INTEGER NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE life_ends (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, how TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE goals (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, goal TEXT NOT NULL, priority INTEGER NOT NULL, deadline_ros_s REAL,
    preemptible INTEGER NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL,
    approve_all INTEGER NOT NULL, done_when TEXT NOT NULL, received_ros_s REAL NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE goal_moves (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, status TEXT NOT NULL, position INTEGER NOT NULL,
    resources TEXT NOT NULL, reason TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE goal_ends (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, outcome TEXT NOT NULL, answer TEXT NOT NULL, summary TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE budgets (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, steps INTEGER NOT NULL, refusals INTEGER NOT NULL,
    distance_m REAL NOT NULL, energy_pct REAL NOT NULL, elapsed_s REAL NOT NULL,
    tool TEXT NOT NULL, first_score REAL, last_score REAL, last_is_good INTEGER,
    model TEXT NOT NULL, monitor TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE proposals (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, call_id TEXT NOT NULL, attempt INTEGER NOT NULL,
    proposed_by TEXT NOT NULL, proposal_id TEXT NOT NULL, tool TEXT NOT NULL,
    arguments TEXT NOT NULL, thought TEXT NOT NULL, edited INTEGER NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE verdicts (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, call_id TEXT NOT NULL, tool TEXT NOT NULL, allowed INTEGER NOT NULL,
    guard TEXT NOT NULL, reason TEXT NOT NULL, readings TEXT NOT NULL, allowed_now TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE round_ends (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, call_id TEXT NOT NULL, ok INTEGER NOT NULL,
    error_reason TEXT NOT NULL, error_code TEXT NOT NULL, data TEXT NOT NULL,
    units TEXT NOT NULL, decision TEXT NOT NULL, decision_reason TEXT NOT NULL,
    counted INTEGER NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE approvals (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, request_id TEXT NOT NULL, call_id TEXT NOT NULL, tool TEXT NOT NULL,
    arguments TEXT NOT NULL, amounts_to TEXT NOT NULL, reason TEXT NOT NULL, risk TEXT NOT NULL,
    expiry_s REAL NOT NULL, facts TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE approval_changes (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, request_id TEXT NOT NULL, standing TEXT NOT NULL,
    arguments TEXT NOT NULL, action TEXT NOT NULL, word TEXT NOT NULL, source TEXT NOT NULL,
    why TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE calls (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, session_id TEXT NOT NULL, call_id TEXT NOT NULL, label TEXT NOT NULL,
    skill TEXT NOT NULL, endpoint TEXT, arguments TEXT NOT NULL, action_id TEXT NOT NULL,
    idempotent INTEGER NOT NULL, cancellable INTEGER NOT NULL, quiet INTEGER NOT NULL,
    timeout_s REAL NOT NULL, pose TEXT,
    crc32 INTEGER NOT NULL
);

CREATE TABLE call_changes (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, session_id TEXT NOT NULL, happened TEXT NOT NULL,
    state TEXT NOT NULL, fields TEXT, reason TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE leases (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, call_id TEXT NOT NULL, resources TEXT NOT NULL, held INTEGER NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE permits (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, motion TEXT NOT NULL, number INTEGER NOT NULL, given INTEGER NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE modes (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, mode TEXT NOT NULL, reason TEXT NOT NULL, safety_reason TEXT NOT NULL,
    battery_state TEXT NOT NULL, interrupt TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE messages (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, speaker TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,
    data TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE TABLE trace_references (
    entry INTEGER PRIMARY KEY, life INTEGER NOT NULL,
    ros_s REAL NOT NULL, robot_s REAL NOT NULL, steady_s REAL NOT NULL, system_s REAL NOT NULL,
    goal_id TEXT NOT NULL, event_id TEXT NOT NULL,
    crc32 INTEGER NOT NULL
);

CREATE INDEX goals_of ON goals (goal_id);
CREATE INDEX goal_moves_of ON goal_moves (goal_id);
CREATE INDEX goal_ends_of ON goal_ends (goal_id);
CREATE INDEX budgets_of ON budgets (goal_id);
CREATE INDEX proposals_of ON proposals (goal_id);
CREATE INDEX verdicts_of ON verdicts (goal_id);
CREATE INDEX round_ends_of ON round_ends (goal_id);
CREATE INDEX approvals_of ON approvals (goal_id);
CREATE INDEX approval_changes_of ON approval_changes (goal_id);
CREATE INDEX calls_of ON calls (goal_id);
CREATE INDEX call_changes_of ON call_changes (goal_id);
CREATE INDEX leases_of ON leases (goal_id);
CREATE INDEX permits_of ON permits (goal_id);
CREATE INDEX modes_of ON modes (goal_id);
CREATE INDEX messages_of ON messages (goal_id);
CREATE INDEX trace_references_of ON trace_references (goal_id);
CREATE INDEX call_changes_by_session ON call_changes (session_id);
CREATE INDEX approval_changes_by_request ON approval_changes (request_id);
