package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTablesAreTried: whoever prints tables tries them with long values.
func TestTablesAreTried(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") || !strings.Contains(string(text), "eader: []string{") {
			continue
		}
		found++
		tried, err := os.ReadFile(filepath.Join(filepath.Dir(file), "tables_test.go"))
		if err != nil || !strings.Contains(string(tried), "tabletest.Try(") {
			t.Errorf("%s has a table, and %s/tables_test.go tries none: %v", file, filepath.Dir(file), err)
		}
	}
	if found < 10 {
		t.Errorf("only %d tables were found", found)
	}
}
