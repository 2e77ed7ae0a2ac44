-- +goose Up
-- body is the canonical text of an entry, which hash covers; the other columns
-- are for searching. Times are milliseconds since 1970.
CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  who      TEXT NOT NULL,
  verb     TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  project  TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name     TEXT NOT NULL,
  words    TEXT NOT NULL,
  bytes    INTEGER NOT NULL,
  hash     TEXT NOT NULL,
  body     BLOB NOT NULL
);
CREATE INDEX audit_of_somebody ON audit (who, sequence);
CREATE INDEX audit_of_an_object ON audit (namespace, name, sequence);

-- The end of the chain: who adds to it waits here for who does so now.
CREATE TABLE audit_end (
  id       INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL,
  hash     TEXT NOT NULL
);
INSERT INTO audit_end (id, sequence, hash) VALUES (1, 0, '');

-- +goose Down
DROP TABLE audit_end;
DROP TABLE audit;
