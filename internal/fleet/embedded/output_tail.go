package embedded

import (
	"strings"
	"sync"
)

// tailBytes is how much of the child's error output is kept.
const tailBytes = 16 << 10

// tail is a writer that keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if surplus := len(t.kept) - tailBytes; surplus > 0 {
		t.kept = append(t.kept[:0], t.kept[surplus:]...)
	}
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
