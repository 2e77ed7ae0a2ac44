// Package shipped finds the Lua that comes with Argo CD: health checks of
// kinds that Kubernetes does not define, and actions of any kind. They are
// data of a module of Argo CD's, which is imported here and nowhere else.
package shipped

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/argoproj/argo-cd/v3/resource_customizations"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/glob"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
)

// Names of the files: group/Kind/health.lua, group/Kind/actions/discovery.lua
// and group/Kind/actions/NAME/action.lua.
const (
	healthFile    = "health.lua"
	discoveryFile = "discovery.lua"
	actionFile    = "action.lua"
	actionsFolder = "actions"
)

// kind is what ships for a kind.
type kind struct {
	health, discovery *sandbox.Program
	actions           map[string]*sandbox.Program
}

// wildcard is a folder that stands for many groups or kinds.
type wildcard struct {
	match *glob.Pattern
	kind  *kind
}

type index struct {
	exact     map[string]*kind
	wildcards []wildcard
}

// scripts reads the names of all scripts once; each is compiled when it is
// run first.
var scripts = sync.OnceValue(func() *index { return newIndex(resource_customizations.Embedded) })

func newIndex(files fs.FS) *index {
	ix := &index{exact: map[string]*kind{}}
	_ = fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(file) != ".lua" {
			return err
		}
		source, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		ix.add(file, string(source))
		return nil
	})
	for _, key := range ix.keys() {
		if strings.Contains(key, "_") {
			ix.wildcards = append(ix.wildcards, wildcard{glob.MustCompile(strings.ReplaceAll(key, "_", "*")), ix.exact[key]})
		}
	}
	return ix
}

func (ix *index) add(file, source string) {
	dir, name := path.Split(file)
	key, rest, _ := strings.Cut(path.Clean(dir), "/"+actionsFolder)
	k := ix.exact[key]
	if k == nil {
		k = &kind{actions: map[string]*sandbox.Program{}}
		ix.exact[key] = k
	}
	switch name {
	case healthFile:
		k.health = sandbox.NewOpen(source)
	case discoveryFile:
		k.discovery = sandbox.NewOpen(source)
	case actionFile:
		k.actions[strings.TrimPrefix(rest, "/")] = sandbox.NewOpen(source)
	}
}

func (ix *index) keys() []string {
	out := make([]string, 0, len(ix.exact))
	for key := range ix.exact {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// Key is how a kind is written: group/Kind, or Kind in the core group.
func Key(gk schema.GroupKind) string {
	if gk.Group == "" {
		return gk.Kind
	}
	return gk.Group + "/" + gk.Kind
}

// Health is the check that ships for a kind; nil when there is none.
func Health(gk schema.GroupKind) *sandbox.Program {
	key := Key(gk)
	if k := scripts().exact[key]; k != nil && k.health != nil {
		return k.health
	}
	for _, w := range scripts().wildcards {
		if w.kind.health != nil && w.match.Match(key) {
			return w.kind.health
		}
	}
	return nil
}

// Discovery is the script that tells a kind's actions; nil when there is none.
func Discovery(gk schema.GroupKind) *sandbox.Program {
	if k := scripts().exact[Key(gk)]; k != nil {
		return k.discovery
	}
	return nil
}

// Action is the script of one action of a kind; nil when there is none.
func Action(gk schema.GroupKind, name string) *sandbox.Program {
	if k := scripts().exact[Key(gk)]; k != nil {
		return k.actions[name]
	}
	return nil
}

// All calls f for every script that ships, with the kind that it is for (an
// underscore stands for any group or kind) and its name: health, discovery or
// the action's.
func All(f func(key, name string, p *sandbox.Program)) {
	ix := scripts()
	for _, key := range ix.keys() {
		k := ix.exact[key]
		if k.health != nil {
			f(key, "health", k.health)
		}
		if k.discovery != nil {
			f(key, "discovery", k.discovery)
		}
		for name, p := range k.actions {
			f(key, name, p)
		}
	}
}
