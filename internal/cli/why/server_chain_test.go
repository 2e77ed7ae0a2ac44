package why

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Of the keys that a server names for all values, those count that the value in
// question follows, and those that decide what is fetched.
func TestKeysThatAServerNames(t *testing.T) {
	asked := []explained{{Source: 1, Path: "image.tag"}}
	tests := map[string]struct {
		reason string
		values []string
		want   bool
	}{
		"Same":    {"the value follows", []string{"0:replicas", "1:image.tag"}, true},
		"Source":  {"another source has a value of that name", []string{"0:image.tag"}, false},
		"Below":   {"a longer path is another value", []string{"1:image.tag.suffix"}, false},
		"Fetched": {"whatever is fetched, any value may follow", nil, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			keys := &api.ParameterKeys{Set: "webs", Cluster: "dev", Tried: 1, Keys: []api.ParameterKey{{In: "label", Name: "size", Value: "large", Values: tc.values, Through: []string{"spec.x"}}}}
			trace := servedOrigin("web", keys, func(k *api.ParameterKey) bool { return leadsTo(k, asked) })
			lines := strings.Join(originLines(trace), "\n")
			if strings.Contains(lines, `follows label size = "large"`) != tc.want || strings.Contains(lines, "\n    through spec.x") != tc.want {
				t.Errorf("%s: %s", tc.reason, lines)
			}
		})
	}
}

// Who may not read the cluster is told that, and not that there is nothing to tell.
func TestKeysThatAServerHides(t *testing.T) {
	lines := strings.Join(originLines(servedOrigin("web", &api.ParameterKeys{Hidden: true}, nil)), "\n")
	if !strings.Contains(lines, "you may not read") || strings.Contains(lines, "no ApplicationSet") {
		t.Error(lines)
	}
}

// Another value of a label is one that a label may have, and another one.
func TestLabelsStayShort(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		in     bridge.Place
		value  string
	}{
		"Short":      {"there is room", bridge.Label, "eu"},
		"Long":       {"as long as labels may be", bridge.Label, strings.Repeat("e", 63)},
		"Dashes":     {"what is left does not end with a dash", bridge.Label, strings.Repeat("e", 54) + strings.Repeat("-", 8) + "e"},
		"Annotation": {"an annotation has no such limit", bridge.Annotation, strings.Repeat("e", 63)},
	} {
		t.Run(name, func(t *testing.T) {
			got := instead(&bridge.KeyReport{Key: bridge.Key{In: tc.in, Name: "region"}, Value: tc.value})
			if got == tc.value || tc.in == bridge.Label && len(validation.IsValidLabelValue(got)) > 0 || tc.in == bridge.Annotation && len(got) <= 63 {
				t.Errorf("%s: it is %q", tc.reason, got)
			}
		})
	}
}

// Why a set gives nothing with another value is told where the set is; of one that
// does not read the key it is a warning.
func TestProblemsOfASet(t *testing.T) {
	var errs strings.Builder
	w := &whyChainFlags{Flags: checkout.Flags{Global: &command.Global{Streams: command.Streams{Err: &errs}}}}
	failures, warned := []string{"webs: no such region", "others: it cannot be expanded"}, map[string]bool{}
	got, err := w.problemsOf(failures, []bridge.Reader{{Set: "webs"}}, warned)
	if err == nil { // the same of another key
		_, err = w.problemsOf(failures, []bridge.Reader{{Set: "webs"}}, warned)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"webs": "no such region"}, got); diff != "" || errs.String() != "warning: others: it cannot be expanded\n" {
		t.Errorf("%s%s", diff, errs.String())
	}
	lines := strings.Join(readerLines(&bridge.SetTrace{Reader: bridge.Reader{Set: "webs"}, Problem: got["webs"]}, "nothing"), "\n")
	if !strings.Contains(lines, "no such region") || strings.Contains(lines, "    nothing") {
		t.Error(lines)
	}
}

// What a server supposes has the words of a trace: an application or object that
// stays although nothing yields it any more is there because of the key as well.
func TestWhatAServerSupposes(t *testing.T) {
	got := servedApp(&api.BridgeApplication{
		Name: "web", Effect: "kept", Note: "it stays", Fields: []api.Change{{Path: "spec.x", Old: "a", New: "b"}},
		Objects: []api.Difference{
			{Ref: api.Ref{Kind: "Deployment", Namespace: "shop", Name: "web"}, Verb: "keep", Origin: "a.yaml:1"},
			{Ref: api.Ref{Kind: "ClusterRole", Name: "web"}, Verb: "create"},
			{Ref: api.Ref{Kind: "Service", Namespace: "shop", Name: "web"}, Verb: "update", Changes: []api.Change{{Path: "spec.type", Old: "A"}}},
		},
	})
	want := bridge.AppTrace{
		Application: "web", Effect: "removed", Note: "it stays", Parameters: []bridge.FieldChange{{Path: "spec.x", Before: "a", After: "b"}},
		Objects: []bridge.ObjectTrace{
			{Object: "Deployment/shop/web", Effect: "removed", Where: "a.yaml:1"}, {Object: "ClusterRole/web", Effect: "added"},
			{Object: "Service/shop/web", Effect: "changed", Fields: []bridge.FieldChange{{Path: "spec.type", Before: "A"}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	lines := strings.Join(readerLines(&bridge.SetTrace{Follow: []bridge.AppTrace{got}}, "nothing"), "\n")
	if !strings.Contains(lines, "an ApplicationSet that you may not read") || !strings.Contains(lines, "application web: is there because of it") {
		t.Error(lines)
	}
}
