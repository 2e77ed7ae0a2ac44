-- +goose Up
-- Whose a sync is: projects share the room that there is. Empty where that was
-- not noted; then it is the application's own.
ALTER TABLE syncs ADD COLUMN project TEXT NOT NULL DEFAULT '';
UPDATE syncs SET project = COALESCE((SELECT MAX(project) FROM steps WHERE steps.sync = syncs.id), '');

-- +goose Down
ALTER TABLE syncs DROP COLUMN project;
