package bootstrap

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestKeysThatAreWritten: keys of others stay theirs, those of an earlier run stay, and defaults are for what nobody said.
func TestKeysThatAreWritten(t *testing.T) {
	type keys = map[string]string
	own := func(names ...string) map[string]bool {
		out := map[string]bool{}
		for _, name := range names {
			out[name] = true
		}
		return out
	}
	cases := map[string]struct {
		reason               string
		live                 keys
		own                  map[string]bool
		asked, defaults, out keys
	}{
		"New":      {"there is nothing yet", nil, nil, keys{"a": "asked"}, keys{"a": "default", "b": "default"}, keys{"a": "asked", "b": "default"}},
		"Others":   {"what somebody else said", keys{"a": "theirs"}, nil, nil, keys{"a": "default"}, keys{}},
		"Earlier":  {"what an earlier run said", keys{"a": "before"}, own("a"), nil, keys{"a": "default"}, keys{"a": "before"}},
		"Changed":  {"what is asked for now", keys{"a": "before"}, own("a"), keys{"a": "now"}, nil, keys{"a": "now"}},
		"Taken":    {"also where it was somebody else's", keys{"a": "theirs"}, nil, keys{"a": "now"}, nil, keys{"a": "now"}},
		"Gone":     {"what somebody took away does not come back", keys{}, own("a"), nil, nil, keys{}},
		"Emptied":  {"an empty value is one", keys{"a": ""}, own("a"), nil, keys{"a": "default"}, keys{"a": ""}},
		"GoneSaid": {"unless it has to be there", keys{}, own("a"), nil, keys{"a": "default"}, keys{"a": "default"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.out, merged(tc.live, tc.own, tc.asked, tc.defaults)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWhoseKeysTheyAre: only those of an apply of a bootstrap that nobody has taken over are its own.
func TestWhoseKeysTheyAre(t *testing.T) {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	const labels = `{"f:metadata":{"f:labels":{".":{},"f:a":{},"f:b.c/d":{}}}}`
	cases := map[string]struct {
		reason  string
		entries []metav1.ManagedFieldsEntry
		want    map[string]bool
	}{
		"Own":     {"those of an apply", []metav1.ManagedFieldsEntry{entry(Manager, metav1.ManagedFieldsOperationApply, labels)}, map[string]bool{"a": true, "b.c/d": true}},
		"Others":  {"those of others", []metav1.ManagedFieldsEntry{entry("kubectl", metav1.ManagedFieldsOperationApply, labels)}, map[string]bool{}},
		"Update":  {"those of a plain write", []metav1.ManagedFieldsEntry{entry(Manager, metav1.ManagedFieldsOperationUpdate, labels)}, map[string]bool{}},
		"Nothing": {"fields that are not told", []metav1.ManagedFieldsEntry{{Manager: Manager, Operation: metav1.ManagedFieldsOperationApply}}, map[string]bool{}},
		"Broken":  {"fields that cannot be read", []metav1.ManagedFieldsEntry{entry(Manager, metav1.ManagedFieldsOperationApply, "{"), entry(Manager, metav1.ManagedFieldsOperationApply, labels)}, map[string]bool{"a": true, "b.c/d": true}},
		"Other":   {"fields of something else", []metav1.ManagedFieldsEntry{entry(Manager, metav1.ManagedFieldsOperationApply, `{"f:metadata":[],"f:data":{"f:x":{}}}`)}, map[string]bool{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ours(tc.entries, "f:metadata", "f:labels")); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPairsOfMetadata(t *testing.T) {
	got := map[string]string{"a": "before"}
	if err := Add(got, []string{"a=1", "b=", "c=d=e", "a=2"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "2", "b": "", "c": "d=e"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, pair := range []string{"a", "", "=b"} {
		if err := Add(got, []string{pair}); err == nil || !strings.Contains(err.Error(), "write KEY=VALUE, as in environment=prod") {
			t.Errorf("%q: %v", pair, err)
		}
	}
}

// TestHubsThatCannotBe says what the API server would refuse, before anything is asked of it.
func TestHubsThatCannotBe(t *testing.T) {
	fine := Hub{Name: "hub", URL: "https://git.example.com/x", Roots: RootNames()}
	with := func(change func(*Hub)) Hub {
		h := fine
		change(&h)
		return h
	}
	cases := map[string]struct {
		reason string
		hub    Hub
		want   []string
	}{
		"Fine":       {"one that can be", fine, nil},
		"Name":       {"a name that no Secret can have", with(func(h *Hub) { h.Name = "EU hub" }), []string{`cannot name the hub "EU hub"`, "correct --cluster"}},
		"Long":       {"a name that no label can have", with(func(h *Hub) { h.Name = strings.Repeat("a.", 40) + "a" }), []string{"must be no more than 63", "correct --cluster"}},
		"Label":      {"a label that cannot be", with(func(h *Hub) { h.Metadata.Labels = map[string]string{"a": "b c"} }), []string{"label a: ", "correct --metadata, --label or --annotation"}},
		"Annotation": {"an annotation that cannot be", with(func(h *Hub) { h.Metadata.Annotations = map[string]string{"a b": "c"} }), []string{"annotation a b: "}},
		"Both":       {"all of them at once", with(func(h *Hub) { h.Metadata.Labels = map[string]string{"a": "b c", "-": "d"} }), []string{"label a: ", "label -: "}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.hub.Check()
			if (err == nil) != (tc.want == nil) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v; want %q", tc.reason, err, want)
				}
			}
		})
	}
}

// TestFirstSecretOfTheHub is all that a new hub says of itself, under what is asked for besides.
func TestFirstSecretOfTheHub(t *testing.T) {
	h := Hub{Namespace: "argocd", Name: "hub", URL: "https://git.example.com/x", Revision: "v1", Path: "./a/../fleets/", Roots: []string{"addons"}, Metadata: Metadata{
		Labels: map[string]string{"environment": "dev", "enable_x": "true"}, Annotations: map[string]string{"addons_repo_revision": "v2", "addons_repo_path": "mine"},
	}}
	got := h.Secret(nil)
	if diff := cmp.Diff(map[string]string{"cluster_name": "hub", "cluster_type": "hub", "enable_argocd": "true", "enable_x": "true", "environment": "dev", v1alpha1.LabelSecretType: "cluster"}, got.GetLabels()); diff != "" {
		t.Errorf("labels: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]Place{{"addons", h.URL, "v2", "fleets/mine"}}, Places(got, nil, h.Roots)); diff != "" {
		t.Errorf("places: -want +got:\n%s", diff)
	}
	if name := NameIn(got, nil); name != "hub" || got.GetName() != "hub" {
		t.Errorf("the roots look for %q, and the Secret is %q", name, got.GetName())
	}
	if data, _ := got.Object["data"].(map[string]any); len(data) != 3 || got.Object["type"] != nil {
		t.Errorf("it has the data %v and the type %v", data, got.Object["type"])
	}
}

// TestHubsAreFound by their address, however it is written.
func TestHubsAreFound(t *testing.T) {
	at := func(name, server string) corev1.Secret {
		return corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"server": []byte(server)}}
	}
	if got, err := HubSecret([]corev1.Secret{at("a", "https://a.example.com"), at("b", gitops.HubServer)}); err != nil || got == nil || got.Name != "b" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := HubSecret([]corev1.Secret{at("a", "https://a.example.com")}); err != nil || got != nil {
		t.Errorf("another cluster is taken for the hub: %v, %v", got, err)
	}
}

// TestRepositoriesThatAreOthers: a template of credentials, one of a project, and one that cannot be read describe no
// repository that the roots can be read from.
func TestRepositoriesThatAreOthers(t *testing.T) {
	r := Repository{Namespace: "argocd", URL: "https://git.example.com/team/fleet"}
	described := func(kind string, data map[string]string) corev1.Secret {
		s := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "x", Labels: map[string]string{v1alpha1.LabelSecretType: kind}}, Data: map[string][]byte{"url": []byte(r.URL)}}
		for key, value := range data {
			s.Data[key] = []byte(value)
		}
		return s
	}
	cases := map[string]struct {
		reason string
		secret corev1.Secret
		want   bool
	}{
		"Same":     {"the very repository", described(v1alpha1.SecretTypeRepository, nil), true},
		"Suffix":   {"as it is written otherwise", described(v1alpha1.SecretTypeRepository, map[string]string{"url": r.URL + ".git"}), true},
		"Letters":  {"servers know no capitals", described(v1alpha1.SecretTypeRepository, map[string]string{"url": "https://Git.example.com/Team/fleet/"}), true},
		"Template": {"a template of credentials", described(v1alpha1.SecretTypeRepoCreds, nil), false},
		"Project":  {"one of a project", described(v1alpha1.SecretTypeRepository, map[string]string{"project": "team"}), false},
		"Other":    {"another one", described(v1alpha1.SecretTypeRepository, map[string]string{"url": r.URL + "-docs"}), false},
		"Broken":   {"one that says nothing", described(v1alpha1.SecretTypeRepository, map[string]string{"url": ""}), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := r.Find([]corev1.Secret{tc.secret}); (got != nil) != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
	if (Repository{URL: ":"}).Find([]corev1.Secret{described(v1alpha1.SecretTypeRepository, nil)}) != nil {
		t.Error("an address that is none is found")
	}
}

// TestNamesOfRepositorySecrets: a person sees which repository it is, and no two have one name.
func TestNamesOfRepositorySecrets(t *testing.T) {
	valid := regexp.MustCompile(`^repo-[a-z0-9-]*-[0-9a-f]{8}$`)
	seen := map[string]string{}
	for _, url := range []string{
		"https://git.example.com/team/fleet", "https://git.example.com/team/Fleet", "https://other.example.com/team/fleet", "git@git.example.com:team/fleet",
		"https://git.example.com/" + strings.Repeat("very-long/", 30) + "fleet", "https://git.example.com/команда/флот", "https://git.example.com/__",
	} {
		name := (Repository{URL: url}).name()
		if !valid.MatchString(name) || len(name) > 63 {
			t.Errorf("%s: the name %q is none", url, name)
		}
		if seen[name] != "" {
			t.Errorf("%s and %s are both %s", url, seen[name], name)
		}
		seen[name] = url
	}
}

// TestRepositoriesThatCannotBe: what is wrong with an address or a key is told before a Secret is written.
func TestRepositoriesThatCannotBe(t *testing.T) {
	const url = "https://git.example.com/team/fleet"
	for name, tc := range map[string]struct {
		reason string
		r      Repository
		want   string
	}{
		"Fine":  {"one that can be", Repository{URL: url, Keys: map[string]access.Secret{"username": "me", "password": "hunter2"}}, ""},
		"None":  {"there is no address", Repository{}, "write its address as in https://git.example.com/team/fleet"},
		"Typo":  {"an address that is none", Repository{URL: "https://"}, "cannot use the repository"},
		"Keys":  {"a key that is none, which is not told", Repository{URL: url, Keys: map[string]access.Secret{"githubAppID": "hunter2", "githubAppPrivateKey": "x"}}, "githubAppID"},
		"Apart": {"a part of a sign-in", Repository{URL: url, Keys: map[string]access.Secret{"tlsClientCertData": "hunter2"}}, "tlsClientCertKey"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.r.Check()
			if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
