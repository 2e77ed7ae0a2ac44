package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// errAway says that the database is on the network, and that is not there.
var errAway = errors.New("the database cannot be reached")

// reachTime is how long the database has to answer.
const reachTime = 20 * time.Second

// reach looks whether the database is there. A folder that somebody names has
// to be; what is on the network may be away.
func reach(ctx context.Context, database string) error {
	if folder, ok := strings.CutPrefix(database, "file://"); ok {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return fmt.Errorf("cannot read the database: %w", err)
		}
		if len(entries) == 0 {
			return fmt.Errorf("the database %s is empty: name the folder of the OSV entries", folder)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(database, "/")+"/index/db.json", http.NoBody)
	if err != nil {
		return fmt.Errorf("%q is no address of a database: %w", database, err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %w", errAway, err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s answers %s", errAway, database, answer.Status)
	}
	return nil
}
