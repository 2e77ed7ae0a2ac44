package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Objects of External Secrets with values, each of which begins with "planted", and with what is shown.
func holders() map[string]struct {
	reason, object string
	shown          []string
} {
	head := func(kind string) string {
		group := "external-secrets.io/v1"
		if !strings.HasSuffix(kind, "Store") && !strings.HasSuffix(kind, "ExternalSecret") {
			group = "generators.external-secrets.io/v1alpha1"
		}
		return "{apiVersion: " + group + ", kind: " + kind + ", metadata: {name: x}, spec: "
	}
	webhook := "url: 'https://user:planted-5@example.com/?token=planted-6word', method: POST, body: 'planted-7', headers: {Authorization: planted-8, X: planted-9}"
	return map[string]struct {
		reason, object string
		shown          []string
	}{
		"fake":      {"values of each version, and of a map", head("SecretStore") + "{provider: {fake: {data: [{key: known, version: v1, value: planted-1}, {key: k, valueMap: {a: planted-2}}]}}}}", []string{"known", "v1", "k", "a"}},
		"cluster":   {"of the whole cluster", head("ClusterSecretStore") + "{conditions: [{namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [blue]}]}}], provider: {fake: {data: [{value: planted-3}]}}}}", []string{"team", "blue"}},
		"webhook":   {"what is sent, and what stands in an address", head("SecretStore") + "{provider: {webhook: {" + webhook + ", result: {jsonPath: $.a}}}}}", []string{"example.com", "POST", "$.a", "Authorization"}},
		"generator": {"a generator that has values", head("Fake") + "{data: {user: planted-10}}}", []string{"user"}},
		"pin":       {"numbers that lack quotes", head("Fake") + "{data: {pin: 83177219, serial: 8317721945612077, debug: true}}}", []string{"pin", "serial"}},
		"number":    {"also of a store", head("SecretStore") + "{provider: {fake: {data: [{key: k, value: 83177220}]}}}}", []string{"k"}},
		"dynamic":   {"what the Vault is sent", head("VaultDynamicSecret") + "{path: auth/userpass/login/ci, method: POST, parameters: {password: planted-12, ttl: [planted-13]}, getParameters: {q: [planted-14]}, provider: {server: 'https://vault:8200'}}}", []string{"auth/userpass/login/ci", "https://vault:8200", "password"}},
		"dynamics":  {"also for the whole cluster", head("ClusterGenerator") + "{kind: VaultDynamicSecret, generator: {vaultDynamicSecretSpec: {path: p, parameters: {password: planted-15}}}}}", []string{"password"}},
		"tags":      {"tags of a session are no values", head("ClusterSecretStore") + "{provider: {aws: {region: eu-central-1, sessionTags: [{key: cluster, value: eks-prod-eu-central-1}]}}}}", []string{"cluster", "eks-prod-eu-central-1"}},
		"others":    {"values of other providers may be", head("SecretStore") + "{provider: {delinea: {clientId: {value: planted-16}, clientSecret: {value: planted-17}}}}}", []string{"clientSecret"}},
		"asks":      {"a generator that asks", head("Webhook") + "{" + webhook + ", result: {jsonPath: $.a}}}", []string{"example.com"}},
		"of all":    {"a generator of the whole cluster", head("ClusterGenerator") + "{kind: Fake, generator: {fakeSpec: {data: {user: planted-11}}, webhookSpec: {" + webhook + "}}}}", []string{"Fake"}},
		"password":  {"a generator that makes some has none", head("Password") + "{length: 24, symbolCharacters: '-_$', noUpper: false}}", []string{"24", "-_$"}},
		"vault":     {"references are shown", head("ClusterSecretStore") + "{provider: {vault: {server: 'https://vault:8200', path: secret, auth: {tokenSecretRef: {name: vault-token, key: token}}}}}}", []string{"https://vault:8200", "vault-token", "token"}},
		"template":  {"what templates say is no value", head("ExternalSecret") + "{target: {template: {data: {value: '{{ .a }}', password: 'a{{ .b }}'}}}, data: [{secretKey: value, remoteRef: {key: k}}]}}", []string{"{{ .a }}", "a{{ .b }}"}},
	}
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	text2, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(text2); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestWhatStoresHoldIsMasked(t *testing.T) {
	for name, tc := range holders() {
		t.Run(name, func(t *testing.T) {
			o := parse(t, tc.object)
			before := o.DeepCopy()
			masked, _ := Masker{}.For(o.Object).At(Place{}, o.Object)
			desired, live := HeldMarks(o, parse(t, strings.ReplaceAll(tc.object, "planted-", "planted-other")))
			for where, shown := range map[string]any{"preview": masked, "difference": []any{desired, live}} {
				text, err := json.Marshal(shown)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(text), "planted") || strings.Contains(string(text), "83177") || strings.Contains(string(text), "true") {
					t.Errorf("%s: a %s shows %s", tc.reason, where, text)
				}
				for _, want := range tc.shown {
					if !strings.Contains(string(text), want) {
						t.Errorf("%s: a %s does not show %s: %s", tc.reason, where, want, text)
					}
				}
			}
			if diff := cmp.Diff(before, o); diff != "" {
				t.Errorf("the object was changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeldMarksTellValuesApart(t *testing.T) {
	of := func(values ...string) *unstructured.Unstructured {
		var all []string
		for i, v := range values {
			all = append(all, fmt.Sprintf("{key: k%d, value: '%s'}", i, v))
		}
		return parse(t, "{apiVersion: external-secrets.io/v1, kind: SecretStore, spec: {provider: {fake: {data: ["+strings.Join(all, ", ")+"]}}}}")
	}
	values := func(o *unstructured.Unstructured) (out []any) {
		data, _, err := unstructured.NestedSlice(o.Object, "spec", "provider", "fake", "data")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range data {
			out = append(out, d.(map[string]any)["value"])
		}
		return out
	}
	desired, live := HeldMarks(of("a", "b"), of("a", "c"))
	a, b := values(desired), values(live)
	if a[0] != b[0] || a[1] == b[1] || a[0] == a[1] {
		t.Errorf("marks are %v and %v", a, b)
	}
	last := of("planted")
	last.SetAnnotations(map[string]string{gitops.AnnotationLastApplied: "planted", "more": "kept"})
	if _, shown := HeldMarks(nil, last); strings.Contains(fmt.Sprint(shown.Object), "planted") || shown.GetAnnotations()["more"] != "kept" {
		t.Errorf("what was last applied is a copy: %v", shown.GetAnnotations())
	}
	if one, none := HeldMarks(nil, of("a")); one != nil || none == nil {
		t.Error("either side may be missing")
	}
}

// TestHeldMarksAreStable: who compares objects masks them in calls of their own.
func TestHeldMarksAreStable(t *testing.T) {
	generator := func(data string) *unstructured.Unstructured {
		return parse(t, "{apiVersion: generators.external-secrets.io/v1alpha1, kind: Fake, spec: {data: {"+data+"}}}")
	}
	first, _ := HeldMarks(generator("a: one, b: two, c: three, d: one"), nil)
	for range 50 {
		_, again := HeldMarks(nil, generator("a: one, b: two, c: three, d: one"))
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatalf("one object has other marks each time: %s", diff)
		}
	}
	_, less := HeldMarks(nil, generator("b: two, c: three"))
	for _, key := range []string{"b", "c"} {
		one, _, _ := unstructured.NestedString(first.Object, "spec", "data", key)
		other, _, _ := unstructured.NestedString(less.Object, "spec", "data", key)
		if one != other || one == "" {
			t.Errorf("the mark of %s depends on other keys: %q and %q", key, one, other)
		}
	}
}

// TestKnownHasWhatStoresHold: a value may come from a file that is told as the cause of a change.
func TestKnownHasWhatStoresHold(t *testing.T) {
	store := parse(t, "{apiVersion: external-secrets.io/v1, kind: SecretStore, spec: {provider: {fake: {data: [{key: k, value: planted-value-of-a-store}]}, webhook: {url: u, headers: {Accept: application/json}}}}}")
	known := NewKnown(nil, []gitops.Manifest{{Object: store}})
	number := parse(t, "{apiVersion: generators.external-secrets.io/v1alpha1, kind: Fake, spec: {data: {serial: 8317721945612077}}}")
	if got := NewKnown(nil, []gitops.Manifest{{Object: number}}).Text("serial 8317721945612077"); got != "serial [masked]" {
		t.Errorf("it shows %q", got)
	}
	tagged := parse(t, "{apiVersion: external-secrets.io/v1, kind: ClusterSecretStore, spec: {provider: {aws: {sessionTags: [{key: cluster, value: eks-prod-eu-central-1}]}}}}")
	if got := NewKnown(nil, []gitops.Manifest{{Object: tagged}}).Text("--cluster-name=eks-prod-eu-central-1"); got != "--cluster-name=eks-prod-eu-central-1" {
		t.Errorf("a tag counts as a secret: %q", got)
	}
	if got := known.Text("it is planted-value-of-a-store in application/json"); got != "it is [masked] in application/json" {
		t.Errorf("it shows %q", got)
	}
}

func TestHoldsAt(t *testing.T) {
	store := gitops.Key{Group: "external-secrets.io", Kind: "SecretStore", Namespace: "shop", Name: "s"}
	type m = map[string]any
	for name, tc := range map[string]struct {
		reason string
		key    gitops.Key
		path   []string
		value  any
		want   bool
	}{
		"value":     {"a value of the provider fake", store, []string{"spec", "provider", "fake", "data", "0", "value"}, "x", true},
		"header":    {"what a webhook sends", store, []string{"spec", "provider", "webhook", "headers", "X"}, "x", true},
		"above":     {"all that a provider is told", store, []string{"spec", "provider"}, m{"fake": m{"data": []any{m{"key": "k", "value": "x"}}}}, true},
		"reference": {"a reference", store, []string{"spec", "provider"}, m{"vault": m{"server": "x"}}, false},
		"key":       {"the key of a value", store, []string{"spec", "provider", "fake", "data", "0", "key"}, "x", false},
		"tag":       {"a tag of a session", store, []string{"spec", "provider", "aws", "sessionTags", "0", "value"}, "x", false},
		"tags":      {"all that AWS is told", store, []string{"spec", "provider"}, m{"aws": m{"sessionTags": []any{m{"key": "k", "value": "x"}}}}, false},
		"sent":      {"what the Vault is sent", gitops.Key{Group: "generators.external-secrets.io", Kind: "VaultDynamicSecret"}, []string{"spec", "parameters", "password"}, "x", true},
		"generator": {"the data of the generator Fake", gitops.Key{Group: "generators.external-secrets.io", Kind: "Fake"}, []string{"spec", "data", "user"}, "x", true},
		"other":     {"another kind", gitops.Key{Kind: "ConfigMap"}, []string{"data", "value"}, "x", false},
	} {
		if got := HoldsAt(tc.key, tc.path, tc.value); got != tc.want {
			t.Errorf("%s: %s: %t", name, tc.reason, got)
		}
	}
}
