package bridge

import (
	"fmt"
	"testing"
)

func TestOneQuestionTriesSoManyKeys(t *testing.T) {
	f, app := charted(t)
	annotations, expansion := map[string]string{}, *f.Sets[1].Expansion
	for i := range mostKeys + 10 {
		annotations[fmt.Sprintf("a%03d", i)] = "x"
		expansion.Reads.Keys = append(expansion.Reads.Keys, fmt.Sprintf("metadata.annotations.a%03d", i))
	}
	for name, value := range chartedKeys {
		annotations[name] = value
	}
	f.Clusters[0].Annotations, f.Sets[1].Expansion = annotations, &expansion
	trace, err := TraceField(t.Context(), f, app, "Deployment/web", "spec.region")
	if err != nil {
		t.Fatal(err)
	}
	if trace.Tried != mostKeys || len(trace.Keys) > 0 || len(trace.Notes) != 1 || trace.Notes[0] != "only the first 64 keys were tried" {
		t.Errorf("%d keys were tried, %d follow: %q", trace.Tried, len(trace.Keys), trace.Notes)
	}
}
