package bridge

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Edit is another value of a key of a cluster, or the end of it.
type Edit struct {
	Key

	Value string
	// Drop takes the key away.
	Drop bool
}

// Outcome is what becomes of one Application. Before is nil for one that
// comes, After for one that goes, or is kept although its set no longer
// yields it.
type Outcome struct {
	Set           *v1alpha1.ApplicationSet
	Before, After *v1alpha1.Application
	// Was and Is are the clusters whose parameters alone made the two; nil where they
	// may be of others.
	Was, Is *gitops.Cluster
	// Fields are those that differ, where it stays.
	Fields []FieldChange
	// Kept is why one without After does not go.
	Kept generate.Keeping
}

// App is the Application, as it will be or as it was.
func (o *Outcome) App() *v1alpha1.Application {
	if o.After != nil {
		return o.After
	}
	return o.Before
}

// KeptByPolicy reports whether the policy of its set keeps one that would go.
func (o *Outcome) KeptByPolicy() bool { return o.Kept == generate.KeepsByPolicy }

// SetFailure is why it is not known what becomes of a set.
type SetFailure struct {
	Set    *v1alpha1.ApplicationSet
	Reason string
	// Keeps tells that the set deletes nothing meanwhile.
	Keeps bool
}

// fails notes that it is not known what becomes of a set.
func (w *WhatIf) fails(set *v1alpha1.ApplicationSet, reason string) {
	w.Failures = append(w.Failures, SetFailure{Set: set, Reason: reason})
}

// Shrunk is a set of which Applications go.
type Shrunk struct {
	Set *v1alpha1.ApplicationSet
	// Yields has the names of those that it yields then.
	Yields map[string]bool
}

// WhatIf is what follows from edits. Nothing of it reaches a cluster.
type WhatIf struct {
	// Cluster is as it would be.
	Cluster  gitops.Cluster
	Outcomes []Outcome
	// Shrunk are the sets that delete Applications, in the order of the fleet.
	Shrunk   []Shrunk
	Failures []SetFailure

	// held is about what the Applications take that the sets make of it, in bytes.
	held int64
}

// Suppose expands the sets as if the cluster of a Secret had other metadata, and
// compares what they make with what they make now. Sets that do not read clusters
// are left alone. Names do not tell: several clusters may have one.
func Suppose(ctx context.Context, f Fleet, secret string, edits []Edit) (*WhatIf, error) {
	i, err := f.ofSecret(secret)
	if err != nil {
		return nil, err
	}
	clusters := f.descriptions()
	clusters[i] = f.Clusters[i].edited(edits)
	return f.supposeAll(ctx, clusters, &WhatIf{Cluster: clusters[i]})
}

// ofSecret is the place of the cluster of a Secret.
func (f Fleet) ofSecret(secret string) (int, error) {
	i := slices.IndexFunc(f.Clusters, func(c Cluster) bool { return c.Secret == secret })
	if i < 0 || secret == "" {
		return -1, gitops.Problemf(gitops.NotFound, "there is no cluster with a Secret %s", secret)
	}
	return i, nil
}

// Without expands the sets as if there were no cluster of a Secret, and
// compares as Suppose does.
func Without(ctx context.Context, f Fleet, secret string) (*WhatIf, error) {
	i, err := f.ofSecret(secret)
	if err != nil {
		return nil, err
	}
	return f.supposeAll(ctx, slices.Delete(f.descriptions(), i, i+1), &WhatIf{Cluster: f.Clusters[i].Cluster})
}

// descriptions are those of the clusters, for whoever changes the list.
func (f Fleet) descriptions() []gitops.Cluster {
	out := make([]gitops.Cluster, len(f.Clusters))
	for i := range f.Clusters {
		out[i] = f.Clusters[i].Cluster
	}
	return out
}

// supposeAll compares what the sets make now with what they make of clusters.
func (f Fleet) supposeAll(ctx context.Context, clusters []gitops.Cluster, out *WhatIf) (*WhatIf, error) {
	for i := range f.Sets {
		if s := &f.Sets[i]; s.Expansion != nil && s.Expansion.Reads.Clusters {
			f.suppose(ctx, s, clusters, out)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out.Outcomes, func(a, b Outcome) int { return strings.Compare(a.App().Name, b.App().Name) })
	return out, nil
}

// edited is a cluster's description with edits. Nothing is shared that would change.
func (c Cluster) edited(edits []Edit) gitops.Cluster {
	for _, e := range edits {
		if !e.Drop {
			c.Cluster = c.With(e.Key, e.Value)
			continue
		}
		c.Labels, c.Annotations = maps.Clone(c.Labels), maps.Clone(c.Annotations)
		if e.In == Label {
			delete(c.Labels, e.Name)
		} else {
			delete(c.Annotations, e.Name)
		}
	}
	return c.Cluster
}

func (f Fleet) suppose(ctx context.Context, set *Set, clusters []gitops.Cluster, out *WhatIf) {
	if set.Err != nil {
		out.fails(set.ApplicationSet, "it gives nothing now: "+set.Err.Error())
		return
	}
	if set.Outlined {
		out.fails(set.ApplicationSet, tooLarge)
		return
	}
	if r := set.Expansion.Reads; r.Plugins || len(r.Reviews)+len(r.Forges) > 0 {
		out.fails(set.ApplicationSet, "it asks plugins or Git hosts, which are not asked for a trial")
		return
	}
	after, err := f.Stages.Expand(ctx, set.ApplicationSet, clusters)
	if err != nil {
		out.fails(set.ApplicationSet, err.Error())
		return
	}
	defer after.Release()
	if out.held += after.Held; f.Holds > 0 && out.held > f.Holds {
		out.fails(set.ApplicationSet, tooLarge)
		return
	}
	kept := generate.Keeps(set.ApplicationSet, after)
	if kept == generate.KeepsNone && shrinks(set, after) {
		out.Shrunk = append(out.Shrunk, Shrunk{set.ApplicationSet, yields(after)})
	}
	now, made := gitops.ByName(after.Applications), madeOf(after)
	for i := range set.Expansion.Applications {
		was := &set.Expansion.Applications[i]
		is := now[was.Name]
		delete(now, was.Name)
		o := Outcome{Set: set.ApplicationSet, Before: was, After: is, Was: set.Expansion.Of[i].One(), Is: made[was.Name]}
		if is == nil {
			o.Kept = kept
		} else if o.Fields = differencesOf(was, is); len(o.Fields) == 0 {
			continue
		}
		out.Outcomes = append(out.Outcomes, o)
	}
	for _, is := range slices.SortedFunc(maps.Values(now), func(a, b *v1alpha1.Application) int { return cmp.Compare(a.Name, b.Name) }) {
		out.Outcomes = append(out.Outcomes, Outcome{Set: set.ApplicationSet, After: is, Is: made[is.Name]})
	}
	for _, r := range after.Rejected {
		if !slices.ContainsFunc(set.Expansion.Rejected, func(was generate.Rejected) bool { return was.Name == r.Name }) {
			out.Failures = append(out.Failures, SetFailure{set.ApplicationSet, cmp.Or(r.Bare, r.Name+": "+r.Err.Error()), true})
		}
	}
}

// madeOf has by name the clusters whose parameters alone made Applications.
func madeOf(e *generate.Expansion) map[string]*gitops.Cluster {
	out := make(map[string]*gitops.Cluster, len(e.Applications))
	for i := range e.Applications {
		out[e.Applications[i].Name] = e.Of[i].One()
	}
	return out
}

// tooLarge is why a set is not compared.
const tooLarge = "the sets that read clusters make more than is compared at a time: look with causeway preview in a checkout"

// shrinks reports whether a set no longer yields Applications that it has: those
// that it makes now, or keeps because others cannot be created now.
func shrinks(set *Set, after *generate.Expansion) bool {
	if len(set.Expansion.Rejected) > 0 {
		return true
	}
	left := yields(after)
	return slices.ContainsFunc(set.Expansion.Applications, func(app v1alpha1.Application) bool { return !left[app.Name] })
}

// yields has the names of the Applications of an expansion.
func yields(e *generate.Expansion) map[string]bool {
	out := make(map[string]bool, len(e.Applications))
	for i := range e.Applications {
		out[e.Applications[i].Name] = true
	}
	return out
}

// Renders reports whether a change of fields can change what is rendered.
func Renders(fields []FieldChange) bool {
	return slices.ContainsFunc(fields, func(c FieldChange) bool { return renders(c.Path) })
}
