package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program is one that is shipped: a package of a module in this repository.
type program struct{ name, module, path string }

// scanner asks govulncheck.
type scanner struct{ tool, database string }

// all looks at each program.
func (s scanner) all(ctx context.Context, programs []program) ([]finding, error) {
	var out []finding
	for _, p := range programs {
		found, err := s.one(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("cannot look at %s: %w", p.name, err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func (s scanner) one(ctx context.Context, p program) ([]finding, error) {
	concerned, err := s.ask(ctx, "-C", p.module, "-scan", "package", "./...")
	if err != nil || !slices.ContainsFunc(concerned, func(f finding) bool { return f.Package != "" }) {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "causeway-vulns-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	linked := filepath.Join(dir, p.name)
	build := exec.CommandContext(ctx, "go", "build", "-o", linked, p.path)
	build.Dir = p.module
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(text))
	}
	found, err := s.ask(ctx, "-mode", "binary", linked)
	if err != nil {
		return nil, err
	}
	return linkedIn(found, p.name), nil
}

// ask runs the tool, which ends well also where it finds something.
func (s scanner) ask(ctx context.Context, args ...string) ([]finding, error) {
	tool, err := filepath.Abs(s.tool)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, tool, append([]string{"-db", s.database, "-format", "json"}, args...)...)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("govulncheck %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(told.String()))
	}
	return parse(&out)
}

// linkedIn are the vulnerabilities of which a function is in the program, each
// with all of its functions.
func linkedIn(all []finding, name string) []finding {
	var out []finding
	for _, f := range all {
		if len(f.Functions) == 0 {
			continue
		}
		at := slices.IndexFunc(out, func(o finding) bool { return o.ID == f.ID && o.Module == f.Module })
		if at < 0 {
			f.Program = name
			out = append(out, f)
			continue
		}
		out[at].Functions = append(out[at].Functions, f.Functions...)
	}
	return out
}
