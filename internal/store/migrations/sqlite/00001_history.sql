-- +goose Up
-- Times are milliseconds since 1970. bytes is the size of body.
CREATE TABLE syncs (
  id        TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  cause     TEXT NOT NULL,
  phase     TEXT NOT NULL,
  started   INTEGER NOT NULL,
  rendering TEXT NOT NULL,
  bytes     INTEGER NOT NULL,
  body      BLOB NOT NULL
);
CREATE INDEX syncs_of_an_application ON syncs (namespace, name, started);
CREATE INDEX syncs_by_age ON syncs (started);
CREATE INDEX syncs_of_a_rendering ON syncs (rendering);

CREATE TABLE renderings (
  address TEXT PRIMARY KEY,
  added   INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  body    BLOB NOT NULL
);

CREATE TABLE health (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  sync  TEXT NOT NULL,
  at    INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  body  BLOB NOT NULL
);
CREATE INDEX health_after_a_sync ON health (sync, at);

-- +goose Down
DROP TABLE health;
DROP TABLE renderings;
DROP TABLE syncs;
