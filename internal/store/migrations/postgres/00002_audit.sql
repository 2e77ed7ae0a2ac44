-- +goose Up
-- body is the canonical text of an entry, which hash covers; the other columns
-- are for searching. Times are milliseconds since 1970.
CREATE TABLE audit (
  sequence BIGINT PRIMARY KEY,
  at       BIGINT NOT NULL,
  who      TEXT NOT NULL,
  verb     TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  project  TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name     TEXT NOT NULL,
  words    TEXT NOT NULL,
  bytes    BIGINT NOT NULL,
  hash     TEXT NOT NULL,
  body     BYTEA NOT NULL
);
CREATE INDEX audit_of_somebody ON audit (who, sequence);
CREATE INDEX audit_of_an_object ON audit (namespace, name, sequence);

-- The end of the chain: who adds to it waits here for who does so now.
CREATE TABLE audit_end (
  id       BIGINT PRIMARY KEY,
  sequence BIGINT NOT NULL,
  hash     TEXT NOT NULL
);
INSERT INTO audit_end (id, sequence, hash) VALUES (1, 0, '');

-- +goose Down
DROP TABLE audit_end;
DROP TABLE audit;
