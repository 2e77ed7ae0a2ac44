package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errLost marks an item that was refused, and is given up.
var errLost = errors.New("it is lost")

// errUnfit marks what cannot be written in any database.
var errUnfit = errors.New("cannot encode")

// refused reports whether a database, or the way to it, does not take an item for what is
// in it, however often it is tried. Any other error is of the database.
func refused(err error) bool {
	if errors.Is(err, errUnfit) {
		return true
	}
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		// Data, constraints, and the limits of a program: PostgreSQL's classes of errors.
		return strings.HasPrefix(server.Code, "22") || strings.HasPrefix(server.Code, "23") || strings.HasPrefix(server.Code, "54")
	}
	file, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch file.Code() & 0xff { // the rest says more of the same
	case sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH:
		return true
	}
	return false
}

// writeApart writes an item so that one that is refused leaves the others of its
// transaction. That takes two statements more: it is done where one was refused.
func (s *Store) writeApart(ctx context.Context, t *transaction, batch []item, i int) error {
	if err := t.do(ctx, "SAVEPOINT item"); err != nil {
		return err
	}
	err := s.writeItem(ctx, t, batch, i)
	if err == nil {
		return t.do(ctx, "RELEASE SAVEPOINT item")
	}
	if !refused(err) {
		return err
	}
	s.options.Log.Warn("an entry of the history is refused, and lost", "entry", batch[i].name(), "error", err)
	if err := t.do(ctx, "ROLLBACK TO SAVEPOINT item"); err != nil {
		return err
	}
	return errLost
}

// name says what an item is about.
func (i *item) name() string {
	switch {
	case i.sync != nil:
		return fmt.Sprintf("sync %s of %s/%s", i.sync.ID, i.sync.App.Namespace, i.sync.App.Name)
	case i.step != nil:
		return fmt.Sprintf("commits of %s/%s", i.step.App.Namespace, i.step.App.Name)
	case i.health != nil:
		return "health after sync " + i.health.sync
	}
	return "manifests"
}
