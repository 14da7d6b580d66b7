-- What was seen and said. Times in seconds: time of day (Unix), and ROS time of the picture or 0.
CREATE TABLE episodes (
    episode INTEGER PRIMARY KEY AUTOINCREMENT,
    system_s REAL NOT NULL, stamp_s REAL NOT NULL,
    origin TEXT NOT NULL,      -- chat, desktop_watch, goal, late: what the look was for
    looked_at TEXT NOT NULL,   -- camera, desktop
    client_id TEXT NOT NULL,   -- that took the picture
    asked_by TEXT NOT NULL,
    question TEXT NOT NULL, answer TEXT NOT NULL,
    measured TEXT NOT NULL, context TEXT NOT NULL,   -- JSON objects
    place TEXT NOT NULL,       -- where the rover stood and what it remembers there: a JSON object
    picture TEXT NOT NULL,     -- file in pictures/; empty: none, or not any more
    format TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, bytes INTEGER NOT NULL
);
CREATE INDEX episodes_with_pictures ON episodes (episode) WHERE picture <> '';

-- Trigrams: words of languages that are written without blanks are found, too.
CREATE VIRTUAL TABLE episode_words USING fts5 (
    question, answer, context, place, content = 'episodes', content_rowid = 'episode',
    tokenize = 'trigram'
);
CREATE TRIGGER episode_added AFTER INSERT ON episodes BEGIN
    INSERT INTO episode_words (rowid, question, answer, context, place)
    VALUES (new.episode, new.question, new.answer, new.context, new.place);
END;
CREATE TRIGGER episode_forgotten AFTER DELETE ON episodes BEGIN
    INSERT INTO episode_words (episode_words, rowid, question, answer, context, place)
    VALUES ('delete', old.episode, old.question, old.answer, old.context, old.place);
END;
