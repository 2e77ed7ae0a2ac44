package fleetstatus

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// filePace is how often a file is written at most, and how often it is read.
const filePace = 250 * time.Millisecond

// Save keeps the picture in a file until ctx ends, for other processes to see.
func (b *Board) Save(ctx context.Context, path string) error {
	version := -1
	for {
		s, newer, err := b.Next(ctx, version)
		if err != nil {
			// The last word counts: whoever reads the file wants to know how it ended.
			return write(path, b.Snapshot())
		}
		version = newer
		if err := write(path, s); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(filePace):
		}
	}
}

func write(path string, s Snapshot) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	// The folder is private to the fleet, and one process writes.
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Read returns the picture in a file.
func Read(path string) (Snapshot, error) {
	var s Snapshot
	text, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return s, nil
}

// File is the picture that another process keeps in a file.
type File struct{ Path string }

// Next waits until the file is newer than version, and returns its picture.
func (f File) Next(ctx context.Context, version int) (Snapshot, int, error) {
	for {
		if info, err := os.Stat(f.Path); err == nil {
			// The time of the change serves as version; it only grows.
			if now := int(info.ModTime().UnixMilli()); now > version {
				if s, err := Read(f.Path); err == nil {
					return s, now, nil
				}
			}
		}
		select {
		case <-ctx.Done():
			return Snapshot{}, version, ctx.Err()
		case <-time.After(filePace):
		}
	}
}
