package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// kept is work that is decided by files and by one tool alone: what passed with the very same ones is not done again in the
// gate. It is for what Go cannot know to be closed: a module that is tested by its own program, and pages.
type kept struct {
	work
	name string
	// files are the paths of git that decide, built the files that are made from others and are not git's.
	files []string
	built func() []string
	// tool is a command that tells what runs it, and how.
	tool []string
}

// keptFor is how long what passed is believed: what no file tells, as a newer system, shows within it.
const keptFor = 7 * 24 * time.Hour

func (k kept) do(ctx context.Context, log io.Writer) result {
	file, err := k.file(ctx)
	if err != nil {
		fmt.Fprintf(log, "whether this has passed before is not known: %v\n", err)
		return k.work.do(ctx, log)
	}
	if r, ok := recalled(file); ok {
		fmt.Fprintf(log, "passed before with the same files: see %s\n", file)
		r.notes = append(r.notes, fmt.Sprintf("%s: %d tests passed before with the same files, and were not run again", k.name, count(r.cases, passed)))
		return r
	}
	r := k.work.do(ctx, log)
	// What was edited meanwhile was not what passed.
	if now, err := k.file(ctx); err != nil || now != file {
		return r
	}
	if err := keep(file, r, nil); err != nil {
		fmt.Fprintf(log, "that this passed is not kept: %v\n", err)
	}
	return r
}

// file is where it is written that this has passed, by all that decides.
func (k kept) file(ctx context.Context) (string, error) {
	cache, err := passedFolder()
	if err != nil {
		return "", err
	}
	tool, err := output(ctx, k.tool[0], k.tool[1:]...)
	if err != nil {
		return "", err
	}
	names, err := output(ctx, "git", append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, k.files...)...)
	if err != nil {
		return "", err
	}
	files := strings.Split(strings.TrimRight(names, "\x00"), "\x00")
	if k.built != nil {
		files = append(files, k.built()...)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s\x00", k.name, tool, k.chosen())
	for _, name := range files {
		if err := hashInto(sum, name); err != nil {
			return "", err
		}
	}
	return filepath.Join(cache, hex.EncodeToString(sum.Sum(nil)[:sumBytes])), nil
}

// passedFolder is where what passed is kept.
func passedFolder() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "causeway", "passed"), err
}

// past is what passed, and what its tests looked at.
type past struct {
	Cases []outcome `json:"cases"`
	Looks []look    `json:"looks,omitempty"`
}

// chosen is which tests it runs: one that comes back from the long tier has not passed.
func (k kept) chosen() string {
	if g, ok := k.work.(goTests); ok {
		g.env = nil // folders that are others at each run
		return fmt.Sprintf("%+v", g)
	}
	return fmt.Sprintf("%+v", k.work)
}

func hashInto(sum io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	one := sha256.New()
	if _, err := io.Copy(one, file); err != nil {
		return fmt.Errorf("cannot read %s: %w", name, err)
	}
	fmt.Fprintf(sum, "%s\x00%x\x00", name, one.Sum(nil))
	return nil
}

// recalled is what is written there, if it is young and what was looked at is as it was.
func recalled(file string) (result, bool) {
	info, err := os.Stat(file)
	if err != nil || time.Since(info.ModTime()) > keptFor {
		return result{}, false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return result{}, false
	}
	var p past
	if json.Unmarshal(text, &p) != nil || count(p.Cases, passed) == 0 {
		return result{}, false
	}
	now := newSums()
	if slices.ContainsFunc(p.Looks, func(l look) bool { return l.now(now) != l.Was }) {
		return result{}, false
	}
	r := result{cases: p.Cases}
	for i := range r.cases {
		r.cases[i].Seconds = 0 // of another run
	}
	return r, true
}

// keep writes what came of work in which all passed, nothing was left out and nothing was tried twice.
func keep(file string, r result, looks []look) error {
	for _, o := range r.cases {
		if o.Status != passed || o.Flaky {
			return nil
		}
	}
	text, err := json.Marshal(past{r.cases, looks})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	forget(filepath.Dir(file))
	half, err := os.CreateTemp(filepath.Dir(file), ".half-")
	if err != nil {
		return err
	}
	defer os.Remove(half.Name()) // gone when all went well
	if _, err := half.Write(text); err != nil {
		half.Close()
		return err
	}
	if err := half.Close(); err != nil {
		return err
	}
	return os.Rename(half.Name(), file)
}

// forget takes away what nobody would believe any more.
func forget(dir string) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.Remove(filepath.Join(dir, f.Name())) // the next one does it
		}
	}
}
