package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// DefaultMaxBytes bounds the manifests of one source.
const DefaultMaxBytes = 10 << 20

// skipMarker in a file leaves the file out.
const skipMarker = "+argocd:skip-file-rendering"

var manifestName = regexp.MustCompile(`\.(ya?ml|json|jsonnet)$`)

// Renderer renders folders. The zero value is ready for use.
type Renderer struct {
	// MaxBytes bounds the manifest files of one source together;
	// DefaultMaxBytes when 0.
	MaxBytes int64
}

var _ source.Renderer = Renderer{}

// Type implements source.Renderer.
func (Renderer) Type() gitops.SourceType { return gitops.SourceDirectory }

// Render implements source.Renderer: the objects in the order of the files' paths.
func (r Renderer) Render(ctx context.Context, s *source.Source) ([]gitops.Manifest, error) {
	files, err := list(ctx, s)
	if err != nil {
		return nil, err
	}
	if s.Plain && !plain(files) {
		return nil, source.ErrNotPlain
	}
	run := &run{source: s, left: r.MaxBytes, max: r.MaxBytes, texts: map[string][]byte{}}
	if run.max == 0 {
		run.left, run.max = DefaultMaxBytes, DefaultMaxBytes
	}
	for _, name := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := run.file(name); err != nil {
			return nil, err
		}
	}
	return run.manifests, nil
}

// run is one rendering.
type run struct {
	source    *source.Source
	left, max int64
	manifests []gitops.Manifest
	// variables and texts are what Jsonnet files are given, and import.
	variables []variable
	texts     map[string][]byte
	parts     parts
}

// mostPlainFiles bounds the files of a plain source.
const mostPlainFiles = 32

// plain reports whether files are few, and of YAML.
func plain(files []string) bool {
	return len(files) <= mostPlainFiles && !slices.ContainsFunc(files, func(name string) bool {
		ext := path.Ext(name)
		return ext != ".yaml" && ext != ".yml"
	})
}

func (r *run) file(name string) error {
	program := path.Ext(name) == ".jsonnet"
	if program && slices.Contains(r.source.Settings.Disabled, gitops.SourceDirectory) {
		r.source.Warn("SkippedFile", "Jsonnet is turned off in ConfigMap argocd-cm, so the file is left out", r.source.Tree.Where(name, 0))
		return nil
	}
	text, err := r.source.Tree.ReadFile(name)
	if err != nil {
		return source.Missing(r.at(name), "manifest file", "", err)
	}
	text = decode(text)
	if bytes.Contains(text, []byte(skipMarker)) {
		return nil
	}
	if program {
		return r.jsonnet(name, text)
	}
	if r.left -= int64(len(text)); r.left < 0 {
		return gitops.Problemf(gitops.Invalid, "cannot render folder %s: its manifests have more than %d MiB", r.source.Path, r.max>>20).
			At(r.source.Tree.Where(name, 0)).Do("split the application, or leave files out by directory.exclude")
	}
	if path.Ext(name) == ".json" {
		return r.json(name, text)
	}
	return r.yaml(name, text)
}

// yaml leaves a file out that does not read as objects and does not look
// like it should.
func (r *run) yaml(name string, text []byte) error {
	docs, err := r.reader().Read(text)
	if r.source.Plain && err != nil {
		return source.ErrNotPlain // what is wrong is told by who knows more
	}
	if err != nil && (len(docs) > 0 || looksLikeManifest(text) || tooMuch(err)) {
		return r.broken(name, err)
	}
	if err != nil {
		r.skip(name, text, document.AsError(err))
		return nil
	}
	for _, d := range docs {
		if d.Duplicate != nil {
			r.source.Warn("DuplicateKey", "the last one counts: "+d.Duplicate.Text, r.source.Tree.Where(name, d.Duplicate.Line))
		}
		if err := r.addFrom(text, d.Object, name, d.Line); err != nil {
			return err
		}
	}
	return nil
}

// json reads the one object that a JSON file may hold.
func (r *run) json(name string, text []byte) error {
	var raw json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		return r.broken(name, &document.Error{Line: lineAt(text, decoder.InputOffset()), Text: err.Error()})
	}
	if decoder.More() {
		return r.broken(name, &document.Error{Line: lineAt(text, decoder.InputOffset()), Text: "a JSON file may hold one object only"})
	}
	if artifact(raw) {
		r.source.Warn("SkippedFile", "the file is the manifest of an OCI artifact and is left out", r.source.Tree.Where(name, 1))
		return nil
	}
	docs, err := r.reader().Read(raw)
	if err != nil {
		return r.broken(name, err)
	}
	for _, d := range docs {
		if err := r.addFrom(text, d.Object, name, 1); err != nil {
			return err
		}
	}
	return nil
}

// reader takes what it reads of the application's budgets.
func (r *run) reader() document.Reader {
	reader := document.Within(r.source.Values).Holding(r.source.Output)
	if r.source.Plain {
		return reader.Plainly()
	}
	return reader
}

// tooMuch reports whether nobody knows what a file is, as it was not parsed.
func tooMuch(err error) bool {
	var much *bounded.TooMuch
	return errors.As(err, &much)
}

func lineAt(text []byte, offset int64) int {
	return bytes.Count(text[:min(int(offset), len(text))], []byte("\n")) + 1
}

// add takes an object, or those of a list.
func (r *run) add(o *unstructured.Unstructured, name string, line int) error {
	return r.addFrom(nil, o, name, line)
}

// addFrom is add for what a text holds: items of lists have their own lines.
func (r *run) addFrom(text []byte, o *unstructured.Unstructured, name string, line int) error {
	objects, err := document.Open(o)
	if err != nil {
		return r.broken(name, &document.Error{Line: line, Text: err.Error()})
	}
	var lines []int
	if len(objects) != 1 || objects[0] != o {
		if r.source.Plain {
			return source.ErrNotPlain
		}
		lines = itemLines(r.parts.in(text), line)
	}
	for i, object := range objects {
		at := r.source.Tree.Where(name, line)
		if i < len(lines) {
			at.Line = lines[i]
		}
		r.manifests = append(r.manifests, gitops.Manifest{Object: object, Origin: at})
	}
	return nil
}

func (r *run) broken(name string, err error) error {
	e := document.AsError(err)
	return &gitops.Problem{
		Kind:  gitops.Invalid,
		What:  fmt.Sprintf("cannot read manifest file %s: %s", name, e.Text),
		Where: r.source.Tree.Where(name, e.Line),
		Fix:   "correct the file, or leave it out by directory.exclude",
		Err:   err,
	}
}

func (r *run) at(name string) source.File { return source.File{Tree: r.source.Tree, Name: name} }

// manifestWords are those that each manifest has.
var manifestWords = [][]byte{[]byte("apiVersion:"), []byte("kind:"), []byte("metadata:")}

func looksLikeManifest(text []byte) bool {
	return !slices.ContainsFunc(manifestWords, func(word []byte) bool { return !bytes.Contains(text, word) })
}

// skip leaves a file out. Files of values are common in folders; one that is
// broken, or has some words of a manifest, may have been one: leaving it out
// deletes what it gave, so people are told.
func (r *run) skip(name string, text []byte, e *document.Error) {
	where := r.source.Tree.Where(name, e.Line)
	meant := slices.ContainsFunc(manifestWords, func(word []byte) bool { return bytes.Contains(text, word) })
	if !meant && holdsData(text) {
		r.source.Warn("SkippedFile", "the file is no Kubernetes object and is left out: "+e.Text, where)
		return
	}
	r.source.Warn(v1alpha1.ApplicationConditionSkippedManifestWarning, fmt.Sprintf("file %s is no Kubernetes object, so nothing of it is applied: %s", name, e.Text), where)
}

// holdsData reports whether a text reads as a mapping or a list.
func holdsData(text []byte) bool {
	var value any
	if bounded.Unmarshal(text, &value) != nil {
		return false
	}
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
