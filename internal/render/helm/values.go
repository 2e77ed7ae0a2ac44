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
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// values merges what the user gives, weakest first: value files in their
// order, the values object or text, parameters, file parameters.
func (r *Renderer) values(ctx context.Context, s *source.Source, spec *v1alpha1.ApplicationSourceHelm) (map[string]any, error) {
	values := map[string]any{}
	files, err := r.valueFiles(s, spec)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := r.read(ctx, s, f)
		if spec.IgnoreMissingValueFiles && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, f.unread(err)
		}
		if values, err = mergeText(values, f.File, text); err != nil {
			return nil, err
		}
	}
	if values, err = inline(s, spec, values); err != nil {
		return nil, err
	}
	return values, parameters(s, spec, values)
}

// inline merges the object, or else the text, of the application itself.
func inline(s *source.Source, spec *v1alpha1.ApplicationSourceHelm, values map[string]any) (map[string]any, error) {
	text, field := []byte(spec.Values), "helm.values"
	if spec.ValuesObject != nil && len(spec.ValuesObject.Raw) > 0 {
		text, field = spec.ValuesObject.Raw, "helm.valuesObject"
	}
	if len(text) == 0 {
		return values, nil
	}
	more, err := readValues(text)
	if err != nil {
		return nil, problem(s, "cannot read %s of the application: %s", field, whereBroken(text, err)).Do("write a YAML mapping")
	}
	return mergeMaps(values, more), nil
}

func whereBroken(text []byte, err error) string {
	if e := document.Check(text); e != nil {
		return e.Error()
	}
	return err.Error()
}

func mergeText(values map[string]any, at source.File, text []byte) (map[string]any, error) {
	more, err := readValues(text)
	if err == nil {
		return mergeMaps(values, more), nil
	}
	if broken := readable(at, text); broken != nil {
		return nil, broken
	}
	return nil, gitops.Problemf(gitops.Invalid, "cannot read value file %s: %w", at.Name, err).At(at.Where(0)).Do("write a YAML mapping")
}

// readable tells where a YAML file is broken.
func readable(at source.File, text []byte) error {
	if e := document.Check(text); e != nil {
		return gitops.Problemf(gitops.Invalid, "cannot read %s: %s", at.Name, e.Text).At(at.Where(e.Line)).Do("correct the YAML")
	}
	return nil
}

// parameters sets single values as helm's --set, --set-string and --set-file do.
func parameters(s *source.Source, spec *v1alpha1.ApplicationSourceHelm, values map[string]any) error {
	for _, force := range []bool{false, true} {
		set := strvals.ParseInto
		if force {
			set = strvals.ParseIntoString
		}
		for _, p := range spec.Parameters {
			if p.ForceString != force {
				continue
			}
			if err := safely(func() error { return set(p.Name+"="+escaped(s.Env.Expand(p.Value)), values) }); err != nil {
				return problem(s, "cannot set helm parameter %s: %w", p.Name, err).Do("correct helm.parameters")
			}
		}
	}
	for _, p := range spec.FileParameters {
		if err := fileParameter(s, p, values); err != nil {
			return err
		}
	}
	return nil
}

func fileParameter(s *source.Source, p v1alpha1.HelmFileParameter, values map[string]any) error {
	at, err := s.Locate(p.Path)
	if err != nil {
		return err
	}
	text, err := at.Tree.ReadFile(at.Name)
	if err != nil {
		return source.Missing(at, "the file of helm parameter "+p.Name+":", "correct helm.fileParameters", err)
	}
	read := func([]rune) (any, error) { return string(text), nil } //nolint:unparam // the parser asks for the error
	if err := safely(func() error { return strvals.ParseIntoFile(p.Name+"=file", values, read) }); err != nil {
		return problem(s, "cannot set helm parameter %s: %w", p.Name, err).Do("correct helm.fileParameters")
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

func readValues(text []byte) (map[string]any, error) { return loader.LoadValues(bytes.NewReader(text)) }

func mergeMaps(weak, strong map[string]any) map[string]any { return loader.MergeMaps(weak, strong) }
