package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// finding is a vulnerability of something that a program has.
type finding struct {
	// ID is the entry of the database, and Summary what it says.
	ID, Summary string
	// Program has it; empty while only packages were looked at.
	Program string
	// Module has the flaw, in Version; Fixed is the first one without; empty
	// for none yet. Package is empty where only the module is concerned.
	Module, Version, Fixed, Package string
	// Functions are those with the flaw that the program has.
	Functions []string
}

// message is one of the documents that the tool writes.
type message struct {
	OSV *struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
	} `json:"osv"`
	Finding *struct {
		OSV   string `json:"osv"`
		Fixed string `json:"fixed_version"`
		Trace []struct {
			Module   string `json:"module"`
			Version  string `json:"version"`
			Package  string `json:"package"`
			Function string `json:"function"`
			Receiver string `json:"receiver"`
		} `json:"trace"`
	} `json:"finding"`
}

// parse reads the tool's answer.
func parse(answer io.Reader) ([]finding, error) {
	var out []finding
	summaries := map[string]string{}
	for decoder := json.NewDecoder(answer); ; {
		var m message
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the answer of govulncheck: %w", err)
		}
		if m.OSV != nil {
			summaries[m.OSV.ID] = m.OSV.Summary
		}
		if m.Finding == nil || len(m.Finding.Trace) == 0 {
			continue
		}
		at := m.Finding.Trace[0]
		f := finding{ID: m.Finding.OSV, Module: at.Module, Version: at.Version, Fixed: m.Finding.Fixed, Package: at.Package}
		if at.Function != "" {
			f.Functions = []string{strings.TrimPrefix(strings.TrimPrefix(at.Receiver, "*")+"."+at.Function, ".")}
		}
		out = append(out, f)
	}
	for i := range out {
		out[i].Summary = summaries[out[i].ID]
	}
	return out, nil
}
