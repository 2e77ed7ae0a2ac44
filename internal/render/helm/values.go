package helm

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// layer is one of the texts that the user gives.
type layer struct {
	kind gitops.LayerKind
	// name is what the Application calls it.
	name string
	// at is the file; a text of the Application itself has none.
	at     source.File
	text   []byte
	values map[string]any
}

// values merges what the user gives, weakest first: value files in their
// order, the values object or text, parameters, file parameters.
func (r *Renderer) values(ctx context.Context, s *source.Source, spec *v1alpha1.ApplicationSourceHelm) (map[string]any, error) {
	layers, err := r.layers(ctx, s, spec)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for _, l := range layers {
		values = mergeMaps(values, l.values)
	}
	return values, parameters(s, spec, values)
}

// layers are the texts that are merged, weakest first.
func (r *Renderer) layers(ctx context.Context, s *source.Source, spec *v1alpha1.ApplicationSourceHelm) ([]layer, error) {
	files, err := r.valueFiles(ctx, s, spec)
	if err != nil {
		return nil, err
	}
	var layers []layer
	for _, f := range files {
		text, err := r.read(ctx, s, f.valueFile)
		if spec.IgnoreMissingValueFiles && errors.Is(err, fs.ErrNotExist) {
			s.Warn(gitops.MissingValueFile, "value file "+redacted(f.written)+" does not exist and is left out", f.Where(0))
			continue
		}
		if err != nil {
			return nil, f.unread(err)
		}
		values, err := fileValues(s, f.File, f.display(), text)
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer{gitops.LayerValueFile, redacted(f.written), f.place(), text, values})
	}
	own, err := inline(s, spec)
	return append(layers, own...), err
}

// inline is the object, or else the text, of the application itself.
func inline(s *source.Source, spec *v1alpha1.ApplicationSourceHelm) ([]layer, error) {
	text, field := []byte(spec.Values), "helm.values"
	if spec.ValuesObject != nil && len(spec.ValuesObject.Raw) > 0 {
		text, field = spec.ValuesObject.Raw, "helm.valuesObject"
	}
	if len(text) == 0 {
		return nil, nil
	}
	values, err := readValues(s, text)
	if err != nil {
		return nil, problem(s, "cannot read %s of the application: %s", field, whereBroken(text, err)).Do("write a YAML mapping")
	}
	return []layer{{kind: gitops.LayerValues, name: field, text: text, values: values}}, nil
}

func whereBroken(text []byte, err error) string {
	if e := document.Check(text); e != nil {
		return e.Error()
	}
	return err.Error()
}

// fileValues reads the text of a value file.
func fileValues(s *source.Source, at source.File, name string, text []byte) (map[string]any, error) {
	values, err := readValues(s, text)
	var much *bounded.TooMuch
	switch {
	case err == nil:
		return values, nil
	case errors.As(err, &much):
		return nil, gitops.Problemf(gitops.Invalid, "cannot read value file %s: %w", name, err).At(at.Where(0)).Do("use smaller value files")
	}
	if broken := readable(at, name, text); broken != nil {
		return nil, broken
	}
	return nil, gitops.Problemf(gitops.Invalid, "cannot read value file %s: %w", name, err).At(at.Where(0)).Do("write a YAML mapping")
}

// readable tells where a YAML file is broken.
func readable(at source.File, name string, text []byte) error {
	if e := document.Check(text); e != nil {
		return gitops.Problemf(gitops.Invalid, "cannot read %s: %s", name, e.Text).At(at.Where(e.Line)).Do("correct the YAML")
	}
	return nil
}

// parameters sets single values as helm's --set, --set-string and --set-file do.
func parameters(s *source.Source, spec *v1alpha1.ApplicationSourceHelm, values map[string]any) error {
	set, err := assignments(s, spec)
	if err != nil {
		return err
	}
	for _, a := range set {
		if err := parameter(s, a, values); err != nil {
			return err
		}
	}
	texts := fileTexts{}
	for _, p := range spec.FileParameters {
		if err := fileParameter(s, p, texts, values); err != nil {
			return err
		}
	}
	return nil
}

// inOrder has texts after all others, as --set-string beats --set.
func inOrder(all []v1alpha1.HelmParameter) []v1alpha1.HelmParameter {
	out := make([]v1alpha1.HelmParameter, 0, len(all))
	for _, force := range []bool{false, true} {
		for _, p := range all {
			if p.ForceString == force {
				out = append(out, p)
			}
		}
	}
	return out
}

func parameter(s *source.Source, a assignment, values map[string]any) error {
	set := strvals.ParseInto
	if a.text {
		set = strvals.ParseIntoString
	}
	if err := safely(func() error { return set(a.set, values) }); err != nil {
		return problem(s, "cannot set helm parameter %s: %w", shortened(a.name), err).Do("correct helm.parameters")
	}
	return nil
}

// assignment is a parameter as helm's --set is given it, or, for a text, its
// --set-string.
type assignment struct {
	name, set string
	text      bool
}

// assignments are the parameters in their order, where they may be set.
func assignments(s *source.Source, spec *v1alpha1.ApplicationSourceHelm) ([]assignment, error) {
	out := make([]assignment, 0, len(spec.Parameters))
	for _, p := range inOrder(spec.Parameters) {
		value, err := s.Expand(p.Value)
		if err != nil {
			return nil, problem(s, "cannot set helm parameter %s: %w", shortened(p.Name), err).Do("correct helm.parameters")
		}
		out = append(out, assignment{p.Name, p.Name + "=" + escaped(value), p.ForceString})
	}
	return out, admit(s, out, spec.FileParameters)
}

// fileTexts are the texts of file parameters: one for each file, however many
// names it is given to, in however many entries.
type fileTexts map[source.File]string

func (f fileTexts) read(at source.File) (string, error) {
	if text, ok := f[at]; ok {
		return text, nil
	}
	text, err := at.Tree.ReadFile(at.Name)
	if err != nil {
		return "", err
	}
	f[at] = string(text)
	return f[at], nil
}

func fileParameter(s *source.Source, p v1alpha1.HelmFileParameter, texts fileTexts, values map[string]any) error {
	at, err := s.Locate(p.Path)
	if err != nil {
		return err
	}
	content, err := texts.read(at)
	if err != nil {
		return source.Missing(at, "the file of helm parameter "+shortened(p.Name)+":", "correct helm.fileParameters", err)
	}
	read := func([]rune) (any, error) { return content, nil } //nolint:unparam // the parser asks for the error
	if err := safely(func() error { return strvals.ParseIntoFile(p.Name+"=file", values, read) }); err != nil {
		return problem(s, "cannot set helm parameter %s: %w", shortened(p.Name), err).Do("correct helm.fileParameters")
	}
	return nil
}

// safely turns a panic of the parser over an odd name into an error.
func safely(set func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the name does not fit the values")
		}
	}()
	return set()
}

// escaped keeps commas of a parameter's value from starting another
// parameter; {a,b} is a list.
func escaped(value string) string {
	if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
		return value
	}
	var b strings.Builder
	for i, c := range []byte(value) {
		if c == ',' && (i == 0 || value[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func readValues(s *source.Source, text []byte) (map[string]any, error) {
	if err := s.Values.Check(text); err != nil {
		return nil, err
	}
	return parseValues(text)
}

func parseValues(text []byte) (map[string]any, error) {
	return loader.LoadValues(bytes.NewReader(text))
}

func mergeMaps(weak, strong map[string]any) map[string]any { return loader.MergeMaps(weak, strong) }
