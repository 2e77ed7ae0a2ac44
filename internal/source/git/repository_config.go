package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// settings are what a repository's own configuration says, without the files
// that it includes: keys as git writes them, each with its values in order.
type settings map[string][]string

// configLimit bounds a repository's configuration, in bytes.
const configLimit = 4 << 20

// settings reads the configuration of a repository as a mere text.
func (c *Command) settings(ctx context.Context, dir string) (settings, error) {
	all := settings{}
	for _, name := range []string{"config", "config.worktree"} {
		file := filepath.Join(dir, name)
		info, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && (!info.Mode().IsRegular() || info.Size() > configLimit) {
			err = fmt.Errorf("%s is no configuration of git", file)
		}
		if err != nil {
			return nil, notThere(dir, err)
		}
		out, err := c.run(ctx, "", session{}, nil, "config", "--file", file, "--no-includes", "--null", "--list")
		if err != nil {
			return nil, notThere(dir, err)
		}
		for line := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
			key, value, ok := strings.Cut(line, "\n")
			if !ok {
				value = "true" // as git takes a key alone
			}
			all[key] = append(all[key], value)
		}
	}
	return all, nil
}

// last is the value that counts where there are several.
func (s settings) last(key string) string {
	if n := len(s[key]); n > 0 {
		return s[key][n-1]
	}
	return ""
}

// is reports whether a key is set to true.
func (s settings) is(key string) bool {
	switch strings.ToLower(s.last(key)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// inheritedKeys are those that a stand-in takes over: how the work tree's files
// are stored, and what is upstream of a branch. None of them names a command,
// a file or a place.
var inheritedKeys = regexp.MustCompile(`^(core\.(filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|trustctime|checkstat)|branch\..*\.(remote|merge)|remote\..*\.fetch)$`)

// text is the configuration of a stand-in.
func (s settings) text() string {
	var b strings.Builder
	b.WriteString(bareConfig(s.format()))
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if !inheritedKeys.MatchString(key) {
			continue
		}
		section, rest, _ := strings.Cut(key, ".")
		sub, name := "", rest
		if i := strings.LastIndexByte(rest, '.'); i >= 0 {
			sub, name = fmt.Sprintf(" \"%s\"", escaped(rest[:i])), rest[i+1:]
		}
		for _, value := range s[key] {
			if !strings.ContainsAny(key+value, "\n\x00") {
				fmt.Fprintf(&b, "[%s%s]\n\t%s = \"%s\"\n", section, sub, name, escaped(value))
			}
		}
	}
	return b.String()
}

// escaped is a text between the quotes of a configuration.
func escaped(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

func (s settings) format() string {
	if s.last("extensions.objectformat") == sha256Format {
		return sha256Format
	}
	return sha1Format
}
