package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Step takes how far commits have come on an application, where no sync tells
// so: they fail before one, or wait for somebody.
func (s *Store) Step(step history.Step) {
	if len(step.Commits) > 0 {
		step.Message = bounded(step.Message) // what waits takes no more than what is kept
		s.put(item{step: &step, bytes: step.Weight()})
	}
}

// writeStep writes commits, and how far they have come.
func (s *Store) writeStep(ctx context.Context, t *transaction, step *history.Step) error {
	s.stats.grown.Add(step.Weight()) // with all its commits
	done := map[string]bool{}
	for i := range step.Commits {
		c := &step.Commits[i]
		if !c.IsCommit() || done[c.RepoURL+c.Revision] {
			continue
		}
		done[c.RepoURL+c.Revision] = true
		if err := s.writeCommit(ctx, t, c, step); err != nil {
			return err
		}
		if err := writeStepOf(ctx, t, history.RepoID(c.RepoURL), c.Revision, step); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) writeCommit(ctx context.Context, t *transaction, c *history.Commit, step *history.Step) error {
	words := strings.ToLower(strings.Join([]string{c.Subject, c.Author, c.Revision, c.RepoURL}, "\n"))
	return t.exec(ctx, `INSERT INTO commits (repo, revision, url, author, subject, date, changed, seen, version, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
		ON CONFLICT (repo, revision) DO UPDATE SET version = commits.version + 1, changed = CASE WHEN commits.changed = 0 THEN excluded.changed ELSE commits.changed END, seen = excluded.seen`,
		history.RepoID(c.RepoURL), c.Revision, c.RepoURL, c.Author, c.Subject, c.Date.UnixMilli(), step.At.UnixMilli(), s.options.Now().UnixMilli(), words)
}

// kept is what is known of a step.
type keptStep struct {
	state, sync                                string
	began, fetched, rendered, planned, started int64
}

func writeStepOf(ctx context.Context, t *transaction, repo, revision string, step *history.Step) error {
	var k keptStep
	err := t.read(ctx, []any{&k.state, &k.sync, &k.began, &k.fetched, &k.rendered, &k.planned, &k.started},
		`SELECT state, sync, began, fetched, rendered, planned, started FROM steps WHERE repo = ? AND revision = ? AND namespace = ? AND name = ?`,
		repo, revision, step.App.Namespace, step.App.Name)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("cannot read how far a commit has come: %w", err)
	}
	if err == nil && k.stays(step) {
		return nil
	}
	p := history.Passes{Began: step.Passes.Began, Fetched: step.Passes.Fetched, Rendered: step.Passes.Rendered, Planned: step.Passes.Planned}
	times := [4]int64{milli(p.Began), milli(p.Fetched), milli(p.Rendered), milli(p.Planned)}
	if k.planned > 0 {
		times = [4]int64{k.began, k.fetched, k.rendered, k.planned} // when it was planned first counts
	}
	object := ""
	if step.Object != nil {
		text, err := json.Marshal(step.Object)
		if err != nil {
			return fmt.Errorf("cannot encode: %w", err)
		}
		object = string(text)
	}
	return t.exec(ctx, `INSERT INTO steps (repo, revision, namespace, name, project, cluster, state, stage, sync, began, fetched, rendered, planned, started, applied, healthy, at, object, message)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (repo, revision, namespace, name) DO UPDATE SET project = excluded.project, cluster = excluded.cluster, state = excluded.state, stage = excluded.stage,
			sync = excluded.sync, began = excluded.began, fetched = excluded.fetched, rendered = excluded.rendered, planned = excluded.planned, started = excluded.started,
			applied = excluded.applied, healthy = excluded.healthy, at = excluded.at, object = excluded.object, message = excluded.message`,
		repo, revision, step.App.Namespace, step.App.Name, step.Project, step.Cluster, string(step.State), string(step.Stage), step.Sync,
		times[0], times[1], times[2], times[3], milli(step.Started), milli(step.Applied), milli(step.Healthy), step.At.UnixMilli(), object, bounded(step.Message))
}

// stays reports whether what is known of a commit on an application is not to be
// replaced: once it was healthy, what comes later is not the commit's; a sync
// tells more than a look without one; and the latest sync counts.
func (k *keptStep) stays(step *history.Step) bool {
	switch {
	case k.state == string(history.StepHealthy):
		return k.sync != step.Sync || step.State != history.StepHealthy
	case step.Sync == "":
		return k.sync != ""
	}
	return k.sync != step.Sync && k.started > milli(step.Started)
}

// writeTurn takes what health did after a sync was over: a commit that was
// applied is healthy now, or has broken something.
func writeTurn(ctx context.Context, t *transaction, sync string, changes []history.Change) error {
	var whole, worst *history.Change
	for i := range changes {
		switch c := &changes[i]; {
		case c.Kind == "":
			whole = c
		case c.To == gitops.Degraded:
			worst = c
		}
	}
	if whole == nil {
		return nil
	}
	if whole.To == gitops.Healthy || whole.To == gitops.Degraded {
		err := t.exec(ctx, `UPDATE commits SET version = version + 1 WHERE EXISTS (SELECT 1 FROM steps s WHERE s.sync = ? AND s.repo = commits.repo AND s.revision = commits.revision)`, sync)
		if err != nil {
			return err
		}
	}
	switch whole.To {
	case gitops.Healthy:
		return t.exec(ctx, `UPDATE steps SET state = 'healthy', stage = '', healthy = ?, at = ?, object = '', message = ''
			WHERE sync = ? AND (state = 'applied' OR (state = 'failed' AND stage = 'healthy' AND applied > 0))`, milli(whole.At), milli(whole.At), sync)
	case gitops.Degraded:
		object, message := "", whole.Message
		if worst != nil {
			key := gitops.Key{Group: worst.Group, Kind: worst.Kind, Namespace: worst.Namespace, Name: worst.Name}
			text, err := json.Marshal(key)
			if err != nil {
				return fmt.Errorf("cannot encode: %w", err)
			}
			object, message = string(text), worst.Message
		}
		return t.exec(ctx, `UPDATE steps SET state = 'failed', stage = 'healthy', at = ?, object = ?, message = ? WHERE sync = ? AND state = 'applied'`,
			milli(whole.At), object, bounded(message), sync)
	default:
		return nil
	}
}

func milli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func bounded(text string) string {
	if len(text) <= history.MostMessage {
		return text
	}
	return strings.ToValidUTF8(text[:history.MostMessage], "") + " …"
}
