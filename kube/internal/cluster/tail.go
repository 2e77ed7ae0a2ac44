package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// tailBytes is how much of the log an error carries.
const tailBytes = 4 << 10

// withTail adds the end of the log to err: the folder it is in may be gone when somebody reads the error.
func withTail(err error, logFile string) error {
	tail, readErr := readTail(logFile)
	if readErr != nil || len(tail) == 0 {
		return err
	}
	return fmt.Errorf("%w\nend of the log:\n%s", err, tail)
}

func readTail(path string) (tail []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	start := max(info.Size()-tailBytes, 0)
	tail = make([]byte, info.Size()-start)
	n, err := file.ReadAt(tail, start)
	if err != nil {
		return nil, err
	}
	tail = tail[:n]
	if start > 0 { // from the first whole line on
		if _, rest, found := bytes.Cut(tail, []byte("\n")); found {
			tail = rest
		}
	}
	return bytes.TrimSpace(tail), nil
}
