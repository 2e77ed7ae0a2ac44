package store

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/test/planted"
)

// TestNothingSecretIsInTheTables reads all that either database has, as who may query it does.
func TestNothingSecretIsInTheTables(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		bed, one := &planted.Bed{}, aSync("web", 0)
		var own Key
		_, _ = rand.Read(own[:]) // it never fails
		bed.Keep("key", string(own[:]))
		bed.Keep("Secret", secretValue)
		bed.Keep("decrypted value", "hidden-value")
		bed.Keep("digest of a rendering", one.Rendering)
		if err := bed.Err(); err != nil {
			t.Fatal(err)
		}
		s := opened(t, Options{URL: url, Key: own})
		s.Rendering(rendering(one.Rendering))
		s.Sync(one)
		s.Health(one.App, one.ID, []history.Change{{At: at, Kind: "Deployment", Name: "web", From: gitops.Progressing, To: gitops.Healthy}})
		fill(t, s, 0, 1)
		if _, err := s.Kept(t.Context(), one.ID); err != nil {
			t.Fatal(err)
		}
		if changes, err := s.Changes(t.Context(), one.ID); err != nil || len(changes) != 1 {
			t.Fatalf("%d changes of health, error %v", len(changes), err)
		}
		tables := tablesOf(t, s)
		for _, name := range []string{"syncs", "renderings", "health", "audit"} {
			if len(tables[name]) == 0 {
				t.Errorf("table %s has nothing", name)
			}
		}
		for name, text := range tables {
			for _, found := range bed.Find(text) {
				t.Errorf("table %s has %v", name, found)
			}
		}
	})
}

// tablesOf is what is in all tables of a database, by their names.
func tablesOf(t *testing.T, s *Store) map[string][]byte {
	t.Helper()
	db, err := s.connected(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if s.place.postgres {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	}
	out := map[string][]byte{}
	for _, name := range cells(t, db, query) {
		for _, cell := range cells(t, db, `SELECT * FROM "`+string(name)+`"`) { //nolint:unqueryvet // whatever columns there are
			out[string(name)] = append(append(out[string(name)], cell...), '\n')
		}
	}
	return out
}

// cells are the values of all rows and columns.
func cells(t *testing.T, db *sql.DB, query string) (out [][]byte) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		for _, value := range values {
			if bytes, ok := value.([]byte); ok {
				out = append(out, bytes)
				continue
			}
			out = append(out, fmt.Append(nil, value))
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
