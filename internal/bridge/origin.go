package bridge

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// FieldTrace is where a field of a rendered object comes from.
type FieldTrace struct {
	Application string `json:"application"`
	Object      string `json:"object"`
	Path        string `json:"path"`
	Value       any    `json:"value"`
	// Where is the template or manifest that the object is written in.
	Where string `json:"where,omitempty"`
	// Set and Cluster made the Application; empty for one that no set made.
	Set     string `json:"applicationSet,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	// Secret is the cluster's: several may have one name.
	Secret string `json:"-"`
	// Keys of the cluster that the field follows.
	Keys []KeyOrigin `json:"keys"`
	// Tried is how many keys were given another value.
	Tried int `json:"tried"`
	// Notes tell of keys of which it could not be found out.
	Notes []string `json:"notes,omitempty"`
}

// KeyOrigin is a key that a field follows, through fields of the Application.
type KeyOrigin struct {
	Key

	Value      string        `json:"value"`
	SetBy      Setter        `json:"setBy"`
	Parameters []FieldChange `json:"parameters"`
}

// mostKeys bounds the renderings of one question.
const mostKeys = 64

// TraceField tells which keys of a cluster a field of an application's object
// follows. The field is written OBJECT:PATH, as in Deployment/web:spec.replicas.
func TraceField(ctx context.Context, f Fleet, app *v1alpha1.Application, object, path string) (*FieldTrace, error) {
	rendering, err := f.Stages.Render(ctx, app)
	if err != nil {
		return nil, err
	}
	found, err := pick(rendering.Manifests, object, app.Name)
	if err != nil {
		return nil, err
	}
	value, ok := valueAt(found.Object.Object, path)
	if !ok {
		return nil, unknownField(found, path)
	}
	out := &FieldTrace{Application: app.Name, Object: objectName(found.Key()), Path: path, Where: found.Origin.String(), Keys: []KeyOrigin{}}
	out.Value = f.shownAt(found.Object.Object, path, redact.NewKnown(rendering.Hidden, rendering.Manifests))
	err = f.origins(ctx, app, out, func(after *v1alpha1.Application, fields []FieldChange) (bool, string) {
		return f.differsAt(ctx, after, fields, found.Key(), path, value)
	})
	return out, err
}

// TraceValue tells which keys of a cluster something follows that is read off
// an Application, such as a Helm value: read gives it for each version of the
// Application.
func TraceValue(ctx context.Context, f Fleet, app *v1alpha1.Application, read func(context.Context, *v1alpha1.Application) (any, error)) (*FieldTrace, error) {
	before, err := read(ctx, app)
	if err != nil {
		return nil, err
	}
	out := &FieldTrace{Application: app.Name, Keys: []KeyOrigin{}}
	err = f.origins(ctx, app, out, func(after *v1alpha1.Application, fields []FieldChange) (bool, string) {
		if field, fetches := fetched(fields); fetches {
			return true, field + " says what is fetched: the value may follow"
		}
		now, err := read(ctx, lenient(after, fields))
		if err != nil {
			return false, "with another value the application cannot be rendered: " + err.Error()
		}
		return !reflect.DeepEqual(before, now), ""
	})
	return out, err
}

// origins gives each key that the application's set reads another value, and
// keeps those for which follows says so.
func (f Fleet) origins(ctx context.Context, app *v1alpha1.Application, out *FieldTrace, follows func(*v1alpha1.Application, []FieldChange) (ok bool, note string)) error {
	set, i := f.makerOf(app)
	if set == nil {
		return nil
	}
	c := &f.Clusters[i]
	out.Set, out.Cluster, out.Secret = set.Name, c.Name, c.Secret
	reading := readingOf(*set)
	for _, k := range c.Keys() {
		if _, reads := reading.reads(c.Name, k); !reads {
			continue
		}
		if out.Tried == mostKeys {
			out.Notes = append(out.Notes, "only the first "+gitops.Count(mostKeys, "key")+" were tried")
			return nil
		}
		out.Tried++
		value, _ := c.Value(k)
		after, err := f.expandOne(ctx, set, app, f.with(i, k, Instead(value)))
		if err != nil {
			return err
		}
		if after == nil {
			continue // the key selects the application, or names it
		}
		fields := differencesOf(app, after)
		if len(fields) == 0 {
			continue
		}
		ok, note := follows(after, fields)
		if note != "" {
			out.Notes = append(out.Notes, k.String()+": "+note)
		}
		if ok {
			out.Keys = append(out.Keys, KeyOrigin{Key: k, Value: value, SetBy: c.Set[k], Parameters: fields})
		}
	}
	return nil
}

// makerOf finds the set that made an application, and its cluster, of several the first.
func (f Fleet) makerOf(app *v1alpha1.Application) (*Set, int) {
	for i := range f.Sets {
		s := &f.Sets[i]
		if s.Expansion == nil {
			continue
		}
		at := slices.IndexFunc(s.Expansion.Applications, func(a v1alpha1.Application) bool { return a.Name == app.Name })
		if at < 0 {
			continue
		}
		if c := f.firstOf(s.Expansion.Of[at]); c >= 0 {
			return s, c
		}
	}
	return nil, -1
}

// firstOf is the place of the first cluster that something is made of; -1 for none.
func (f Fleet) firstOf(of *generate.Origin) int {
	for _, made := range of.Clusters() {
		is := func(c Cluster) bool { return c.Name == made.Name && c.Secret == made.Secret }
		if i := slices.IndexFunc(f.Clusters, is); i >= 0 {
			return i
		}
	}
	return -1
}

// expandOne is the application as its set makes it for other clusters; nil
// when there is none of that name.
func (f Fleet) expandOne(ctx context.Context, set *Set, app *v1alpha1.Application, clusters []gitops.Cluster) (*v1alpha1.Application, error) {
	e, err := f.Stages.Expand(ctx, set.ApplicationSet, clusters)
	if err != nil {
		return nil, ctx.Err() // with another value the set gives nothing at all
	}
	defer e.Release()
	for i := range e.Applications {
		if one := e.Applications[i]; one.Name == app.Name {
			return &one, nil // the others go
		}
	}
	return nil, nil //nolint:nilnil // there is no such application then
}

// differsAt renders the application with another value of a key, and reports
// whether the field follows.
func (f Fleet) differsAt(ctx context.Context, after *v1alpha1.Application, fields []FieldChange, object gitops.Key, path string, before any) (ok bool, note string) {
	if field, fetches := fetched(fields); fetches {
		return true, field + " says what is fetched: the field may follow"
	}
	if !slices.ContainsFunc(fields, func(c FieldChange) bool { return renders(c.Path) }) {
		return false, ""
	}
	rendering, err := f.Stages.Render(ctx, lenient(after, fields))
	if err != nil {
		return false, "with another value the application cannot be rendered: " + err.Error()
	}
	for _, m := range rendering.Manifests {
		if m.Key() == object {
			now, there := valueAt(m.Object.Object, path)
			return !there || len(differences(before, now)) > 0, ""
		}
	}
	return true, "" // the object itself follows
}

// pick finds the object that a person names as Kind/name or Kind/namespace/name.
func pick(all []gitops.Manifest, object, app string) (gitops.Manifest, error) {
	var known []string
	for _, m := range all {
		k := m.Key()
		if strings.EqualFold(object, k.Kind+"/"+k.Name) || strings.EqualFold(object, objectName(k)) {
			return m, nil
		}
		known = append(known, k.Kind+"/"+k.Name)
	}
	return gitops.Manifest{}, gitops.Problemf(gitops.NotFound, "application %s has no object %s%s", app, object, gitops.DidYouMean(object, known))
}

// mostNear bounds how many fields are held against one that is not there.
const mostNear = 10_000

func unknownField(m gitops.Manifest, path string) error {
	var known []string
	visit("", m.Object.Object, func(at, _ string) {
		if len(known) < mostNear {
			known = append(known, strings.TrimPrefix(at, "."))
		}
	})
	return gitops.Problemf(gitops.NotFound, "%s has no field %s%s", objectName(m.Key()), path, gitops.DidYouMean(path, known))
}

// shownAt is a field as it may be shown: what stands beside it, such as the name
// of a variable, tells as well whether it is secret.
func (f Fleet) shownAt(object map[string]any, path string, known redact.Known) any {
	value, _ := valueAt(object, path)
	switch {
	case value == nil:
		return nil
	case known.Within(value): // also a number, and a name in a map
		return redacted
	}
	shown, _ := redact.NewMasker(known).Hiding(f.Hides).For(object).At(redact.Place{}, gitops.Plain(object))
	if value, ok := valueAt(shown, path); ok {
		return value
	}
	return redacted // what it is in is masked as a whole
}

// valueAt finds a field by its path, as in spec.containers[0].image.
func valueAt(tree any, path string) (any, bool) {
	for _, part := range steps(path) {
		switch v := tree.(type) {
		case map[string]any:
			inner, ok := v[part]
			if !ok {
				return nil, false
			}
			tree = inner
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			tree = v[i]
		default:
			return nil, false
		}
	}
	return tree, true
}

// steps splits a path at its dots and brackets; what is quoted stays whole.
func steps(path string) []string {
	var out []string
	for path != "" {
		switch path[0] {
		case '.':
			path = path[1:]
		case '[':
			inner, rest, ok := strings.Cut(path[1:], "]")
			if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
				inner, _ = strconv.Unquote(quoted)
				_, rest, ok = strings.Cut(path[1+len(quoted):], "]")
			}
			if !ok {
				return append(out, path)
			}
			out, path = append(out, inner), rest
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			out, path = append(out, path[:end]), path[end:]
		}
	}
	return out
}
