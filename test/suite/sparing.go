package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// sparing is tests in Go of which those packages are left out that passed with the very same inputs: what they are linked from,
// and what their tests looked at when they passed. Go's own cache of results knows neither files beside the module nor
// clones in other folders.
type sparing struct {
	goTests
	name string
}

func (s sparing) do(ctx context.Context, log io.Writer) result {
	code, err := readCode(ctx)
	if err != nil {
		fmt.Fprintf(log, "what has passed before is not known: %v\n", err)
		return s.goTests.do(ctx, log)
	}
	before, left := s.recall(code)
	if len(left) == 0 {
		return before
	}
	now := s.goTests
	now.packages = left
	r, err := s.watched(ctx, log, now, code)
	if err != nil {
		fmt.Fprintf(log, "what passed is not kept: %v\n", err)
	}
	r.cases, r.notes = append(before.cases, r.cases...), append(before.notes, r.notes...)
	return r
}

// recall returns what came of the packages that need not run, and those that must.
func (s sparing) recall(code code) (result, []string) {
	var before result
	var left []string
	for _, pkg := range s.packages {
		r, ok := recalled(s.file(code, pkg))
		if !ok {
			left = append(left, pkg)
			continue
		}
		before.cases = append(before.cases, r.cases...)
	}
	if spared := len(s.packages) - len(left); spared > 0 {
		before.notes = []string{fmt.Sprintf("%s: %d tests of %d packages passed before with the same inputs, and were not run again", s.name, count(before.cases, passed), spared)}
	}
	return before, left
}

// watched runs tests and keeps what passed, with what they looked at. Its error is of the keeping alone.
func (s sparing) watched(ctx context.Context, log io.Writer, g goTests, before code) (result, error) {
	folder, err := os.MkdirTemp("", "causeway-looks-")
	if err != nil {
		return g.do(ctx, log), err
	}
	defer os.RemoveAll(folder)
	began := time.Now()
	g.looks = folder
	r := g.do(ctx, log)
	after, err := readCode(ctx)
	if err != nil {
		return r, err
	}
	var errs []error
	for _, pkg := range g.packages {
		// What was edited meanwhile was not what passed.
		if file := s.file(before, pkg); file == s.file(after, pkg) {
			errs = append(errs, keepPackage(file, pkg, folder, began, r))
		}
	}
	return r, errors.Join(errs...)
}

func keepPackage(file, pkg, folder string, began time.Time, r result) error {
	r.cases = slices.DeleteFunc(slices.Clone(r.cases), func(o outcome) bool { return o.Package != pkg })
	if count(r.cases, passed) == 0 || !slices.ContainsFunc(r.cases, func(o outcome) bool { return o.Test == "" && o.Status == passed }) {
		return nil // where its end is missing, other tests of it may not have run
	}
	looks, err := readLooks(folder, pkg, began)
	if err != nil {
		return fmt.Errorf("%s: %w", pkg, err)
	}
	return keep(file, r, looks)
}

// file is where it is written that a package has passed, by all that is known before its tests run.
func (s sparing) file(code code, pkg string) string {
	g := s.goTests
	g.packages, g.env = []string{pkg}, nil
	if own, err := skipIn(g.skip, pkg); err == nil { // else it is another one, whatever is skipped
		g.skip = own
	}
	return code.file(pkg, fmt.Sprintf("%+v", g))
}
