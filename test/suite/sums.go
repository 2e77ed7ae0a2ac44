package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// sumBytes is how much of a digest stands for it.
const sumBytes = 12

// sums are the digests of files; each is read once.
type sums struct {
	mu   sync.Mutex
	read map[string]string
}

func newSums() *sums { return &sums{read: map[string]string{}} }

// of tells files apart by what they are, and what is in them: one that is not there, or cannot be read, is another one, too.
func (s *sums) of(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, ok := s.read[name]
	if !ok {
		sum = sumOf(name)
		s.read[name] = sum
	}
	return sum
}

func sumOf(name string) string {
	file, err := os.Open(name)
	if err != nil {
		return brief(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return brief(err)
	}
	sum := sha256.New()
	switch {
	case info.IsDir():
		names, err := file.Readdirnames(-1)
		if err != nil {
			return brief(err)
		}
		return sumOfNames(names)
	case !info.Mode().IsRegular():
		return info.Mode().String()
	}
	if _, err := io.Copy(sum, file); err != nil {
		return brief(err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:sumBytes])
}

// brief is why a file has no digest, without its name.
func brief(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return "none: " + err.Error()
}

func sumOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:sumBytes])
}

func sumOfNames(names []string) string {
	slices.Sort(names)
	return "folder " + sumOfText(strings.Join(names, "\x00"))
}
