-- Who has sent a goal, and its lease, are columns. Before, a UUID of version 8 said that a goal was an agent's
-- with a lease of 3 s. `done_when` is JSON text of what is measured. Rows that were damaged stay so.

ALTER TABLE goals ADD COLUMN sender TEXT NOT NULL DEFAULT 'agent';
ALTER TABLE goals ADD COLUMN lease_s REAL NOT NULL DEFAULT 0.0;
UPDATE goals SET
    sender = CASE substr(goal_id, 15, 1) WHEN '8' THEN 'agent' ELSE 'operator' END,
    lease_s = CASE substr(goal_id, 15, 1) WHEN '8' THEN 3.0 ELSE 0.0 END,
    done_when = CASE done_when WHEN 'good_picture' THEN '{"where": {"is_good": true}}' ELSE '' END,
    crc32 = checksum(
        'goals', entry, life, ros_s, robot_s, steady_s, system_s, goal_id, goal, priority, deadline_ros_s,
        preemptible, tool, arguments, approve_all,
        CASE done_when WHEN 'good_picture' THEN '{"where": {"is_good": true}}' ELSE '' END, received_ros_s,
        CASE substr(goal_id, 15, 1) WHEN '8' THEN 'agent' ELSE 'operator' END,
        CASE substr(goal_id, 15, 1) WHEN '8' THEN 3.0 ELSE 0.0 END)
WHERE crc32 = checksum(
    'goals', entry, life, ros_s, robot_s, steady_s, system_s, goal_id, goal, priority, deadline_ros_s,
    preemptible, tool, arguments, approve_all, done_when, received_ros_s);
