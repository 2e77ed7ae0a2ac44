package scene

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func basename(folder string) string {
	return strings.ReplaceAll(strings.TrimPrefix(folder, "sets/"), "/", "-")
}

// Folders are those of all applications at a commit.
func (s *Scene) Folders(commit int) []string {
	var all []string
	for _, o := range s.Commits[commit] {
		if !slices.Contains(all, o.App) {
			all = append(all, o.App)
		}
	}
	return all
}

// Write puts a commit's files into a folder. Each application has one file,
// which is exchanged at once: nobody reads half a commit of one application.
func (s *Scene) Write(dir string, commit int) error {
	for _, folder := range s.Folders(commit) {
		var b strings.Builder
		for _, o := range s.Commits[commit] {
			if o.App == folder {
				b.WriteString("---\n" + s.YAML(o))
			}
		}
		if err := exchange(filepath.Join(dir, folder, "all.yaml"), b.String()); err != nil {
			return err
		}
	}
	return nil
}

func exchange(name, text string) error {
	if old, err := os.ReadFile(name); err == nil && string(old) == text {
		return nil
	}
	if err := os.MkdirAll(path.Dir(name), 0o750); err != nil {
		return err
	}
	// The name must not end in .yaml: the folder is read at any moment.
	temporary := name + ".new"
	if err := os.WriteFile(temporary, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, name)
}

// Manifests are the Applications and sets that a person creates.
func (s *Scene) Manifests() []string {
	var all []string
	for _, folder := range s.Roots {
		all = append(all, fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: %s
  namespace: %s
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
%s`, s.AppName(folder), s.Control, s.spec(folder)))
	}
	if s.Set {
		all = append(all, fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: %[1]s-set, namespace: %[2]s}
spec:
  goTemplate: true
  generators:
    - git: {repoURL: %[3]s, revision: HEAD, directories: [{path: "sets/*"}], requeueAfterSeconds: 5}
  template:
    metadata: {name: "%[1]s-{{.path.basename}}", finalizers: [resources-finalizer.argocd.argoproj.io]}
    spec:
%[4]s`, s.Namespace, s.Control, s.RepoURL, indent(s.spec("X"))))
	}
	return all
}

func indent(text string) string {
	text = strings.Replace(text, "path: X", `path: "{{.path.path}}"`, 1)
	return "    " + strings.TrimRight(strings.ReplaceAll(text, "\n", "\n    "), " ")
}

// Definition is the name of the scene's own definition; empty without one.
// It outlives the application that brought it.
func (s *Scene) Definition() string {
	for _, o := range s.Commits[0] {
		if o.Kind == "CustomResourceDefinition" {
			return o.Name
		}
	}
	return ""
}

// Apps are the names of all Applications at the last commit.
func (s *Scene) Apps() []string {
	var all []string
	for _, folder := range s.Folders(len(s.Commits) - 1) {
		all = append(all, s.AppName(folder))
	}
	return all
}
