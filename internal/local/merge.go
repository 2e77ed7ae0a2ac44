package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// marks are the part of a Secret that people change in two places: in the
// file, and in the cluster.
type marks struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// merged is what a map becomes: what changed in the file since it was last
// written wins; whatever else the cluster has stays, so that a label that a
// person flipped there is not flipped back by the next start.
func merged(last, file, live map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range live {
		if _, inFile := file[key]; !inFile {
			if was, wrote := last[key]; wrote && was == value {
				continue // taken out of the file, and nobody else changed it
			}
		}
		out[key] = value
	}
	for key, value := range file {
		if was, wrote := last[key]; wrote && was == value {
			continue // nothing new in the file: the cluster knows better
		}
		out[key] = value
	}
	return out
}

// readApplied returns what was last written, or nothing.
func readApplied(path string) (marks, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return marks{}, nil
	}
	if err != nil {
		return marks{}, fmt.Errorf("cannot read %s: %w", path, err)
	}
	var m marks
	if err := json.Unmarshal(text, &m); err != nil {
		return marks{}, fmt.Errorf("cannot read %s: %w; remove the file to write the labels of the cluster's file again", path, err)
	}
	return m, nil
}

func writeApplied(path string, m marks) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return WriteFile(path, text)
}
