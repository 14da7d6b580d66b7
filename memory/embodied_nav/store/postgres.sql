CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS embodied_nav;
SET search_path = embodied_nav, public;
CREATE TABLE IF NOT EXISTS nodes (
  nid BIGSERIAL PRIMARY KEY,
  node_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, level INTEGER NOT NULL, name TEXT NOT NULL,
  caption TEXT NOT NULL, summary TEXT NOT NULL, label TEXT NOT NULL, attributes TEXT NOT NULL,
  x DOUBLE PRECISION NOT NULL, y DOUBLE PRECISION NOT NULL, z DOUBLE PRECISION NOT NULL,
  frame_id TEXT NOT NULL, map_epoch BIGINT NOT NULL, covariance TEXT NOT NULL,
  radius_m DOUBLE PRECISION NOT NULL,
  first_seen DOUBLE PRECISION NOT NULL, last_seen DOUBLE PRECISION NOT NULL,
  retracted_at DOUBLE PRECISION NOT NULL DEFAULT 0,
  state TEXT NOT NULL, reason TEXT NOT NULL, source TEXT NOT NULL, writer TEXT NOT NULL,
  image_hash TEXT NOT NULL, image_path TEXT NOT NULL, box2d TEXT NOT NULL, box3d TEXT NOT NULL,
  parent TEXT NOT NULL, parent_level INTEGER NOT NULL, count BIGINT NOT NULL,
  sx BIGINT NOT NULL, sy BIGINT NOT NULL, sz BIGINT NOT NULL,
  terms TEXT NOT NULL, summary_by TEXT NOT NULL, dirty BIGINT NOT NULL,
  words TEXT[] NOT NULL, embedding vector
);
DO $$ BEGIN
  -- A database of an earlier version. With IF NOT EXISTS, ALTER would wait for every reader.
  IF NOT EXISTS (SELECT FROM information_schema.columns WHERE table_schema = 'embodied_nav'
                 AND table_name = 'nodes' AND column_name = 'retracted_at') THEN
    ALTER TABLE nodes ADD COLUMN retracted_at DOUBLE PRECISION NOT NULL DEFAULT 0;
  END IF;
END $$;
CREATE INDEX IF NOT EXISTS nodes_by_parent ON nodes (parent);
CREATE INDEX IF NOT EXISTS nodes_by_name ON nodes (name, level);
CREATE INDEX IF NOT EXISTS nodes_by_place ON nodes USING gist (point(x, y));
CREATE INDEX IF NOT EXISTS nodes_by_words ON nodes USING gin (words);
CREATE TABLE IF NOT EXISTS sightings (
  number BIGSERIAL PRIMARY KEY, observation_id TEXT NOT NULL, node_id TEXT NOT NULL,
  stamp DOUBLE PRECISION NOT NULL, x DOUBLE PRECISION NOT NULL, y DOUBLE PRECISION NOT NULL,
  z DOUBLE PRECISION NOT NULL, frame_id TEXT NOT NULL, map_epoch BIGINT NOT NULL,
  covariance TEXT NOT NULL, source TEXT NOT NULL, writer TEXT NOT NULL, image_hash TEXT NOT NULL,
  caption TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS sightings_by_id ON sightings (observation_id)
  WHERE observation_id <> '';
CREATE INDEX IF NOT EXISTS sightings_by_node ON sightings (node_id, number);
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, number BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
