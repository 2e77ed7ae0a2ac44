package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
)

// How the writer works: a batch is what came within batchTime, and a failed
// one is tried again after pauses that double; after triesOfBatch it is lost.
const (
	batchItems   = 512
	batchTime    = 200 * time.Millisecond
	firstPause   = time.Second
	longestPause = 30 * time.Second
	triesOfBatch = 20
	closingTime  = 3 * time.Second
	pruneEvery   = 10 * time.Minute
)

// Run writes what is queued until ctx ends, and what is left then.
func (s *Store) Run(ctx context.Context) error {
	var notes sync.WaitGroup
	notes.Go(func() { s.writeNotes(ctx) })
	defer notes.Wait()
	s.tidy(ctx)
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.last(ctx)
			return nil
		case <-tick.C:
			s.tidy(ctx)
		case first := <-s.queue:
			s.persist(ctx, s.gather(ctx, first))
			if s.full() {
				s.tidy(ctx)
			}
		}
	}
}

// last writes what is left when the engine stops.
func (s *Store) last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.CloseWithin)
	defer cancel()
	for {
		select {
		case first := <-s.queue:
			batch := s.gather(ctx, first)
			if err := s.write(ctx, batch); err != nil {
				s.told(err)
			}
			s.line.advance(len(batch))
			s.done(batch)
		default:
			return
		}
	}
}

func (s *Store) gather(ctx context.Context, first item) []item {
	batch := []item{first}
	timer := time.NewTimer(batchTime)
	defer timer.Stop()
	for len(batch) < batchItems {
		select {
		case i := <-s.queue:
			batch = append(batch, i)
			continue
		default:
		}
		if s.line.askers.Load() > 0 {
			return batch
		}
		select {
		case i := <-s.queue:
			batch = append(batch, i)
		case <-s.line.asked:
		case <-timer.C:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// persist writes a batch, however long that takes, within bounds.
func (s *Store) persist(ctx context.Context, batch []item) {
	defer s.done(batch)
	pause := firstPause
	for try := range triesOfBatch {
		err := s.write(ctx, batch)
		if try == 0 {
			s.line.advance(len(batch)) // nobody waits for a database that is away
		}
		if ctx.Err() != nil && err != nil {
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.CloseWithin)
			defer cancel()
			err = s.write(bounded, batch)
			s.told(err)
			return
		}
		s.told(err)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
	s.stats.lost.Add(int64(len(batch)))
	s.kept.clear()
}

// done counts a batch out, whatever became of it.
func (s *Store) done(batch []item) {
	for i := range batch {
		s.waiting.Add(-batch[i].bytes)
	}
}

// told notes how a write went, and logs when that changes.
func (s *Store) told(err error) {
	if err == nil {
		if !s.stats.up.Swap(true) {
			s.options.Log.Info("the history is written", "store", s.Where())
		}
		return
	}
	s.stats.errors.Add(1)
	if s.stats.up.Swap(false) || s.stats.errors.Load() == 1 {
		s.options.Log.Error("the history cannot be written; syncs go on without it", "store", s.Where(), "error", err)
	}
}

// write puts a batch into the database in one transaction. What the database refuses
// for itself is lost, and holds up none of the others.
func (s *Store) write(ctx context.Context, batch []item) error {
	err := s.writeAll(ctx, batch, s.writeItem)
	if !refused(err) {
		return err
	}
	return s.writeAll(ctx, batch, s.writeApart)
}

// writeAll writes each item of a batch, and is done with those that are written.
func (s *Store) writeAll(ctx context.Context, batch []item, each func(ctx context.Context, t *transaction, batch []item, i int) error) error {
	db, err := s.writing(ctx)
	if err != nil {
		return err
	}
	t, err := begin(ctx, db, s.place)
	if err != nil {
		return err
	}
	var lost []int
	for i := range batch {
		switch err := each(ctx, t, batch, i); {
		case errors.Is(err, errLost):
			lost = append(lost, i)
		case err != nil:
			return errors.Join(err, t.tx.Rollback())
		}
	}
	if err := t.tx.Commit(); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	if len(lost) > 0 {
		s.stats.lost.Add(int64(len(lost)))
		s.kept.clear()
	}
	s.stats.written.Add(int64(len(batch) - len(lost)))
	for i := range batch {
		if batch[i].alone && !slices.Contains(lost, i) {
			s.written.add(batch[i].sync.ID)
		}
	}
	return nil
}

func (s *Store) writeItem(ctx context.Context, t *transaction, batch []item, i int) error {
	switch b := &batch[i]; {
	case b.sync != nil && !later(batch[i+1:], b.sync.ID):
		return s.writeSync(ctx, t, b)
	case b.step != nil:
		return s.writeStep(ctx, t, b.step)
	case b.rendering != nil:
		s.stats.grown.Add(int64(len(b.rendering.body)))
		return t.exec(ctx, `INSERT INTO renderings (address, added, bytes, body) VALUES (?, ?, ?, ?) ON CONFLICT (address) DO NOTHING`,
			b.rendering.address, s.options.Now().UnixMilli(), len(b.rendering.body), b.rendering.body)
	case b.health != nil:
		body, err := s.sealer.pack(b.health.changes)
		if err != nil {
			return err
		}
		s.stats.grown.Add(int64(len(body)))
		err = t.exec(ctx, `INSERT INTO health (sync, at, bytes, body) VALUES (?, ?, ?, ?)`, b.health.sync, b.health.at.UnixMilli(), len(body), body)
		return errors.Join(err, writeTurn(ctx, t, b.health.sync, b.health.changes))
	}
	return nil
}

// later reports whether the same sync is written again in this batch.
func later(rest []item, id string) bool {
	return slices.ContainsFunc(rest, func(i item) bool { return i.sync != nil && i.sync.ID == id })
}

func (s *Store) writeSync(ctx context.Context, t *transaction, i *item) error {
	sync, before := i.sync, (*history.Sync)(nil)
	if !s.written.has(sync.ID) {
		var err error
		if before, err = s.earlier(ctx, t, sync.ID); err != nil {
			return err
		}
	}
	i.alone = before == nil
	if before != nil {
		sync = sync.After(before)
	}
	body, err := s.sealer.pack(syncBody{sync, sync.Origin, sync.Request})
	if err != nil {
		return err
	}
	s.stats.grown.Add(int64(len(body)))
	err = t.exec(ctx, `INSERT INTO syncs (id, namespace, name, project, cause, phase, started, rendering, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET cause = excluded.cause, phase = excluded.phase, rendering = excluded.rendering, bytes = excluded.bytes, body = excluded.body`,
		sync.ID, sync.App.Namespace, sync.App.Name, sync.Project, string(sync.Cause), sync.Phase, sync.Started.UnixMilli(), sync.Rendering, len(body), body)
	if step := history.StepOf(sync, s.options.Now()); err == nil && step != nil {
		return s.writeStep(ctx, t, step)
	}
	return err
}

// syncBody is a sync as it is kept.
type syncBody struct {
	*history.Sync

	Origin  *history.Origin `json:"origin,omitempty"`
	Request string          `json:"request,omitempty"`
}

func (s *Store) readSync(body []byte) (*history.Sync, error) {
	out := syncBody{Sync: &history.Sync{}}
	err := s.sealer.unpack(body, &out)
	out.Sync.Origin, out.Sync.Request = out.Origin, out.Request
	return out.Sync, err
}

// earlier is what is kept of a sync; nil where that is nothing, or cannot be read.
func (s *Store) earlier(ctx context.Context, t *transaction, id string) (*history.Sync, error) {
	var body []byte
	err := t.scan(ctx, &body, `SELECT body FROM syncs WHERE id = ?`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what is known of the sync: %w", err)
	}
	before, err := s.readSync(body)
	if err != nil {
		return nil, nil //nolint:nilerr // it is written anew
	}
	return before, nil
}
