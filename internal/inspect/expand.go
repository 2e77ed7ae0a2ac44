package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// What is shown of an expansion: of one Application so many parameters, so many bytes
// of their names, each of which has those of all above it, and values, and of one
// value; of each text that says what is wrong; and so many warnings.
const (
	mostParameters = 500
	mostFlat       = 1 << 20
	mostValue      = 64 << 10
	mostText       = 4 << 10
	mostWarnings   = 100
)

// Accounts of expansions that nothing is written by: each takes turns with the projects
// of sets, however many look.
const (
	looks   = "looks"
	bridges = "bridge"
	trials  = "trials"
)

// Expand tells what an ApplicationSet gives now; nothing is written by that.
// That a set gives nothing is part of the answer.
func (i *Inspector) Expand(ctx context.Context, set *v1alpha1.ApplicationSet, look api.SetLook) (*api.Expansion, error) {
	began := time.Now()
	e, err := i.generator(listedClusters(i.fleet.Clusters()), generate.WithParameters(), generate.WithRoom(i.room), generate.WithAccount(looks)).Applications(ctx, set)
	defer e.Release()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out := &api.Expansion{At: began.UTC(), Applications: []api.GeneratedApp{}, Took: time.Since(began).Milliseconds()}
	if err != nil {
		out.Problem = gitops.First(err.Error(), mostText)
	}
	mask := redact.Masker{}
	if out.Spec, err = shownYAML(set.Spec, mask); err != nil {
		return nil, err
	}
	if e == nil {
		return out, nil
	}
	sees := seesNames(e, look)
	for i := range e.Warnings[:min(len(e.Warnings), mostWarnings)] {
		out.Doubts = append(out.Doubts, doubt(&e.Warnings[i], sees))
	}
	return out, showing{out, look, e.Reads.Clusters, mask}.all(e)
}

// doubt is a warning for who sees some of the Applications that a set gives: it names
// all that it is about, or none.
func doubt(w *gitops.Warning, sees func(name string) bool) api.Doubt {
	out := api.Doubt{Text: gitops.First(w.Message, mostText), Bare: gitops.First(w.Bare, mostText), Clusters: w.Clusters, Fleet: w.Fleet}
	for _, name := range w.Applications {
		if !sees(name) {
			return api.Doubt{Text: out.Bare}
		}
	}
	return out
}

// seesNames tells which Applications that a set gives somebody may read, by name. One
// whose project nobody knows is nobody's to read.
func seesNames(e *generate.Expansion, look api.SetLook) func(name string) bool {
	of := map[string]string{}
	for i := range e.Applications {
		of[e.Applications[i].Name] = e.Applications[i].Spec.GetProject()
	}
	for i := range e.Rejected {
		if app := e.Rejected[i].Application; app != nil {
			of[e.Rejected[i].Name] = app.Spec.GetProject()
		}
	}
	return func(name string) bool {
		return look.Sees(&api.GeneratedApp{Name: name, Project: of[name]})
	}
}

// showing is what is shown of an expansion.
type showing struct {
	out  *api.Expansion
	look api.SetLook
	// reads tells that the set reads clusters.
	reads bool
	mask  redact.Masker
}

// all shows the Applications, first those that are not created.
func (s showing) all(e *generate.Expansion) error {
	for _, r := range e.Rejected {
		one := api.GeneratedApp{Name: r.Name, Problem: problemText(r.Err), Bare: gitops.First(r.Bare, mostText)}
		if r.Application != nil {
			one.Project = r.Application.Spec.GetProject()
		}
		for i, p := range r.Params {
			if err := s.show(one, p, r.Of[i], r.Application); err != nil {
				return err
			}
		}
	}
	for i := range e.Applications {
		app := &e.Applications[i]
		if err := s.show(api.GeneratedApp{Name: app.Name, Project: app.Spec.GetProject()}, e.Params[i], e.Of[i], app); err != nil {
			return err
		}
	}
	return nil
}

// show shows an Application, which is nil where there is none for its name alone.
func (s showing) show(one api.GeneratedApp, params generate.Params, of *generate.Origin, app *v1alpha1.Application) error {
	return s.out.Show(s.look, one, func(one *api.GeneratedApp) (err error) {
		if s.reads { // else none are of a cluster
			one.Whose(of.One())
		}
		one.Parameters, one.Cut = flat(params, s.mask)
		if app != nil && s.look.Application != "" {
			one.Manifest, err = shownYAML(app, s.mask)
		}
		if one.Problem != "" {
			return nil // which says why it is refused, whether or not it can be shown
		}
		return err
	})
}

// shownYAML is a value without what is secret by its name, and without a status; as JSON
// where YAML would be little but indentation.
func shownYAML(value any, mask redact.Masker) (string, error) {
	var tree map[string]any
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &tree)
	}
	if err != nil {
		return "", err
	}
	delete(tree, "status")
	out, err := bounded.WriteYAML(mask.Value(nil, tree))
	return string(out), err
}

func problemText(err error) string {
	if err == nil {
		err = errors.New("it is not created")
	}
	return gitops.First(err.Error(), mostText)
}

// flat are parameters by dotted names, whatever the template's language, and whether
// something is left out.
func flat(params generate.Params, mask redact.Masker) (all map[string]string, cut bool) {
	f := flattening{out: map[string]string{}, left: mostFlat}
	shown, _ := mask.Value(nil, map[string]any(params)).(map[string]any)
	f.add(nil, shown)
	return f.out, f.cut
}

// flattening is a value whose leaves are put under dotted names, as long as they
// are not too many.
type flattening struct {
	out  map[string]string
	left int // bytes for names and values
	cut  bool
}

// add adds a value. All below it write over what follows its path.
func (f *flattening) add(path []byte, value any) {
	if len(f.out) >= mostParameters || f.left < 0 {
		f.cut = true
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			f.add(append(below(path), key...), v[key])
		}
	case []any:
		for i, item := range v {
			f.add(strconv.AppendInt(below(path), int64(i), 10), item) //nolint:mnd // decimal
		}
	case string:
		f.leaf(path, v)
	default:
		if text, err := json.Marshal(v); err == nil {
			f.leaf(path, string(text))
		}
	}
}

func (f *flattening) leaf(path []byte, text string) {
	shown := gitops.First(text, mostValue)
	f.cut = f.cut || len(text) > mostValue
	if f.left -= len(path) + len(shown); f.left < 0 {
		f.cut = true
		return
	}
	f.out[string(path)] = shown
}

// below is the start of the path of what is in a value.
func below(path []byte) []byte {
	if len(path) == 0 {
		return nil
	}
	return append(path, '.')
}
