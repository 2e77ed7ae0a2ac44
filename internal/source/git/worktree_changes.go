package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// edit is a path that differs from the index.
type edit struct {
	path string
	gone bool
	// known paths are in the index.
	known bool
}

// changes compares the work tree with the index. Git looks at no submodule,
// in which it would run what that one configures, and has no filter to run.
func (e *edition) changes(ctx context.Context) ([]edit, error) {
	all, err := e.differing(ctx)
	if err != nil {
		return nil, err
	}
	added, err := e.run(ctx, e.top, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(added), "\x00") {
		if name != "" && !strings.HasSuffix(name, "/") { // which is a repository of its own
			all = append(all, edit{path: name})
		}
	}
	return all, nil
}

// differing are the paths of the index that the work tree has otherwise.
func (e *edition) differing(ctx context.Context) ([]edit, error) {
	out, err := e.run(ctx, e.top, nil, "diff-files", "-z", "--raw", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv")
	return parseRaw(out), err
}

// parseRaw reads ":modes hashes STATUS\0path\0". A path that was in conflict
// comes twice, and a removed one of those is named as U alone.
func parseRaw(out []byte) []edit {
	var all []edit
	known := map[string]int{}
	words := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		one := edit{path: words[i+1], gone: strings.HasSuffix(words[i], " D"), known: true}
		if at, again := known[one.path]; again {
			all[at] = one
			continue
		}
		known[one.path] = len(all)
		all = append(all, one)
	}
	return all
}

// filtered are the edited files with a filter. What an attribute says of
// line ends is done; it needs no program.
func (e *edition) filtered(ctx context.Context, edited []edit) ([]string, error) {
	var names strings.Builder
	for _, one := range edited {
		if !one.gone {
			names.WriteString(one.path + "\x00")
		}
	}
	if names.Len() == 0 {
		return nil, nil
	}
	out, err := e.run(ctx, e.staged, strings.NewReader(names.String()), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	var found []string
	words := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(words); i += 3 {
		if v := words[i+2]; v != "unspecified" && v != "unset" && v != "set" {
			found = append(found, words[i])
		}
	}
	return found, nil
}

// touched leaves out files with a filter that nobody wrote since the index
// says they were as committed. Git reads those again that are as young as the
// index, and without their filter each of them seems edited.
func (e *edition) touched(ctx context.Context, edited []edit, filtered []string) ([]edit, []string, error) {
	if len(filtered) == 0 {
		return edited, nil, nil
	}
	index := filepath.Join(e.dir, "index")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(index, later, later); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, unwritable(err)
	}
	written, err := e.differing(ctx)
	if err != nil {
		return nil, nil, err
	}
	same := map[string]bool{}
	for _, one := range edited {
		same[one.path] = one.known && slices.Contains(filtered, one.path)
	}
	for _, one := range written {
		same[one.path] = false
	}
	return slices.DeleteFunc(edited, func(x edit) bool { return same[x.path] }), slices.DeleteFunc(filtered, func(name string) bool { return same[name] }), nil
}
