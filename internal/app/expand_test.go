package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

func TestWhoseParameters(t *testing.T) {
	clusters := []gitops.Cluster{{Name: "dev", Server: "https://dev", Project: "red"}, {Name: "vault", Server: "https://vault", Project: "blue"}}
	cases := map[string]struct {
		reason  string
		params  generate.Params
		read    bool
		project string
		fleet   bool
	}{
		"One":       {"those of one cluster", generate.Params{"name": "dev", "server": "https://dev", "metadata": map[string]any{}}, true, "red", false},
		"Flat":      {"a list is of all", generate.Params{"clusters": []map[string]any{{"name": "vault"}}}, true, "", true},
		"FlatFast":  {"also by dotted names", generate.Params{"clusters.0.name": "vault"}, true, "", true},
		"Besides":   {"also beside one cluster", generate.Params{"name": "dev", "server": "https://dev", "clusters": "x"}, true, "red", true},
		"Renamed":   {"what another generator called otherwise is of nobody knows which", generate.Params{"name": "dev", "server": "https://vault"}, true, "", true},
		"None":      {"as is what names none", generate.Params{"path": "a"}, true, "", true},
		"NotRead":   {"a set that reads no clusters tells of none", generate.Params{"path": "a", "clusters": "a"}, false, "", false},
		"NamedByIt": {"also where a file names one", generate.Params{"name": "dev", "server": "https://dev"}, false, "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			one := &api.GeneratedApp{Cluster: clusterOfParams(tc.params)}
			origins{clusters, tc.read}.tell(one, tc.params)
			if one.ClusterProject != tc.project || one.Fleet != tc.fleet {
				t.Errorf("%s: of project %q, of all %t", tc.reason, one.ClusterProject, one.Fleet)
			}
		})
	}
}

// TestDeepParametersAreShownInPart: each of them has all keys above it in its name.
func TestDeepParametersAreShownInPart(t *testing.T) {
	var value any = slices.Repeat([]any{0.0}, mostParameters)
	for range 100 {
		value = map[string]any{strings.Repeat("a", 1000): value}
	}
	deep, _ := value.(map[string]any)
	long := generate.Params{"long": strings.Repeat("x", mostValue+1)}
	many := generate.Params{"many": slices.Repeat([]any{"x"}, mostParameters+1)}
	large := generate.Params{"large": slices.Repeat([]any{strings.Repeat("x", mostValue)}, 100)}
	for name, params := range map[string]generate.Params{"Deep": deep, "Long": long, "Many": many, "Large": large} {
		shown, cut := flat(params, object.NewMasker(nil))
		bytes := 0
		for name, value := range shown {
			bytes += len(name) + len(value)
		}
		if bytes == 0 || bytes > mostFlat || len(shown) > mostParameters || !cut {
			t.Errorf("%s: %d have %d bytes, and are cut: %t", name, len(shown), bytes, cut)
		}
	}
	shown, cut := flat(generate.Params{"a": map[string]any{"b": []any{"x", 1.0}}}, object.NewMasker(nil))
	if diff := cmp.Diff(map[string]string{"a.b.0": "x", "a.b.1": "1"}, shown); diff != "" || cut {
		t.Error(cut, diff)
	}
}

// expansionOf gives so many Applications, each with a parameter of so many bytes, and
// one that is not created.
func expansionOf(n, bytes int) *generate.Expansion {
	e, text := &generate.Expansion{}, strings.Repeat("x", bytes)
	for i := range n {
		app := v1alpha1.Application{}
		app.Name, app.Spec.Project = fmt.Sprintf("app-%05d", i), "shop"
		e.Applications, e.Of = append(e.Applications, app), append(e.Of, "")
		e.Params = append(e.Params, generate.Params{"text": text})
	}
	refused := &v1alpha1.Application{}
	refused.Name = "refused"
	e.Rejected = []generate.Rejected{{Name: "refused", Err: errors.New("no such project"), Application: refused, Params: []generate.Params{{}}}}
	return e
}

// lookAt is what a look shows of an expansion.
func lookAt(t *testing.T, e *generate.Expansion, look api.SetLook) *api.Expansion {
	t.Helper()
	if look.Sees == nil {
		look.Sees = func(*api.GeneratedApp) bool { return true }
	}
	out := &api.Expansion{}
	if err := (showing{out: out, look: look, mask: object.NewMasker(nil)}).all(e); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWhatALookShowsIsBounded: one answer has no more than a few MiB of a set, however
// many Applications it gives and however long what they were made with is, and says
// where to go on.
func TestWhatALookShowsIsBounded(t *testing.T) {
	const n, each, most = 2000, 32 << 10, 8 << 20
	e := expansionOf(n, each)
	seen := map[string]bool{}
	answers := 0
	for offset := 0; ; answers++ {
		out := lookAt(t, e, api.SetLook{Offset: offset, Limit: 20_000})
		bytes := 0
		for _, a := range out.Applications {
			if a.Manifest != "" || seen[a.Name] {
				t.Fatalf("%s has the manifest %q, and was shown: %t", a.Name, a.Manifest, seen[a.Name])
			}
			seen[a.Name] = true
			bytes += len(a.Parameters["text"])
		}
		if bytes == 0 || bytes > most || out.Total != n+1 {
			t.Fatalf("an answer has %d bytes, of %d Applications", bytes, out.Total)
		}
		if offset == 0 && out.Applications[0].Name != "refused" {
			t.Error("what is not created comes later")
		}
		if offset = out.Next; offset == 0 {
			break
		}
	}
	if len(seen) != n+1 || answers != n*each/most {
		t.Errorf("%d were shown, and it went on %d times", len(seen), answers)
	}
}

func TestLookAtASet(t *testing.T) {
	cases := map[string]struct {
		reason      string
		look        api.SetLook
		names       []string
		total, next int
		manifest    bool
	}{
		"All":    {"all of them, without manifests", api.SetLook{Limit: 9}, []string{"refused", "app-00000", "app-00001", "app-00002"}, 4, 0, false},
		"First":  {"as many as are asked for", api.SetLook{Limit: 2}, []string{"refused", "app-00000"}, 4, 2, false},
		"Next":   {"and those after them", api.SetLook{Offset: 2, Limit: 2}, []string{"app-00001", "app-00002"}, 4, 0, false},
		"Beyond": {"of which there may be none", api.SetLook{Offset: 4, Limit: 2}, nil, 4, 0, false},
		"One":    {"one by its name, with its manifest", api.SetLook{Application: "app-00001", Limit: 9}, []string{"app-00001"}, 1, 0, true},
		"None":   {"also where there is no such one", api.SetLook{Application: "other", Limit: 9}, nil, 0, 0, false},
		"Seen":   {"those that may be read, by what may be known of them", api.SetLook{Limit: 1, Sees: func(a *api.GeneratedApp) bool { return a.Project == "shop" && a.Parameters == nil }}, []string{"app-00000"}, 3, 1, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := lookAt(t, expansionOf(3, 1), tc.look)
			var names []string
			for _, a := range out.Applications {
				names = append(names, a.Name)
				if a.Manifest != "" != tc.manifest {
					t.Errorf("%s: %s has the manifest %q", tc.reason, a.Name, a.Manifest)
				}
			}
			if !slices.Equal(names, tc.names) || out.Total != tc.total || out.Next != tc.next {
				t.Errorf("%s: got %v of %d, and then %d", tc.reason, names, out.Total, out.Next)
			}
		})
	}
}
