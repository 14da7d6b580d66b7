CREATE TABLE nodes (
  nid INTEGER PRIMARY KEY,
  node_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, level INTEGER NOT NULL, name TEXT NOT NULL,
  caption TEXT NOT NULL, summary TEXT NOT NULL, label TEXT NOT NULL, attributes TEXT NOT NULL,
  x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL, -- m in frame_id
  frame_id TEXT NOT NULL, map_epoch INTEGER NOT NULL,
  covariance TEXT NOT NULL, -- JSON, 3x3 in m²
  radius_m REAL NOT NULL, first_seen REAL NOT NULL, last_seen REAL NOT NULL, -- ROS time in s
  retracted_at REAL NOT NULL DEFAULT 0,
  state TEXT NOT NULL, reason TEXT NOT NULL, source TEXT NOT NULL, writer TEXT NOT NULL,
  image_hash TEXT NOT NULL, image_path TEXT NOT NULL, box2d TEXT NOT NULL, box3d TEXT NOT NULL,
  parent TEXT NOT NULL, parent_level INTEGER NOT NULL, count INTEGER NOT NULL,
  sx INTEGER NOT NULL, sy INTEGER NOT NULL, sz INTEGER NOT NULL, -- mm
  terms TEXT NOT NULL, summary_by TEXT NOT NULL, dirty INTEGER NOT NULL,
  revision INTEGER NOT NULL
);
CREATE INDEX nodes_by_parent ON nodes (parent);
CREATE INDEX nodes_by_name ON nodes (name, level);
CREATE INDEX nodes_by_revision ON nodes (revision);
CREATE INDEX nodes_by_x ON nodes (level, x, y); -- neighbours and items: 15 times as fast as by R*Tree
CREATE TABLE vectors (nid INTEGER PRIMARY KEY, vector BLOB NOT NULL); -- float32
CREATE VIRTUAL TABLE places USING rtree (nid, min_x, max_x, min_y, max_y, min_z, max_z);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE words_known USING fts5vocab (words, row);
CREATE TABLE sightings (
  number INTEGER PRIMARY KEY, observation_id TEXT NOT NULL, node_id TEXT NOT NULL,
  stamp REAL NOT NULL, x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL, frame_id TEXT NOT NULL,
  map_epoch INTEGER NOT NULL, covariance TEXT NOT NULL, source TEXT NOT NULL,
  writer TEXT NOT NULL, image_hash TEXT NOT NULL, caption TEXT NOT NULL
);
CREATE UNIQUE INDEX sightings_by_id ON sightings (observation_id) WHERE observation_id <> '';
CREATE INDEX sightings_by_node ON sightings (node_id, number);
CREATE TABLE deleted (revision INTEGER NOT NULL, node_id TEXT NOT NULL);
CREATE TABLE counters (name TEXT PRIMARY KEY, number INTEGER NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
