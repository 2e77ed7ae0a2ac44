package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// packagesOf are the packages of the main module, by their folders.
func packagesOf(ctx context.Context) ([]string, error) {
	out, err := goList(ctx, "-f", "{{.ImportPath}}", "./...")
	if err != nil {
		return nil, err
	}
	var list []string
	for path := range strings.FieldsSeq(out) {
		list = append(list, short(path))
	}
	return list, nil
}

// lacking is what is not here, and what is not tested for it.
func lacking() []string {
	var out []string
	if os.Getenv(withoutBrowser) != "" {
		out = append(out, "Chromium is not here: the pages are not tried in a browser")
	}
	for _, p := range []struct{ program, tests string }{
		{"npm", "the pages of the browser are not tested"},
		{"terraform", "the provider and the tutorial of the bridge are not tried by it"},
	} {
		if _, err := exec.LookPath(p.program); err != nil {
			out = append(out, p.program+" is not in PATH: "+p.tests)
		}
	}
	return out
}

// listings are what `go list` has told: it takes seconds, and packages stay as they are while a suite runs.
var listings sync.Map // by arguments

func goList(ctx context.Context, args ...string) (string, error) {
	key := strings.Join(args, "\x00")
	if text, ok := listings.Load(key); ok {
		return text.(string), nil
	}
	text, err := output(ctx, "go", append([]string{"list"}, args...)...)
	if err == nil {
		listings.Store(key, text)
	}
	return text, err
}

// output is what a command prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// faults is the task that plays schedules of faults.
const faults = "faults"

const (
	// schedules is how many seeds of faults there are, and sampled how many of them the gate plays.
	schedules, sampled = 500, 40
	// planes is how many seeds of killed control planes there are, of which the gate plays one.
	planes = 6
)

// seedOf is a number that each commit has another of.
func seedOf(ctx context.Context) (uint64, error) {
	commit, err := output(ctx, "git", "rev-parse", "HEAD")
	if err != nil {
		return 0, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(commit)) // a hash never fails
	return h.Sum64(), nil
}

// sample are the schedules of faults for a commit: each landing plays others.
func sample(seed uint64) []string {
	first := 1 + seed%(schedules-sampled+1)
	return []string{fmt.Sprintf("-seeds=%d-%d", first, first+sampled-1), fmt.Sprintf("-planes=%d", 1+seed%planes), "-in-flight=40"}
}
