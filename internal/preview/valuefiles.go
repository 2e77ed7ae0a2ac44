package preview

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// locate finds a value file that is written in plain: a path beside the
// source, or one in a source that is referred to. ok is false for patterns,
// addresses and what depends on the build environment, and where the source
// is not there.
func (a *App) locate(i int, name string) (snap *gitops.Snapshot, file string, ok bool) {
	if strings.ContainsAny(name, `*?[{\`) || strings.Contains(name, "://") || i >= len(a.Snapshots) {
		return nil, "", false
	}
	sources := a.Spec.GetSources()
	if ref, rest, found := strings.Cut(name, "/"); found && strings.HasPrefix(ref, "$") {
		for j, s := range sources {
			if s.Ref == ref[1:] && j < len(a.Snapshots) && a.Snapshots[j] != nil {
				return a.Snapshots[j], inside(".", rest), true
			}
		}
		return nil, "", false
	}
	if strings.Contains(name, "$") || a.Snapshots[i] == nil {
		return nil, "", false
	}
	return a.Snapshots[i], inside(orElse(sources[i].Path, "."), name), true
}

// inside joins a folder and a path that cannot leave the tree.
func inside(folder, name string) string {
	if !strings.HasPrefix(name, "/") {
		name = "/" + folder + "/" + name
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

// lacks reports whether a value file is known not to be there.
func (a *App) lacks(i int, name string) bool {
	snap, file, ok := a.locate(i, name)
	if !ok {
		return false
	}
	_, err := snap.Tree.Stat(file)
	return errors.Is(err, fs.ErrNotExist)
}

// twins finds keys that stand twice in the value files of one side, of which
// Helm silently takes the last. Each file is looked at once. The zero value is
// ready.
type twins struct {
	mu   sync.Mutex
	seen map[read]bool
}

// read is a value file of a source.
type read struct{ repo, revision, file string }

type twin struct {
	text string
	line int
}

// of are the findings about the value files of an application that lie in the
// previewed repository.
func (t *twins) of(side Side, a *App) []finding {
	var out []finding
	for i, s := range a.Spec.GetSources() {
		for _, name := range append([]string{defaultValues(s)}, valueFiles(s)...) {
			snap, file, ok := a.locate(i, name)
			if !ok || name == "" || side.Locate == nil || !t.first(read{snap.Ref.RepoURL, snap.Revision, file}) {
				continue
			}
			own, ok := side.Locate(snap.Ref.RepoURL, file)
			if !ok {
				continue
			}
			text, err := snap.Tree.ReadFile(file)
			if err != nil {
				continue
			}
			for _, d := range twinsIn(text) {
				out = append(out, finding{reason: "DuplicateKey", message: d.text + "; the last of them counts", origin: gitops.Origin{File: own, Line: d.line}})
			}
		}
	}
	return out
}

// defaultValues are the values of a chart in a repository.
func defaultValues(s v1alpha1.ApplicationSource) string {
	if s.Chart != "" || s.Ref != "" && s.Path == "" {
		return ""
	}
	return "values.yaml"
}

// first reports whether a file was not looked at before.
func (t *twins) first(r read) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen[r] {
		return false
	}
	if t.seen == nil {
		t.seen = map[read]bool{}
	}
	t.seen[r] = true
	return true
}

// mostTwins are those that are told of one file.
const mostTwins = 100

var twinLine = regexp.MustCompile(`line (\d+): (key .* already set in map)`)

// twinsIn lists the keys that stand twice in a text that can be read otherwise.
func twinsIn(text []byte) []twin {
	if _, err := bounded.Check(text); err != nil {
		return nil // the render says so
	}
	_, err := yaml.YAMLToJSONStrict(text)
	if err == nil {
		return nil
	}
	if _, broken := yaml.YAMLToJSON(text); broken != nil {
		return nil // the render says so
	}
	var out []twin
	for _, m := range twinLine.FindAllStringSubmatch(err.Error(), mostTwins) {
		line, err := strconv.Atoi(m[1])
		if err == nil {
			out = append(out, twin{m[2], line})
		}
	}
	return out
}
