package bounded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte(strings.Repeat("x", 2<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := File(name, 2<<10); err != nil || len(text) != 2<<10 {
		t.Errorf("what just fits: %d bytes, %v", len(text), err)
	}
	_, err := File(name, 1<<10)
	if long := (*TooLong)(nil); !errors.As(err, &long) || err.Error() != name+" has more than 1 KiB" {
		t.Errorf("a longer one: %v", err)
	}
	if got := (&TooLong{"a", 4 << 20}).Error(); got != "a has more than 4 MiB" {
		t.Errorf("got %q", got)
	}
	if _, err := File(name+"b", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}
