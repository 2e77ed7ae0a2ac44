package kustomize

import (
	"bytes"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// remote is what the library would fetch from elsewhere: by git for folders,
// by HTTP for files.
var remote = regexp.MustCompile(`(?i)^(git::)?((ssh|https?|file)://|[a-z][a-z0-9-]*@|github\.com[/:])`)

// The fields of a kustomization, and of the built-in plugins' files, that
// hold paths. Those of folders are checked to be there, too.
var (
	folderFields = []string{"resources", "bases", "components"}
	pathFields   = []string{
		"resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
		"patchesStrategicMerge", "path", "paths", "files", "envs", "env", "helmCharts", "helmChartInflationGenerator", "valuesFile", "repo",
	}
	pathParents = []string{"patches", "patchesJson6902", "replacements", "configMapGenerator", "secretGenerator", "openapi"}
)

// guard stops what the library must not do: fetch, or change the schema that
// other builds read. It returns the text to read; written is the file before
// it was edited.
func (f *treeFS) guard(name string, text, written []byte) ([]byte, error) {
	if slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(name)) {
		return f.guardKustomization(name, text, written)
	}
	if !bytes.Contains(text, []byte("://")) || !bytes.Contains(text, []byte("builtin")) {
		return text, nil
	}
	for _, p := range document.Split(text) {
		var doc map[string]any
		if yaml.Unmarshal(p.Text, &doc) == nil && doc["apiVersion"] == "builtin" {
			if err := f.guardRemote(name, written, doc, true); err != nil {
				return nil, err
			}
		}
	}
	return text, nil
}

func (f *treeFS) guardKustomization(name string, text, written []byte) ([]byte, error) {
	if e := document.Check(text); e != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read kustomization file %s: %s", name, e.Text).At(f.tree.Where(name, e.Line)).Do("correct the YAML")
	}
	doc := kustomization{}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read kustomization file %s: it is no mapping", name).At(f.tree.Where(name, 1))
	}
	if err := f.guardRemote(name, written, doc, false); err != nil {
		return nil, err
	}
	if err := f.guardMissing(name, written, doc); err != nil {
		return nil, err
	}
	if schema, _ := doc["openapi"].(map[string]any); len(schema) > 0 && !f.allowSchema {
		f.ownSchema = true
		return nil, errOwnSchema
	}
	if !doc.modernise() {
		return text, nil
	}
	return yaml.Marshal(doc)
}

// guardRemote refuses paths that lie elsewhere.
func (f *treeFS) guardRemote(name string, written []byte, doc map[string]any, plugin bool) error {
	for field, value := range doc {
		if !plugin && slices.Contains(pathParents, field) {
			if err := f.guardEach(name, written, value); err != nil {
				return err
			}
		}
		if !slices.Contains(pathFields, field) {
			continue
		}
		for _, p := range texts(value) {
			if err := f.guardPath(name, written, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *treeFS) guardEach(name string, written []byte, value any) error {
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			if err := f.guardRemote(name, written, m, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *treeFS) guardPath(name string, written []byte, p string) error {
	_, afterKey, _ := strings.Cut(p, "=")
	if !remote.MatchString(p) && !remote.MatchString(afterKey) {
		return nil
	}
	return gitops.Problemf(gitops.Invalid, "cannot build %s: not supported yet: a base or file from elsewhere (%s)", name, withoutUser(p)).
		At(f.tree.Where(name, lineOf(written, p))).Do("copy it into the repository")
}

var user = regexp.MustCompile(`//[^/@]*@`)

func withoutUser(p string) string { return user.ReplaceAllString(p, "//") }

// guardMissing tells of what is not there before the library looks for it.
func (f *treeFS) guardMissing(name string, written []byte, doc kustomization) error {
	for _, field := range folderFields {
		for _, p := range texts(doc[field]) {
			if strings.Contains(p, "\n") {
				continue // an object in place
			}
			at, ok := source.Inside(path.Dir(name), p)
			if !ok || path.IsAbs(p) {
				return gitops.Problemf(gitops.Invalid, "cannot build %s: %s is outside the repository", name, p).At(f.tree.Where(name, lineOf(written, p)))
			}
			if _, err := f.tree.Stat(at); err != nil {
				var problem *gitops.Problem
				if errors.As(source.Missing(source.File{Tree: f.tree, Name: at}, "what "+name+" lists in "+field+":", "add it, or correct the path", err), &problem) {
					problem.Where = f.tree.Where(name, lineOf(written, p))
					return problem
				}
				return err
			}
		}
	}
	return nil
}

// texts are the strings of a value, or of its list.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, texts(item)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, item := range v {
			out = append(out, texts(item)...)
		}
		return out
	}
	return nil
}

// lineOf finds the line that holds a text, 0 when none does.
func lineOf(text []byte, what string) int {
	i := bytes.Index(text, []byte(what))
	if i < 0 || what == "" {
		return 0
	}
	return bytes.Count(text[:i], []byte("\n")) + 1
}
