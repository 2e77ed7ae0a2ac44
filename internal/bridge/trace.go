package bridge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// Stages expands and renders. Both are told the values to work on.
type Stages interface {
	// Expand expands a set as if these were the clusters of the fleet.
	Expand(ctx context.Context, set *v1alpha1.ApplicationSet, clusters []gitops.Cluster) (*generate.Expansion, error)
	// Render renders an Application whose sources are those of the fleet's
	// Application of that name.
	Render(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error)
}

// Fleet is what traces work on.
type Fleet struct {
	Clusters []Cluster
	Sets     []Set
	Stages   Stages
	// Holds is what may be held to compare the sets, in bytes; 0 is without bound.
	Holds int64
	// Hides are annotations of Secrets whose values are not shown, by name.
	Hides []string
}

// KeyTrace is what follows from a key of a cluster.
type KeyTrace struct {
	Cluster string `json:"cluster"`
	Key

	Value string `json:"value"`
	Type  Type   `json:"type"`
	SetBy Setter `json:"setBy"`
	// Instead is the value that the key got to see what follows.
	Instead string     `json:"instead"`
	Readers []SetTrace `json:"readers"`
}

// SetTrace is what follows from a key in one ApplicationSet.
type SetTrace struct {
	Reader

	// Follow are the Applications that differ with another value.
	Follow []AppTrace `json:"follow"`
	// Problem tells why the set could not be expanded with another value.
	Problem string `json:"problem,omitempty"`
}

// AppTrace is what follows from a key in one Application.
type AppTrace struct {
	Application string `json:"application"`
	// Effect is changed, or removed or added: the key then decides whether
	// there is such an Application, or what it is called.
	Effect string `json:"effect"`
	// Parameters are the fields of the Application that get another value.
	Parameters []FieldChange `json:"parameters,omitempty"`
	// Objects are those that are rendered differently.
	Objects []ObjectTrace `json:"objects,omitempty"`
	// Note tells why there are no objects.
	Note string `json:"note,omitempty"`
}

// ObjectTrace is what follows from a key in one object.
type ObjectTrace struct {
	// Object as Kind/name, or Kind/namespace/name.
	Object string        `json:"object"`
	Effect string        `json:"effect"`
	Where  string        `json:"where,omitempty"`
	Fields []FieldChange `json:"fields,omitempty"`
}

// Effects.
const (
	effectChanged = "changed"
	effectRemoved = "removed"
	effectAdded   = "added"
)

// TraceKey tells what follows from a key. It gives the key another value of
// the same type, expands the sets that read it and renders the Applications
// that differ; what differs follows, and nothing else does. Nothing is guessed
// from the text of templates, and nothing of it reaches a cluster.
func TraceKey(ctx context.Context, f Fleet, cluster string, k Key) (*KeyTrace, error) {
	i, err := f.find(cluster)
	if err != nil {
		return nil, err
	}
	c := &f.Clusters[i]
	value, ok := c.Value(k)
	if !ok {
		return nil, unknownKey(c, k)
	}
	out := &KeyTrace{Cluster: c.Name, Key: k, Value: value, Type: GuessType(value), SetBy: c.Set[k], Instead: Instead(value), Readers: []SetTrace{}}
	changed := f.with(i, k, out.Instead)
	reading := newReadings(f.Clusters, f.Sets)
	for j := range reading.sets {
		reader, ok := reading.sets[j].reads(c.Name, k)
		if !ok {
			continue
		}
		trace := SetTrace{Reader: reader, Follow: []AppTrace{}}
		trace.Follow, trace.Problem = f.follow(ctx, reading.sets[j].Set, changed)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out.Readers = append(out.Readers, trace)
	}
	return out, nil
}

func (f Fleet) find(cluster string) (int, error) { return Pick(f.Clusters, cluster) }

// Pick finds the cluster of a name, or of a Secret. Where several Secrets have
// the name, the one that is called so is meant; if none is, who asks has to
// name the Secret.
func Pick(clusters []Cluster, name string) (int, error) {
	secret := slices.IndexFunc(clusters, func(c Cluster) bool { return c.Secret != "" && c.Secret == name })
	same := Namesakes(clusters, name)
	switch {
	case len(same) > 1 && secret >= 0 && clusters[secret].Name == name:
		return secret, nil
	case len(same) > 1:
		return -1, gitops.Problemf(gitops.Invalid, "%d cluster Secrets have the name %q: %s", len(same), name, strings.Join(same, ", ")).
			Do("name the Secret instead, as " + same[0] + ", and give each another data.name")
	case len(same) == 1:
		return slices.IndexFunc(clusters, func(c Cluster) bool { return c.Name == name }), nil
	case secret >= 0:
		return secret, nil
	}
	var known []string
	for i := range clusters {
		known = append(known, clusters[i].Name)
	}
	p := gitops.Problemf(gitops.NotFound, "there is no cluster %q%s", name, gitops.DidYouMean(name, known))
	if _, near := gitops.Nearest(name, known); near {
		return -1, p
	}
	return -1, p.Do("name one of those that `causeway bridge` lists")
}

// Namesakes are the Secrets of the clusters that have a name.
func Namesakes(clusters []Cluster, name string) []string {
	var out []string
	for i := range clusters {
		if clusters[i].Name == name {
			out = append(out, clusters[i].Secret)
		}
	}
	return out
}

func unknownKey(c *Cluster, k Key) error {
	var known []string
	for _, has := range c.Keys() {
		known = append(known, has.Name)
	}
	return gitops.Problemf(gitops.NotFound, "cluster %s has no %s%s", c.Name, k, gitops.DidYouMean(k.Name, known))
}

// Find finds the key that a person means: its bare name, or with labels. or
// annotations. before it. One that is both is a label first.
func (f Fleet) Find(cluster, name string) ([]Key, error) {
	i, err := f.find(cluster)
	if err != nil {
		return nil, err
	}
	c := &f.Clusters[i]
	name = strings.TrimPrefix(name, "metadata.")
	var out []Key
	for _, k := range []Key{{Label, name}, {Annotation, name}} {
		if _, ok := c.Value(k); ok {
			out = append(out, k)
		}
	}
	if k, ok := keyOf("metadata." + name); ok && len(out) == 0 {
		out = append(out, k)
	}
	if len(out) == 0 {
		return nil, unknownKey(c, Key{"label or annotation", name})
	}
	return out, nil
}

// with are the clusters of the fleet with another value of one key.
func (f Fleet) with(i int, k Key, value string) []gitops.Cluster {
	out := make([]gitops.Cluster, len(f.Clusters))
	for j := range f.Clusters {
		out[j] = f.Clusters[j].Cluster
	}
	out[i] = f.Clusters[i].With(k, value)
	return out
}

// follow compares what a set gives with what it gives for other clusters.
func (f Fleet) follow(ctx context.Context, set Set, changed []gitops.Cluster) (follow []AppTrace, problem string) {
	after, err := f.Stages.Expand(ctx, set.ApplicationSet, changed)
	if err != nil {
		return []AppTrace{}, err.Error()
	}
	defer after.Release()
	now := gitops.ByName(after.Applications)
	follow = []AppTrace{}
	for i := range set.Expansion.Applications {
		was := &set.Expansion.Applications[i]
		is, ok := now[was.Name]
		delete(now, was.Name)
		if !ok {
			follow = append(follow, AppTrace{Application: was.Name, Effect: effectRemoved})
			continue
		}
		if fields := differencesOf(was, is); len(fields) > 0 {
			follow = append(follow, f.objects(ctx, was, is, fields))
		}
	}
	for name := range now {
		follow = append(follow, AppTrace{Application: name, Effect: effectAdded})
	}
	slices.SortFunc(follow, func(a, b AppTrace) int {
		return cmp.Or(strings.Compare(a.Application, b.Application), strings.Compare(a.Effect, b.Effect))
	})
	return follow, ""
}

// differencesOf lists the fields in which two Applications of a set differ.
func differencesOf(a, b *v1alpha1.Application) []FieldChange {
	type told struct {
		Metadata map[string]any           `json:"metadata,omitempty"`
		Spec     v1alpha1.ApplicationSpec `json:"spec"`
	}
	tree := func(app *v1alpha1.Application) any {
		return treeOf(told{Metadata: map[string]any{"labels": app.Labels, "annotations": app.Annotations}, Spec: app.Spec})
	}
	return differencesWith(tree(a), tree(b), fetches, renders, namesValueFiles)
}

// objects renders two Applications and compares the objects.
func (f Fleet) objects(ctx context.Context, was, is *v1alpha1.Application, fields []FieldChange) AppTrace {
	out := AppTrace{Application: was.Name, Effect: effectChanged, Parameters: fields}
	if field, ok := fetched(fields); ok {
		out.Note = field + " says what is fetched: all objects may follow"
		return out
	}
	if !slices.ContainsFunc(fields, func(c FieldChange) bool { return renders(c.Path) }) {
		out.Note = "no object follows: the fields are about the Application itself"
		return out
	}
	before, err := f.Stages.Render(ctx, was)
	if err != nil {
		out.Note = "it cannot be rendered as it is now: " + err.Error()
		return out
	}
	after, err := f.Stages.Render(ctx, lenient(is, fields))
	if err != nil {
		out.Note = "with another value the application cannot be rendered: " + err.Error()
		return out
	}
	out.Objects = compareObjects(before.Manifests, after.Manifests, slices.Concat(before.Hidden, after.Hidden))
	if len(out.Objects) == 0 {
		out.Note = "no object follows: the charts and manifests make nothing of the value"
	}
	return out
}

// fetched reports whether a field of an Application says what is fetched. There
// is nothing under another address to be compared with.
func fetched(fields []FieldChange) (string, bool) {
	for _, f := range fields {
		if fetches(f.Path) {
			return f.Path, true
		}
	}
	return "", false
}

// fetches reports whether the field at a path says what is fetched.
func fetches(path string) bool {
	last := path[strings.LastIndex(path, ".")+1:]
	inSource := strings.HasPrefix(path, "spec.source.") || strings.HasPrefix(path, "spec.sources[")
	if inSource && strings.Count(path, ".") == 2 && slices.Contains([]string{"repoURL", "targetRevision", "chart", "path", "ref"}, last) {
		return true
	}
	return path == "spec.source" || path == "spec.sources"
}

// renders reports whether a field of an Application takes part in rendering.
func renders(path string) bool {
	return strings.HasPrefix(path, "spec.source") || strings.HasPrefix(path, "spec.destination.namespace")
}

// lenient is an Application whose value files may be missing: under another
// name there is none, and what it said is then missing in what is rendered.
func lenient(app *v1alpha1.Application, fields []FieldChange) *v1alpha1.Application {
	if !slices.ContainsFunc(fields, func(c FieldChange) bool { return namesValueFiles(c.Path) }) {
		return app
	}
	out := app.DeepCopy()
	if out.Spec.Source != nil && out.Spec.Source.Helm != nil {
		out.Spec.Source.Helm.IgnoreMissingValueFiles = true
	}
	for i := range out.Spec.Sources {
		if h := out.Spec.Sources[i].Helm; h != nil {
			h.IgnoreMissingValueFiles = true
		}
	}
	return out
}

// namesValueFiles reports whether the field at a path names value files.
func namesValueFiles(path string) bool { return strings.Contains(path, "helm.valueFiles") }

// objectName is how a person names an object of an application.
func objectName(k gitops.Key) string {
	return gitops.ObjectPath(k.Kind, k.Namespace, k.Name)
}

func compareObjects(before, after []gitops.Manifest, secrets []string) []ObjectTrace {
	now := map[gitops.Key]gitops.Manifest{}
	for _, m := range after {
		now[m.Key()] = m
	}
	var out []ObjectTrace
	known, told := redact.NewKnown(secrets, before, after), 0
	for _, was := range before {
		is, ok := now[was.Key()]
		delete(now, was.Key())
		if !ok {
			out = append(out, ObjectTrace{Object: objectName(was.Key()), Effect: effectRemoved, Where: was.Origin.String()})
			continue
		}
		if fields := hidden(was.Key(), differences(was.Object.Object, is.Object.Object), known); len(fields) > 0 {
			if told += pathsOf(fields); told > mostAllPaths {
				fields = []FieldChange{{Path: rest}}
			}
			out = append(out, ObjectTrace{Object: objectName(was.Key()), Effect: effectChanged, Where: was.Origin.String(), Fields: fields})
		}
	}
	for k, m := range now {
		out = append(out, ObjectTrace{Object: objectName(k), Effect: effectAdded, Where: m.Origin.String()})
	}
	slices.SortFunc(out, func(a, b ObjectTrace) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Effect, b.Effect))
	})
	return out
}
