package breakout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// setTrap writes a program into a folder, and returns it with the file by which it is seen that it ran.
func setTrap(t *testing.T, dir string) (trap, ran string) {
	t.Helper()
	trap, ran = filepath.Join(dir, "trap"), filepath.Join(dir, "ran")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch "+ran+"\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return trap, ran
}

// sprung are the touches of a trap since the last time: that its program ran, or that nobody can tell.
func sprung(ran string) []string {
	err := os.Remove(ran)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return []string{"cannot see whether a program ran: " + err.Error()}
	}
	return []string{"a program ran"}
}
