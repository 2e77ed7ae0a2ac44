// Package bounded reads what somebody else may have made: files as long as they
// like, of any kind, and with links that lead anywhere; texts of YAML, JSON and
// TOML, which become more than they are; regular expressions; and what hosts
// answer. It tells what something takes before that is taken, and judges nothing.
package bounded

import (
	"fmt"
	"os"
)

// TooLong is a file with more bytes than are read.
type TooLong struct {
	Name string
	Most int64 // bytes
}

// Error names the file and the bound.
func (e *TooLong) Error() string {
	if e.Most%(1<<20) == 0 {
		return fmt.Sprintf("%s has more than %d MiB", e.Name, e.Most>>20)
	}
	return fmt.Sprintf("%s has more than %d KiB", e.Name, e.Most>>10)
}

// File reads a file of at most so many bytes; one with more is TooLong.
func File(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return all(f, name, most)
}
