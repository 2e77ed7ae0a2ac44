package observe

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestExternalSecretsHealth(t *testing.T) {
	const ready = `conditions: [{type: Ready, status: "True", message: m}]`
	for name, tc := range map[string]struct {
		reason, kind, spec, status string
		want                       gitops.Health
	}{
		"new":          {"nobody has looked at it", "ExternalSecret", "{}", "{}", progressing("Waiting for ExternalSecret")},
		"made":         {"the Secret is made", "ExternalSecret", "{}", "{syncedResourceVersion: 2-abc, " + ready + "}", healthy("m")},
		"failed":       {"it could not be made", "ExternalSecret", "{}", `{conditions: [{type: Ready, status: "False", message: denied}]}`, degraded("denied")},
		"unknown":      {"a condition that says neither", "ExternalSecret", "{}", `{conditions: [{type: Ready, status: Unknown}]}`, progressing("Waiting for ExternalSecret")},
		"changed":      {"it is made of the spec before", "ExternalSecret", "{refreshInterval: 1h}", "{syncedResourceVersion: 1-abc, " + ready + "}", progressing("Waiting for the values of the newest spec")},
		"on change":    {"so it is with OnChange, whatever the interval says", "ExternalSecret", `{refreshPolicy: OnChange, refreshInterval: "0"}`, "{syncedResourceVersion: 1-abc, " + ready + "}", progressing("Waiting for the values of the newest spec")},
		"once":         {"it is not made again", "ExternalSecret", "{refreshPolicy: CreatedOnce}", "{syncedResourceVersion: 1-abc, " + ready + "}", healthy("m")},
		"interval 0":   {"nor without an interval", "ExternalSecret", `{refreshInterval: "0"}`, "{syncedResourceVersion: 1-abc, " + ready + "}", healthy("m")},
		"immutable":    {"nor where the API server lets nobody", "ExternalSecret", "{target: {immutable: true}}", "{syncedResourceVersion: 1-abc, " + ready + "}", healthy("m")},
		"other words":  {"a version that says nothing of generations", "ExternalSecret", "{}", "{syncedResourceVersion: abc, " + ready + "}", healthy("m")},
		"no version":   {"one that nobody wrote", "ExternalSecret", "{}", "{" + ready + "}", healthy("m")},
		"broken":       {"a status of another form", "ExternalSecret", "{}", "{conditions: x}", gitops.Health{Code: gitops.HealthUnknown}},
		"odd version":  {"and a version of one", "ExternalSecret", "{}", "{syncedResourceVersion: 5, " + ready + "}", gitops.Health{Code: gitops.HealthUnknown}},
		"store":        {"a store", "ClusterSecretStore", "{}", "{" + ready + "}", healthy("m")},
		"bad store":    {"a store that cannot be used", "SecretStore", "{}", `{conditions: [{type: Ready, status: "False", message: denied}]}`, degraded("denied")},
		"pushed":       {"a PushSecret", "PushSecret", "{}", "{}", progressing("Waiting for PushSecret")},
		"some":         {"a ClusterExternalSecret of which some fail", "ClusterExternalSecret", "{}", `{conditions: [{type: PartiallyReady, status: "True", message: one}]}`, degraded("one")},
		"all":          {"and one of which none do", "ClusterExternalSecret", "{}", `{conditions: [{type: PartiallyReady, status: "False"}, {type: Ready, status: "True", message: m}]}`, healthy("m")},
		"not yet some": {"and one of which nobody knows", "ClusterExternalSecret", "{}", `{conditions: [{type: PartiallyReady, status: "False"}]}`, progressing("Waiting for ClusterExternalSecret")},
	} {
		o := object(t, fmt.Sprintf("apiVersion: external-secrets.io/v1\nkind: %s\nmetadata: {name: a, namespace: shop, generation: 2}\nspec: %s\nstatus: %s\n", tc.kind, tc.spec, tc.status))
		got, err := New().Health("", o)
		if tc.want.Code == gitops.HealthUnknown {
			if err == nil || got.Code != gitops.HealthUnknown {
				t.Errorf("%s: %s: it is %+v, %v", name, tc.reason, got, err)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("%s: %s: %v (-want +got):\n%s", name, tc.reason, err, diff)
		}
	}
}

// TestTreeOfExternalSecrets: what an ExternalSecret makes without owning it stands below it, too, unless it has a place.
func TestTreeOfExternalSecrets(t *testing.T) {
	external := func(name, target string) *unstructured.Unstructured {
		o := owned(t, "external-secrets.io/v1", "ExternalSecret", name, "")
		o.Object["spec"] = object(t, "{spec: {target: "+target+"}}").Object["spec"]
		return o
	}
	l := &fakeLister{objects: []*unstructured.Unstructured{
		owned(t, "v1", "Secret", "own", "owner"), owned(t, "v1", "Secret", "merged", ""), owned(t, "v1", "Secret", "orphan", ""), owned(t, "v1", "Secret", "of-app", ""),
		owned(t, "v1", "Secret", "unused", ""), owned(t, "v1", "ConfigMap", "config", ""),
	}}
	roots := []*unstructured.Unstructured{
		external("owner", "{creationPolicy: Owner}"), external("merges", "{creationPolicy: Merge, name: merged}"), external("again", "{creationPolicy: Merge, name: merged}"),
		external("orphans", "{creationPolicy: Orphan, name: orphan}"), external("into-app", "{creationPolicy: Merge, name: of-app}"), owned(t, "v1", "Secret", "of-app", ""),
		external("none", "{creationPolicy: None, name: unused}"), external("configs", "{creationPolicy: Merge, name: config, manifest: {apiVersion: v1, kind: ConfigMap}}"), external("missing", "{creationPolicy: Merge}"),
	}
	nodes, err := New().Tree(t.Context(), "", l, roots)
	if err != nil {
		t.Fatal(err)
	}
	want := `ExternalSecret owner
  Secret own
ExternalSecret merges
  Secret merged
ExternalSecret again
ExternalSecret orphans
  Secret orphan
ExternalSecret into-app
Secret of-app
ExternalSecret none
ExternalSecret configs
  ConfigMap config
ExternalSecret missing
`
	if diff := cmp.Diff(want, drawn(nodes, "")); diff != "" {
		t.Error(diff)
	}
	if len(l.calls) != 2 {
		t.Errorf("Secrets and ConfigMaps are listed, and nothing else: %v", l.calls)
	}
}

// TestSecretsTellWhenTheyChanged: the tree says when a Secret got other values, if it was noted.
func TestSecretsTellWhenTheyChanged(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-30T13:17:02Z": "values changed 2026-11-30T13:17:02Z", "2026-11-30T14:17:02+01:00": "values changed 2026-11-30T13:17:02Z", "": "", "yesterday": "",
	} {
		o := owned(t, "v1", "Secret", "a", "")
		o.SetAnnotations(map[string]string{"secrets.causeway.io/changed": text})
		if got := info(o); got != want {
			t.Errorf("of %q it says %q", text, got)
		}
	}
}
