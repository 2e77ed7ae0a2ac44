package declare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// TestRefreshTellsNoSecret: what others wrote into a Secret is drift, and what it
// is nobody reads in a plan or in the state.
func TestRefreshTellsNoSecret(t *testing.T) {
	k := Kind{
		Fields: []Field{
			{Name: "config_wo", Path: "stringData.config", WriteOnly: true, Standard: `{"tls": {}}`},
			{Name: "password_wo", Path: "stringData.password", WriteOnly: true},
			{Name: "proxy", Path: "stringData.proxy"},
			{Name: "proxy_wo", Path: "stringData.proxy", WriteOnly: true},
			{Name: "url", Path: "stringData.url"},
			{Name: "config", Path: "metadata.labels"},
		},
		Plain: []string{"insecure"},
		Hides: func(key, value string) bool { return key == "url" && strings.Contains(value, "@") },
	}
	for name, tc := range map[string]struct{ reason, key, before, live, want string }{
		"Standard":      {"it is no secret", "config", `{"tls": {}}`, `{"tls":{}}`, `{"tls":{}}`},
		"Login":         {"a login that somebody put there is one", "config", `{"tls": {}}`, `{"bearerToken":"t0ken"}`, concealed},
		"LoginOfAState": {"also where a state has it", "config", `{"bearerToken":"t0ken"}`, `{"bearerToken":"t0ken"}`, concealed},
		"Again":         {"it stays drift", "config", concealed, `{"bearerToken":"t0ken"}`, concealed},
		"Back":          {"and ends", "config", concealed, `{"tls": {}}`, `{"tls": {}}`},
		"Manifest":      {"a manifest says it, and the user wrote that", "password", "x", "x", "x"},
		"Password":      {"another one is not the user's", "password", "x", "t0ken", concealed},
		"Extra":         {"nor one without an attribute", "extra", "x", "t0ken", concealed},
		"Plain":         {"an attribute that is no secret shows its drift", "proxy", "http://a", "http://b", "http://b"},
		"Flag":          {"so does what is known to be none", "insecure", "true", "false", "false"},
		"Address":       {"an address", "url", "https://a", "https://b", "https://b"},
		"AddressLogin":  {"an address with a login", "url", "https://a", "https://robot:t0ken@a", concealed},
		"AddressState":  {"also where a state has it", "url", "https://robot:t0ken@a", "https://robot:t0ken@a", concealed},
	} {
		t.Run(name, func(t *testing.T) {
			found := map[string]any{"stringData": map[string]any{tc.key: tc.live}}
			k.conceal(found, map[string]any{"stringData": map[string]any{tc.key: tc.before}})
			if got := found["stringData"].(map[string]any)[tc.key]; got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
	found := map[string]any{"data": map[string]any{"kept": "eA==", "password": "bmV3", "url": "aHR0cHM6Ly9yb2JvdDp4QGE=", "none": nil}}
	k.conceal(found, map[string]any{"data": map[string]any{"kept": "eA==", "password": "eA==", "url": "aHR0cHM6Ly9yb2JvdDp4QGE=", "none": nil}})
	if diff := cmp.Diff(map[string]any{"kept": "eA==", "password": concealed, "url": concealed, "none": nil}, found["data"]); diff != "" {
		t.Errorf("of data in base64 (-want +got):\n%s", diff)
	}
}

// TestNoCopyOfTheWholeObject: kubectl's annotation has all of a Secret in it.
func TestNoCopyOfTheWholeObject(t *testing.T) {
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret"}}
	live.SetAnnotations(map[string]string{object.LastApplied: `{"data":{"a":"t0ken"}}`})
	if got := seen(live)["metadata"]; len(got.(map[string]any)) > 0 {
		t.Errorf("a refresh sees %v", got)
	}
	k := Kind{Fields: []Field{{Name: "manifest", Shape: Manifest}}}
	o, err := k.build(map[string]any{"manifest": `{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {` + object.LastApplied + `: t0ken, b: c}}}`}, "argocd")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"b": "c"}, o.GetAnnotations()); diff != "" {
		t.Errorf("a manifest (-want +got):\n%s", diff)
	}
	o.SetAnnotations(map[string]string{object.LastApplied: "t0ken"})
	if err := check(o); err == nil || strings.Contains(err.Error(), "t0ken") {
		t.Errorf("as an attribute it is refused without being repeated, got %v", err)
	}
}

// TestImportTellsNoSecret: nothing of a Secret is the configuration's yet.
func TestImportTellsNoSecret(t *testing.T) {
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"token": "dDBrZW4="}}}
	live.SetName("a")
	got, err := Kind{}.restore(live, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"token": concealed}, got["data"]); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if data, _, _ := unstructured.NestedString(live.Object, "data", "token"); data != "dDBrZW4=" {
		t.Errorf("what was read is changed: %s", data)
	}
}
