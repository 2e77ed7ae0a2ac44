package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

//go:embed migrations
var migrations embed.FS

// place is where a database is: a file, or a PostgreSQL server.
type place struct {
	postgres bool
	// url of the server, or path of the file.
	url string
	// kept is a file that stays where it is, whatever it is.
	kept bool
}

// parsePlace reads what --store says.
func parsePlace(text string) (place, error) {
	scheme, _, ok := strings.Cut(text, "://")
	switch {
	case text == "":
		return place{}, gitops.Problemf(gitops.Invalid, "cannot keep a history nowhere").Do("name a file or a postgres:// address")
	case !ok:
		return place{url: text}, nil
	case scheme == "postgres" || scheme == "postgresql":
		if _, err := url.Parse(text); err != nil {
			return place{}, gitops.Problemf(gitops.Invalid, "cannot read the address of the store") // it may hold a password
		}
		return place{postgres: true, url: text}, nil
	}
	return place{}, gitops.Problemf(gitops.Invalid, "cannot use a store of the kind %q", scheme).Do("name a file or a postgres:// address")
}

// String leaves credentials out.
func (p place) String() string {
	u, err := url.Parse(p.url)
	if !p.postgres || err != nil {
		return p.url
	}
	return "postgres://" + u.Host + u.Path
}

// Connections of an engine that answer questions of people. Its own have another one,
// and what it writes has others.
const connections = 3

// connect opens the database for reading and writing, with its tables as this
// version has them.
func (p place) connect(ctx context.Context) (*sql.DB, error) {
	db, err := p.open()
	if err != nil {
		return nil, err
	}
	err = p.prepare(ctx, db)
	if err == nil {
		return db, nil
	}
	err = errors.Join(err, db.Close())
	if p.damaged(err) && !p.kept && p.putAside() == nil {
		return p.connect(ctx)
	}
	return nil, err
}

// damaged reports whether the file is no database any more. It is a read model:
// beginning anew costs the history.
func (p place) damaged(err error) bool {
	text := err.Error()
	return !p.postgres && (strings.Contains(text, "file is not a database") || strings.Contains(text, "malformed"))
}

// putAside never writes over what was put aside before: the audit is in it.
func (p place) putAside() error {
	aside := p.url + ".damaged"
	if _, err := os.Stat(aside); err == nil {
		aside += "." + strconv.FormatInt(time.Now().Unix(), 10)
	}
	err := os.Rename(p.url, aside)
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(p.url + suffix) // may not be there
	}
	return err
}

func (p place) open() (*sql.DB, error) {
	if p.postgres {
		return p.openServer(connections)
	}
	if err := private(p.url); err != nil {
		return nil, err
	}
	return p.openFile(p.file("normal"), connections)
}

// single opens the database for one at a time: who writes the history, or the engine
// where it asks for itself.
func (p place) single() (*sql.DB, error) {
	if p.postgres {
		return p.openServer(1)
	}
	return p.openFile(p.file("normal"), 1)
}

// strict opens the database for what is on the disk when a write has returned:
// of the history, the last moments before a loss of power may be missing. Those
// who write come one after the other.
func (p place) strict() (*sql.DB, error) {
	if p.postgres {
		return p.openServer(1)
	}
	return p.openFile(p.file("full"), 1)
}

func (p place) openServer(most int) (*sql.DB, error) {
	db, err := sql.Open("pgx", p.url)
	if err != nil {
		return nil, errors.New("cannot read the address of the store") // the cause repeats it
	}
	db.SetMaxOpenConns(most)
	db.SetConnMaxIdleTime(time.Minute)
	return db, nil
}

func (p place) openFile(name string, most int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", p.url, err)
	}
	db.SetMaxOpenConns(most)
	return db, nil
}

// busyTime is how long SQLite waits for another writer.
const busyTime = 5 * time.Second

func (p place) file(synchronous string) string {
	// Two write: who reads first could not write after the other one has.
	q := url.Values{"mode": {"rwc"}, "_txlock": {"immediate"}}
	for _, pragma := range []string{
		"busy_timeout(" + strconv.FormatInt(busyTime.Milliseconds(), 10) + ")", "auto_vacuum(incremental)", "journal_mode(wal)",
		"synchronous(" + synchronous + ")", "cache_size(-1024)", "journal_size_limit(8388608)",
	} {
		q.Add("_pragma", pragma)
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: p.url, RawQuery: q.Encode()}).String()
}

// private makes the file, for its owner alone.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of the store: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("cannot make the store: %w", err)
	}
	return f.Close()
}

// prepare makes the first connection and the tables.
func (p place) prepare(ctx context.Context, db *sql.DB) error {
	release, err := p.alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	return p.migrate(ctx, db)
}

func (p place) migrate(ctx context.Context, db *sql.DB) error {
	dialect, folder := database.DialectSQLite3, "migrations/sqlite"
	var options []goose.ProviderOption
	if p.postgres {
		dialect, folder = database.DialectPostgres, "migrations/postgres"
		// Several engines may start at a time.
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("cannot lock the store: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return fmt.Errorf("cannot read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return fmt.Errorf("cannot read the migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("cannot bring the tables of %s up to date: %w", p, err)
	}
	return nil
}

// bind writes a query with ? in the form of the database.
func (p place) bind(query string) string {
	if !p.postgres {
		return query
	}
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	return b.String()
}
