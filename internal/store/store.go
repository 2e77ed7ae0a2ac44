package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Options are the parts of a Store.
type Options struct {
	// URL is the path of an SQLite file, or postgres://….
	URL    string
	Key    Key
	Limits Limits
	Log    *slog.Logger
	// Kept leaves a file alone that is no database: whoever looks into one does not begin it anew, as its engine does.
	Kept bool
	// Now is time.Now when nil.
	Now func() time.Time
	// FlushWithin is how long a question waits for what is queued. Default: 2 seconds.
	FlushWithin time.Duration
	// AnswerWithin is how long a question of somebody may take. Default: 10 seconds.
	AnswerWithin time.Duration
	// Whose tells who asks a question: people take turns, strangers among them. Empty,
	// or without it, the engine or a command does.
	Whose func(context.Context) string
	// CloseWithin is how long what is left may take when the engine stops. Default: 3 seconds.
	CloseWithin time.Duration
}

func (o Options) orDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.FlushWithin = cmp.Or(o.FlushWithin, flushTime)
	o.AnswerWithin = cmp.Or(o.AnswerWithin, answerTime)
	o.CloseWithin = cmp.Or(o.CloseWithin, closingTime)
	o.Limits = o.Limits.orDefaults()
	return o
}

// Limits bound what is kept; zero is the default.
type Limits struct {
	// Entries of one application: 50 syncs, and as many of healing alone.
	Entries int
	// Bytes of all bodies together: 1 GiB. Projects share them.
	Bytes int64
	// Age of a sync: 90 days. The last two good ones of an application stay.
	Age time.Duration
	// AuditBytes and AuditAge bound the audit: 1 GiB and a year.
	AuditBytes int64
	AuditAge   time.Duration
}

func (l Limits) orDefaults() Limits {
	if l.Entries <= 0 {
		l.Entries = 50
	}
	if l.Bytes <= 0 {
		l.Bytes = 1 << 30
	}
	if l.Age <= 0 {
		l.Age = 90 * 24 * time.Hour
	}
	if l.AuditBytes <= 0 {
		l.AuditBytes = 1 << 30
	}
	if l.AuditAge <= 0 {
		l.AuditAge = 365 * 24 * time.Hour
	}
	return l
}

// Store keeps the history in a database. Writes go through a queue: when the
// database is away or its disk is full they wait there, and when the queue is
// full they are lost. It is safe for concurrent use.
type Store struct {
	options Options
	place   place
	sealer  *sealer
	queue   chan item
	line    *line
	askers  askers
	noted   chan *audit.Entry
	kept    *addresses
	// written are the syncs that this process has written, and no earlier one: what
	// an earlier one wrote of a sync is merged with each record of it.
	written *addresses
	// read are the steps that were read of them.
	read readSteps

	notes sync.Mutex
	// ended: nobody writes what is noted any more.
	ended bool

	mu     sync.Mutex
	db     *sql.DB // for questions of people
	own    *sql.DB // for those of the engine, and of commands
	writer *sql.DB // of the history
	strict *sql.DB // of the audit

	waiting atomic.Int64 // bytes in the queue, and of what is being written
	stats   counters
}

type counters struct {
	written, lost, errors, bytes atomic.Int64
	// grown is how much was written since bytes were counted, which some of it
	// may have replaced.
	grown                  atomic.Int64
	auditErrors, auditLost atomic.Int64
	up                     atomic.Bool
}

// Stats tell how the store does.
type Stats struct {
	// Up reports whether the last write succeeded.
	Up bool
	// Queued items are not written yet.
	Queued int
	// Written and Lost items, and Errors of the database, since the start.
	Written, Lost, Errors int64
	// Bytes is the size of all bodies as of the last pruning.
	Bytes int64
	// AuditErrors are writes of the audit that failed, AuditLost entries of
	// what happened by itself that the log alone has.
	AuditErrors, AuditLost int64
}

const (
	queueItems = 4096
	queueBytes = 64 << 20
	knownItems = 8192
)

// New checks the options. Run writes; without it the store only answers.
func New(o Options) (*Store, error) {
	p, err := parsePlace(o.URL)
	if err != nil {
		return nil, err
	}
	p.kept = o.Kept
	s, err := newSealer(o.Key)
	if err != nil {
		return nil, err
	}
	return &Store{
		options: o.orDefaults(), place: p, sealer: s, queue: make(chan item, queueItems), line: newLine(), askers: newAskers(o.Whose), noted: make(chan *audit.Entry, notedItems),
		kept: newAddresses(knownItems), written: newAddresses(knownItems),
	}, nil
}

// Where names the database, without credentials.
func (s *Store) Where() string { return s.place.String() }

// Limits are how much is kept, with what counts where nobody said.
func (s *Store) Limits() Limits { return s.options.Limits.orDefaults() }

// Stats returns the counts.
func (s *Store) Stats() Stats {
	return Stats{
		Up: s.stats.up.Load(), Queued: len(s.queue),
		Written: s.stats.written.Load(), Lost: s.stats.lost.Load(), Errors: s.stats.errors.Load(), Bytes: s.stats.bytes.Load(),
		AuditErrors: s.stats.auditErrors.Load(), AuditLost: s.stats.auditLost.Load(),
	}
}

// connected returns the database for questions of people, and connects when it was away.
func (s *Store) connected(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	db, err := s.place.connect(ctx)
	if err != nil {
		return nil, err
	}
	s.db = db
	return db, nil
}

// writing returns the database for the one who writes the history: however many
// ask, it has a connection of its own.
func (s *Store) writing(ctx context.Context) (*sql.DB, error) {
	return s.besides(ctx, &s.writer, s.place.single)
}

// besides opens the database once more, when it has its tables.
func (s *Store) besides(ctx context.Context, at **sql.DB, open func() (*sql.DB, error)) (*sql.DB, error) {
	if _, err := s.connected(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if *at != nil {
		return *at, nil
	}
	db, err := open()
	if err != nil {
		return nil, err
	}
	*at = db
	return db, nil
}

// Close ends the connections. Call it when Run has returned.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, at := range []**sql.DB{&s.db, &s.own, &s.writer, &s.strict} {
		if *at != nil {
			err = errors.Join(err, (*at).Close())
		}
		*at = nil
	}
	return err
}
