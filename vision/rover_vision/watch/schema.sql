-- One row once somebody has set the watch; without it the configuration holds.
CREATE TABLE global_settings (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    desktop_watch_enabled INTEGER NOT NULL,
    desktop_watch_interval_seconds INTEGER NOT NULL,
    desktop_watch_target_client_id TEXT
);
CREATE TABLE watch_condition (id INTEGER PRIMARY KEY CHECK (id = 1), tell_when TEXT NOT NULL);
