-- +goose Up
-- What is known of commits, and how far each has come on the applications that
-- it changes. repo is a digest of the repository's address. Times are
-- milliseconds since 1970, 0 where something has not happened. changed is when
-- the first application took the commit up; 0: it changes none. version grows
-- with each change of its steps: who has read them need not read them again.
CREATE TABLE commits (
  repo     TEXT NOT NULL,
  revision TEXT NOT NULL,
  url      TEXT NOT NULL,
  author   TEXT NOT NULL,
  subject  TEXT NOT NULL,
  date     INTEGER NOT NULL,
  changed  INTEGER NOT NULL,
  seen     INTEGER NOT NULL,
  version  INTEGER NOT NULL,
  words    TEXT NOT NULL,
  PRIMARY KEY (repo, revision)
);
CREATE INDEX commits_by_change ON commits (changed, repo, revision);

CREATE TABLE steps (
  repo      TEXT NOT NULL,
  revision  TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name      TEXT NOT NULL,
  project   TEXT NOT NULL,
  cluster   TEXT NOT NULL,
  state     TEXT NOT NULL,
  stage     TEXT NOT NULL,
  sync      TEXT NOT NULL,
  began     INTEGER NOT NULL,
  fetched   INTEGER NOT NULL,
  rendered  INTEGER NOT NULL,
  planned   INTEGER NOT NULL,
  started   INTEGER NOT NULL,
  applied   INTEGER NOT NULL,
  healthy   INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  object    TEXT NOT NULL,
  message   TEXT NOT NULL,
  PRIMARY KEY (repo, revision, namespace, name)
);
CREATE INDEX steps_of_a_sync ON steps (sync);
CREATE INDEX steps_by_age ON steps (at);

-- +goose Down
DROP TABLE steps;
DROP TABLE commits;
