package roster

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func secretOf(name string, annotations map[string]string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "c-" + name, Labels: map[string]string{"environment": name}, Annotations: annotations},
		StringData: map[string]string{"name": name, "server": "https://user:hush@" + name + ".example.com:6443", "config": `{"bearerToken":"hush"}`},
	}
}

func TestFleetFileHoldsNoCredentials(t *testing.T) {
	leak := map[string]string{"kubectl.kubernetes.io/last-applied-configuration": `{"stringData":{"config":"hush"}}`, "region": "eu"}
	r, err := FromSecrets([]*corev1.Secret{secretOf("prod", leak), secretOf("dev", nil)}, Builtin("1.34.0", "x.io/v1"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hush") || !IsFile(out.Bytes()) {
		t.Errorf("a fleet file must be known, and safe to commit:\n%s", out.String())
	}
	back, err := Parse(out.Bytes(), gitops.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"dev", "prod"}, back.Names()); diff != "" {
		t.Error(diff)
	}
	if got := back.Clusters[1].Annotations; !cmp.Equal(got, map[string]string{"region": "eu"}) {
		t.Errorf("annotations are %v", got)
	}
	if diff := cmp.Diff(r.Clusters[0].Facts, back.Clusters[0].Facts); diff != "" {
		t.Error(diff)
	}
	var again bytes.Buffer
	if err := back.Write(&again); err != nil || again.String() != out.String() {
		t.Errorf("what is read and written again differs: %v", err)
	}
}

// TestParseFormerVersion: fleet files of before there was one API domain are read, and
// written with it.
func TestParseFormerVersion(t *testing.T) {
	text := []byte("apiVersion: " + FormerFileAPIVersion + "\nkind: Fleet\nclusters: [{name: a, server: 'https://a'}]\n")
	if !IsFile(text) {
		t.Error("it is taken for no fleet file")
	}
	got, err := Parse(text, gitops.Facts{})
	if err != nil || !got.Former || len(got.Clusters) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	var again bytes.Buffer
	if err := got.Write(&again); err != nil || !strings.Contains(again.String(), "apiVersion: "+FileAPIVersion+"\n") {
		t.Errorf("it is written as %s: %v", again.String(), err)
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "apiVersion: causeway.io/v1alpha1\nkind: Fleet\n"
	cases := map[string]struct{ reason, text, want string }{
		"Other":   {"another kind of file", "apiVersion: v1\nkind: Fleet\nclusters: []\n", "is a v1 Fleet"},
		"Server":  {"a cluster without an address", head + "clusters: [{name: a}]\n", "no server"},
		"Facts":   {"facts that are not there", head + "clusters: [{name: a, server: b, facts: c}]\n", `no facts "c"`},
		"Joined":  {"a fleet behind another", head + "---\n" + head, "line 4: another document begins, and one is read: have all of it in one document"},
		"Unknown": {"a misspelt field must not be lost", head + "clusters: [{nam: a}]\n", "nam"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tc.text), gitops.Facts{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	twin := func(name string) *corev1.Secret {
		s := secretOf(name, nil)
		s.StringData["server"] = "https://twin.example.com"
		return s
	}
	r, err := FromSecrets([]*corev1.Secret{secretOf("prod", nil), twin("twin-1"), twin("twin-2")}, gitops.Facts{KubeVersion: "1.34.0"})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		d      v1alpha1.ApplicationDestination
		want   string
	}{
		"Name":    {"by name", v1alpha1.ApplicationDestination{Name: "prod"}, "prod"},
		"Hub":     {"the hub needs no Secret", v1alpha1.ApplicationDestination{Server: gitops.HubServer + "/"}, gitops.HubName},
		"Spelled": {"a server however it is spelled", v1alpha1.ApplicationDestination{Server: "https://PROD.example.com:06443/"}, "prod"},
		"Twice":   {"a server that two have is nobody's", v1alpha1.ApplicationDestination{Server: "https://twin.example.com"}, ""},
		"Twin":    {"the name of each is its own", v1alpha1.ApplicationDestination{Name: "twin-1"}, "twin-1"},
		"Unknown": {"a name that nothing has", v1alpha1.ApplicationDestination{Name: "test"}, ""},
		"Both":    {"two ways to say it", v1alpha1.ApplicationDestination{Name: "prod", Server: "x"}, ""},
		"None":    {"no way to say it", v1alpha1.ApplicationDestination{}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, err := r.Resolve(tc.d)
			if c.Name != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("%s: got %q, %v", tc.reason, c.Name, err)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	before, _ := FromSecrets([]*corev1.Secret{secretOf("prod", map[string]string{"a": "1", "gone": "x"})}, gitops.Facts{})
	after, _ := FromSecrets([]*corev1.Secret{secretOf("prod", map[string]string{"a": "2", "new": "y"})}, gitops.Facts{})
	var got []string
	for _, c := range Changes(before, after) {
		got = append(got, c.String())
	}
	want := []string{
		"cluster prod: metadata.annotations.a 1 → 2",
		"cluster prod: metadata.annotations.gone x → (none)",
		"cluster prod: metadata.annotations.new (none) → y",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBuiltin(t *testing.T) {
	f := Builtin("1.36.3", "monitoring.coreos.com/v1")
	for _, want := range []string{"v1", "apps/v1", "apps/v1/Deployment", "batch/v1/CronJob", "monitoring.coreos.com/v1"} {
		if !slices.Contains(f.APIVersions, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, v := range f.APIVersions {
		if strings.Contains(v, "alpha") || strings.Contains(v, "v1beta1") || strings.HasSuffix(v, "ListOptions") {
			t.Errorf("%s is not served by a cluster as it comes", v)
		}
	}
}

// TestNameOfHub has a cluster that is called as the hub is.
func TestNameOfHub(t *testing.T) {
	r := Roster{Clusters: []Cluster{{Cluster: gitops.Cluster{Name: gitops.HubName, Server: "https://prod.example.com", Secret: "a"}}}}
	if c, err := r.Resolve(v1alpha1.ApplicationDestination{Name: gitops.HubName}); err != nil || c.Server != gitops.HubServer {
		t.Errorf("the name of the hub leads to %+v, %v", c, err)
	}
	if c, err := r.Resolve(v1alpha1.ApplicationDestination{Server: "https://prod.example.com"}); err != nil || c.Secret != "a" {
		t.Errorf("the other cluster is not reached by its server: %+v, %v", c, err)
	}
}
