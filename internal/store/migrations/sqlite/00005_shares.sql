-- +goose Up
-- On whose share of the room an entry counts. Empty where that was not noted,
-- and for what vouches for entries that are gone: neither goes for its share.
ALTER TABLE audit ADD COLUMN account TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE audit DROP COLUMN account;
