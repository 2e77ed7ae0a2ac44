package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAvailable(t *testing.T) {
	tests := map[string]struct {
		reason, text string
		want         int
	}{
		"Linux":   {"what may be taken, not what nobody uses", "MemTotal:       24673412 kB\nMemFree:         1000000 kB\nMemAvailable:   20971520 kB\n", 20971520},
		"Lacking": {"a kernel that does not tell has no room", "MemTotal:       24673412 kB\n", 0},
		"Odd":     {"nor has one that cannot be understood", "MemAvailable: much\n", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "meminfo")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := available(file); got != tc.want {
				t.Errorf("%s: got %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
	if got := available(filepath.Join(t.TempDir(), "none")); got != 0 {
		t.Errorf("where there is no such file: got %d", got)
	}
}
