package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	apiVersion = "argoproj.io/v1alpha1"
	kind       = "ConfigManagementPlugin"
	// maxFile bounds a plugin file.
	maxFile = 1 << 20
)

// Load reads the plugin files of a folder (.yaml, .yml) in the order of
// their names. The error joins a *gitops.Problem for each thing that is
// wrong; the plugins without one are returned all the same.
func Load(dir string) ([]Plugin, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder of plugins: %w", err)
	}
	var all []Plugin
	var problems []error
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		text, err := readFile(filepath.Join(dir, e.Name()))
		if err != nil {
			problems = append(problems, fmt.Errorf("cannot read a plugin: %w", err))
			continue
		}
		found, err := parse(e.Name(), text)
		all = append(all, found...)
		if err != nil {
			problems = append(problems, err)
		}
	}
	all, twice := unique(all)
	return all, errors.Join(append(problems, twice...)...)
}

// readFile reads a file up to one byte more than it may have.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

func unique(all []Plugin) ([]Plugin, []error) {
	var out []Plugin
	var problems []error
	for _, p := range all {
		i := slices.IndexFunc(out, func(o Plugin) bool { return o.ID() == p.ID() })
		if i >= 0 {
			problems = append(problems, wrong(p.File, p.Line, "plugin %s is there already, in %s:%d", p.ID(), out[i].File, out[i].Line))
			continue
		}
		out = append(out, p)
	}
	return out, problems
}

func wrong(file string, line int, format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, "cannot use plugin file: "+format, args...).
		At(gitops.Origin{File: file, Line: line}).Do("correct the file, and start again")
}

// parameter is one that a plugin announces to who fills a spec in: renders do without.
type parameter struct {
	Name string `yaml:"name"`
}

// written is a plugin file as it is written.
type written struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Version          string   `yaml:"version"`
		Init             Command  `yaml:"init"`
		Generate         Command  `yaml:"generate"`
		Discover         Discover `yaml:"discover"`
		PreserveFileMode bool     `yaml:"preserveFileMode"`
		ProvideGitCreds  bool     `yaml:"provideGitCreds"`
		Parameters       struct {
			Static []parameter `yaml:"static"`
		} `yaml:"parameters"`
	} `yaml:"spec"`
}

// parse reads all documents of a file.
func parse(file string, text []byte) ([]Plugin, error) {
	if len(text) > maxFile {
		return nil, wrong(file, 0, "it has more than %d bytes", maxFile)
	}
	if _, err := bounded.Check(text); err != nil {
		return nil, unreadable(file, err)
	}
	var all []Plugin
	var problems []error
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return all, errors.Join(problems...)
		}
		if err != nil {
			return all, errors.Join(append(problems, unreadable(file, err))...)
		}
		if len(node.Content) == 0 || node.Content[0].ShortTag() == "!!null" {
			continue
		}
		p, err := one(file, node.Content[0])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all = append(all, p)
	}
}

var lineIn = regexp.MustCompile(`line (\d+): ?`)

// unreadable is a text that is no YAML, or of other types.
func unreadable(file string, err error) error {
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:"))
	line := 1
	if m := lineIn.FindStringSubmatchIndex(text); m != nil {
		line, _ = strconv.Atoi(text[m[2]:m[3]])
		text = text[:m[0]] + text[m[1]:]
	}
	first, _, _ := strings.Cut(text, "\n")
	return wrong(file, line, "%s", first)
}

func one(file string, node *yaml.Node) (Plugin, error) {
	if node.Kind != yaml.MappingNode {
		return Plugin{}, wrong(file, node.Line, "it is no mapping")
	}
	var w written
	if err := bounded.DecodeNode(node, &w); err != nil {
		return Plugin{}, unreadable(file, err)
	}
	p := Plugin{
		Name: w.Metadata.Name, Version: w.Spec.Version, Init: w.Spec.Init, Generate: w.Spec.Generate,
		Discover: w.Spec.Discover, PreserveFileMode: w.Spec.PreserveFileMode, File: file, Line: node.Line,
	}
	if err := check(file, node, w); err != nil {
		return Plugin{}, err
	}
	return p, nil
}

var goodID = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,250}[A-Za-z0-9])?$`)

// check returns the first rule that a file breaks.
func check(file string, node *yaml.Node, w written) error {
	s := w.Spec
	_, badGlob := path.Match(s.Discover.FileName, "")
	rules := []struct {
		broken bool
		at     []string
		what   string
	}{
		{w.APIVersion != apiVersion, []string{"apiVersion"}, "apiVersion is " + strconv.Quote(w.APIVersion) + ", not " + apiVersion},
		{w.Kind != kind, []string{"kind"}, "kind is " + strconv.Quote(w.Kind) + ", not " + kind},
		{w.Metadata.Name == "", []string{"metadata"}, "metadata.name is missing"},
		{!goodID.MatchString(w.Metadata.Name), []string{"metadata", "name"}, "metadata.name may have letters, digits, dots and dashes only"},
		{s.Version != "" && !goodID.MatchString(s.Version), []string{"spec", "version"}, "spec.version may have letters, digits, dots and dashes only"},
		{!s.Generate.set() || s.Generate.Command[0] == "", []string{"spec", "generate"}, "spec.generate.command is missing"},
		{len(s.Init.Args) > 0 && !s.Init.set(), []string{"spec", "init"}, "spec.init.command is missing"},
		{badGlob != nil, []string{"spec", "discover", "fileName"}, "spec.discover.fileName is no pattern"},
		{!doublestar.ValidatePattern(s.Discover.Find.Glob), []string{"spec", "discover", "find", "glob"}, "spec.discover.find.glob is no pattern"},
		{s.ProvideGitCreds, []string{"spec", "provideGitCreds"}, "provideGitCreds is not supported: a plugin gets the files of the repository, and no credentials"},
		{slices.ContainsFunc(s.Parameters.Static, func(p parameter) bool { return p.Name == "" }), []string{"spec", "parameters", "static"}, "a parameter has no name"},
	}
	for _, r := range rules {
		if r.broken {
			return wrong(file, lineOf(node, r.at), "%s", r.what)
		}
	}
	return nil
}

// lineOf is the line of a field, or of the last parent that is there.
func lineOf(node *yaml.Node, at []string) int {
	line := node.Line
	for _, name := range at {
		next := -1
		for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
			if node.Content[i].Value == name {
				next = i
			}
		}
		if next < 0 {
			return line
		}
		line, node = node.Content[next].Line, node.Content[next+1]
	}
	return line
}
