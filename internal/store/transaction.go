package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// transaction writes a batch. Each of its few statements is parsed once and
// not once a record: with SQLite, parsing costs as much as writing.
type transaction struct {
	tx       *sql.Tx
	place    place
	prepared map[string]*sql.Stmt // closed with tx
}

func begin(ctx context.Context, db *sql.DB, p place) (*transaction, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot write: %w", err)
	}
	return &transaction{tx: tx, place: p, prepared: map[string]*sql.Stmt{}}, nil
}

func (t *transaction) exec(ctx context.Context, query string, args ...any) error {
	stmt, err := t.statement(ctx, query) //nolint:sqlclosecheck // closed with its transaction
	if err == nil {
		_, err = stmt.ExecContext(ctx, legible(args)...)
	}
	if err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// do runs a statement that has no values.
func (t *transaction) do(ctx context.Context, statement string) error {
	if _, err := t.tx.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	return nil
}

// scan reads one value of one row; sql.ErrNoRows where there is none.
func (t *transaction) scan(ctx context.Context, to any, query string, args ...any) error {
	return t.read(ctx, []any{to}, query, args...)
}

// read reads one row; sql.ErrNoRows where there is none.
func (t *transaction) read(ctx context.Context, to []any, query string, args ...any) error {
	stmt, err := t.statement(ctx, query) //nolint:sqlclosecheck // closed with its transaction
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, legible(args)...).Scan(to...)
}

// legible makes texts such as every database takes: PostgreSQL refuses what is not
// UTF-8, or has a zero in it, and messages are what others wrote.
func legible(args []any) []any {
	for i := range args {
		if text, ok := args[i].(string); ok {
			args[i] = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return args
}

func (t *transaction) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := t.prepared[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.tx.PrepareContext(ctx, t.place.bind(query))
	if err != nil {
		return nil, err
	}
	t.prepared[query] = stmt
	return stmt, nil
}
