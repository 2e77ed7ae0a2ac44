package command

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// IgnoreMissing is an error, but for one about a file that is not there.
func IgnoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// Tail returns the last lines of a file.
func Tail(path string, lines int) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = f.Seek(-tailBytes, io.SeekEnd)
	}
	text, err := io.ReadAll(io.LimitReader(f, tailBytes))
	if err != nil {
		return err.Error()
	}
	all := strings.Split(string(bytes.TrimSpace(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// tailBytes is how much of a log's end is read.
const tailBytes = 16 << 10
