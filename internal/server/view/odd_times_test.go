package view

import (
	"encoding/json"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestOddTimes: a status has times that the API server takes and JSON has not, and the
// row is told all the same.
func TestOddTimes(t *testing.T) {
	var app v1alpha1.Application
	const text = `{"status": {"reconciledAt": "9999-12-31T23:59:59-12:00", "history": [{"deployedAt": "9999-12-31T23:59:59-12:00", "revision": "abc"}]}}`
	if err := json.Unmarshal([]byte(text), &app); err != nil {
		t.Fatal(err)
	}
	row := RowOf(&app, "in-cluster")
	if _, err := json.Marshal(row); err != nil || row.Changed.Year() != 1970 || row.Synced.Year() != 1970 {
		t.Errorf("%v, %v: %v", row.Changed, row.Synced, err)
	}
}
