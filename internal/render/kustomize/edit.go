package kustomize

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// kustomization is the content of a kustomization file.
type kustomization map[string]any

// load reads the kustomization file of the source's folder.
func load(s *source.Source) (string, kustomization, error) {
	for _, base := range konfig.RecognizedKustomizationFileNames() {
		name := path.Join(s.Path, base)
		text, err := s.Tree.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, source.Missing(source.File{Tree: s.Tree, Name: name}, "kustomization file", "", err)
		}
		k := kustomization{}
		if err := s.Values.Check(text); err != nil {
			return "", nil, gitops.Problemf(gitops.Invalid, "cannot read kustomization file %s: %w", name, err).At(s.Tree.Where(name, 1))
		}
		if e := document.Check(text); e != nil {
			return "", nil, gitops.Problemf(gitops.Invalid, "cannot read kustomization file %s: %s", name, e.Text).At(s.Tree.Where(name, e.Line)).Do("correct the YAML")
		}
		if err := yaml.Unmarshal(text, &k); err != nil {
			return "", nil, gitops.Problemf(gitops.Invalid, "cannot read kustomization file %s: it is no mapping", name).At(s.Tree.Where(name, 1))
		}
		return name, k.canonical(), nil
	}
	p := problem(s, "cannot find a kustomization file in %s", s.Path)
	p.Kind = gitops.NotFound
	return "", nil, p.Do("add kustomization.yaml, or take the kustomize settings out of the application")
}

var fieldNames = func() []string {
	var names []string
	t := reflect.TypeFor[types.Kustomization]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

// canonical gives fields the case that they have in the documentation; the
// library reads them in any.
func (k kustomization) canonical() kustomization {
	out := kustomization{}
	for _, key := range slices.Sorted(maps.Keys(k)) { // the same one each time, where two are one field
		name := fieldOf(key)
		if _, exact := k[name]; !exact || name == key {
			out[name] = k[key]
		}
	}
	return out
}

func fieldOf(key string) string {
	for _, name := range fieldNames {
		if strings.EqualFold(name, key) {
			return name
		}
	}
	return key
}

// edit applies the application's settings in the order in which Argo CD
// runs kustomize edit.
func edit(s *source.Source, k kustomization) error {
	spec := s.Spec.Kustomize
	if spec == nil {
		return nil
	}
	k.text("namePrefix", spec.NamePrefix)
	k.text("nameSuffix", spec.NameSuffix)
	if err := k.images(s, spec.Images); err != nil {
		return err
	}
	if err := k.replicas(s, spec.Replicas); err != nil {
		return err
	}
	if err := k.labels(s, spec); err != nil {
		return err
	}
	if err := k.annotations(s, spec); err != nil {
		return err
	}
	k.text("namespace", spec.Namespace)
	if err := k.patches(s, spec.Patches); err != nil {
		return err
	}
	k.components(s, spec)
	return nil
}

func (k kustomization) text(field, value string) {
	if value != "" {
		k[field] = value
	}
}

func (k kustomization) list(field string) []any {
	l, _ := k[field].([]any)
	return l
}

// entries is a list of entries with names, the first of each at a place.
type entries struct {
	of    kustomization
	field string
	at    map[string]int
}

func (k kustomization) named(field string) entries {
	l := slices.Clone(k.list(field))
	n := entries{k, field, make(map[string]int, len(l))}
	for i, old := range slices.Backward(l) {
		m, _ := old.(map[string]any)
		if name, ok := m["name"].(string); ok {
			n.at[name] = i
		}
	}
	if l != nil {
		k[field] = l
	}
	return n
}

func entryName(entry map[string]any) string {
	name, _ := entry["name"].(string)
	return name
}

// find is the entry of the same name, if there is one.
func (n entries) find(entry map[string]any) map[string]any {
	i, ok := n.at[entryName(entry)]
	if !ok {
		return nil
	}
	old, _ := n.of.list(n.field)[i].(map[string]any)
	return old
}

// set replaces the entry of the same name, or adds it.
func (n entries) set(entry map[string]any) {
	l := n.of.list(n.field)
	name := entryName(entry)
	if i, ok := n.at[name]; ok {
		l[i] = entry
		return
	}
	n.at[name] = len(l)
	n.of[n.field] = append(l, entry)
}

func (k kustomization) replicas(s *source.Source, replicas v1alpha1.KustomizeReplicas) error {
	have := k.named("replicas")
	for _, r := range replicas {
		count := int64(r.Count.IntVal)
		if r.Count.Type == intstr.String {
			text, err := s.Expand(r.Count.StrVal)
			if err != nil {
				return err
			}
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil {
				return problem(s, "cannot set replicas of %s: %q is no number", r.Name, r.Count.StrVal).Do("correct kustomize.replicas")
			}
			count = n
		}
		have.set(map[string]any{"name": r.Name, "count": count})
	}
	return nil
}

func (k kustomization) annotations(s *source.Source, spec *v1alpha1.ApplicationSourceKustomize) error {
	if len(spec.CommonAnnotations) == 0 {
		return nil
	}
	values := maps.Clone(spec.CommonAnnotations)
	if spec.CommonAnnotationsEnvsubst {
		if err := expand(s, values); err != nil {
			return err
		}
	}
	return add(s, k, "commonAnnotations", values, spec.ForceCommonAnnotations)
}

// expand fills the build environment into values.
func expand(s *source.Source, values map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		text, err := s.Expand(values[key])
		if err != nil {
			return err
		}
		values[key] = text
	}
	return nil
}

// labels adds common labels: to selectors as well, or, without selectors,
// to the entry of labels that has the same settings.
func (k kustomization) labels(s *source.Source, spec *v1alpha1.ApplicationSourceKustomize) error {
	if len(spec.CommonLabels) == 0 {
		return nil
	}
	values := maps.Clone(spec.CommonLabels)
	if err := expand(s, values); err != nil {
		return err
	}
	if !spec.LabelWithoutSelector {
		return add(s, k, "commonLabels", values, spec.ForceCommonLabels)
	}
	for _, entry := range k.list("labels") {
		m, ok := entry.(map[string]any)
		if ok && m["includeSelectors"] != true && (m["includeTemplates"] == true) == spec.LabelIncludeTemplates {
			return add(s, m, "pairs", values, spec.ForceCommonLabels)
		}
	}
	pairs := map[string]any{}
	for key, value := range values {
		pairs[key] = value
	}
	k["labels"] = append(k.list("labels"), map[string]any{"pairs": pairs, "includeTemplates": spec.LabelIncludeTemplates})
	return nil
}

// add puts values into the map of a field; one that is there already is an
// error without force.
func add(s *source.Source, into map[string]any, field string, values map[string]string, force bool) error {
	have, _ := into[field].(map[string]any)
	if have == nil {
		have = map[string]any{}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if _, there := have[key]; there && !force {
			return problem(s, "cannot add %s %s: the kustomization has it already", strings.TrimPrefix(field, "common"), key).
				Do("take it out of the kustomization or the application, or set kustomize.forceCommonLabels or forceCommonAnnotations")
		}
		have[key] = values[key]
	}
	into[field] = have
	return nil
}

func (k kustomization) patches(s *source.Source, patches v1alpha1.KustomizePatches) error {
	for _, p := range patches {
		text, err := json.Marshal(p)
		if err != nil {
			return problem(s, "cannot read kustomize.patches: %w", err)
		}
		var entry map[string]any
		if err := json.Unmarshal(text, &entry); err != nil {
			return problem(s, "cannot read kustomize.patches: %w", err)
		}
		k["patches"] = append(k.list("patches"), entry)
	}
	return nil
}

func (k kustomization) components(s *source.Source, spec *v1alpha1.ApplicationSourceKustomize) {
	for _, c := range spec.Components {
		if spec.IgnoreMissingComponents && !hasKustomization(s, c) {
			continue
		}
		if have := k.list("components"); !slices.Contains(have, any(c)) {
			k["components"] = append(have, c)
		}
	}
}

func hasKustomization(s *source.Source, dir string) bool {
	at, ok := source.Inside(s.Path, dir)
	if !ok {
		return true // building tells what is wrong with it
	}
	for _, base := range konfig.RecognizedKustomizationFileNames() {
		info, err := s.Tree.Stat(path.Join(at, base))
		if err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}
