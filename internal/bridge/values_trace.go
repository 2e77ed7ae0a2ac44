package bridge

import (
	"context"
	"reflect"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// ValuesTrace is where all values of an Application come from, as far as they
// follow keys of a cluster.
type ValuesTrace struct {
	// Set and Cluster made the Application; empty for one that no set made.
	Set, Cluster string
	// Secret is the cluster's: several may have one name.
	Secret string
	Keys   []KeyValues
	// Tried is how many keys were given another value.
	Tried int
	Notes []string
}

// KeyValues is a key, and the names of the values that follow it.
type KeyValues struct {
	KeyOrigin

	Values []string
}

// TraceValues tells which keys of a cluster the values of an Application
// follow. Read gives all of them by name, for each version of the Application;
// one question costs as much as that about a single value.
func TraceValues(ctx context.Context, f Fleet, app *v1alpha1.Application, read func(context.Context, *v1alpha1.Application) (map[string]any, error)) (*ValuesTrace, error) {
	before, err := read(ctx, app)
	if err != nil {
		return nil, err
	}
	var found [][]string
	trace := &FieldTrace{Application: app.Name}
	err = f.origins(ctx, app, trace, func(after *v1alpha1.Application, fields []FieldChange) (bool, string) {
		if field, fetches := fetched(fields); fetches {
			found = append(found, nil)
			return true, field + " says what is fetched: any value may follow"
		}
		now, err := read(ctx, lenient(after, fields))
		if err != nil {
			return false, "with another value the application cannot be rendered: " + err.Error()
		}
		names := unlike(before, now)
		if len(names) > 0 {
			found = append(found, names)
		}
		return len(names) > 0, ""
	})
	out := &ValuesTrace{Set: trace.Set, Cluster: trace.Cluster, Secret: trace.Secret, Tried: trace.Tried, Notes: trace.Notes}
	for i, k := range trace.Keys {
		out.Keys = append(out.Keys, KeyValues{KeyOrigin: k, Values: found[i]})
	}
	return out, err
}

// unlike are the names of values that differ, in order.
func unlike(before, now map[string]any) []string {
	var out []string
	for name, value := range before {
		if other, there := now[name]; !there || !reflect.DeepEqual(value, other) {
			out = append(out, name)
		}
	}
	for name := range now {
		if _, there := before[name]; !there {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
