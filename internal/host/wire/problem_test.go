package wire

import "testing"

// TestTidyHidesTheLongestFirst: a secret that is part of another one leaves nothing of that.
func TestTidyHidesTheLongestFirst(t *testing.T) {
	if got, want := tidy("bad s3cret-t0ken,\n s3cret", []string{"s3cret", "s3cret-t0ken"}), "bad [redacted], [redacted]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
