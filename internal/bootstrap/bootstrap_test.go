package bootstrap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

func TestImage(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		reason string
		engine Engine
		want   string
	}{
		"Default":  {"the chart says", Engine{}, "ghcr.io/causeway-gitops/causeway:0.1.0"},
		"Tag":      {"an image wins over values", Engine{Image: "r.example.com/c:2", Set: []string{"image.tag=3"}}, "r.example.com/c:2"},
		"Port":     {"a port is no tag", Engine{Image: "r.example.com:5000/c"}, "r.example.com:5000/c:0.1.0"},
		"Digest":   {"a digest wins over the tag", Engine{Image: "r.example.com/c:2@" + digest}, "r.example.com/c@" + digest},
		"Version":  {"a version wins over all", Engine{Image: "r.example.com/c:2", Version: "4"}, "r.example.com/c:4"},
		"LastFile": {"the last file wins", Engine{Files: []Values{{"a", []byte("image: {tag: a, repository: r}")}, {"b", []byte("image: {tag: b}")}}}, "r:b"},
	} {
		t.Run(name, func(t *testing.T) {
			c.engine.Namespace = "argocd"
			objects, err := c.engine.Objects(gitops.Facts{KubeVersion: "1.33.0"})
			if err != nil {
				t.Fatal(err)
			}
			last := objects[len(objects)-1]
			if text := fmt.Sprint(last.Object); last.GetKind() != "Deployment" || !strings.Contains(text, "image:"+c.want+" ") {
				t.Errorf("%s: no image %s in the last object:\n%s", c.reason, c.want, text)
			}
		})
	}
}

func TestMetadataIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		reason, text string
		want         Metadata
		wrong        string
	}{
		"Plain":    {reason: "switches are written without quotes", text: "labels: {enable_x: true}\nannotations: {account: 4711, ratio: 0.5}", want: Metadata{map[string]string{"enable_x": "true"}, map[string]string{"account": "4711", "ratio": "0.5"}}},
		"Manifest": {reason: "a Secret's manifest has them, too", text: "kind: Secret\nmetadata: {labels: {a: b}}", want: Metadata{map[string]string{"a": "b"}, map[string]string{}}},
		"Zeros":    {reason: "what looks like a number is a name", text: "annotations: {account: 012345678901, octal: 0755, version: 1.10, large: 123456789012345678901, exponent: 1e3, hex: 0x1F}", want: Metadata{map[string]string{}, map[string]string{"account": "012345678901", "octal": "0755", "version": "1.10", "large": "123456789012345678901", "exponent": "1e3", "hex": "0x1F"}}},
		"Switches": {reason: "a switch is one, however it is written; between quotes it is a text", text: "labels: {a: True, b: off, c: yes, d: 'yes', e: \"True\"}", want: Metadata{map[string]string{"a": "true", "b": "false", "c": "true", "d": "yes", "e": "True"}, map[string]string{}}},
		"Dates":    {reason: "a day has no time", text: "labels: {since: 2024-01-31}", want: Metadata{map[string]string{"since": "2024-01-31"}, map[string]string{}}},
		"Lines":    {reason: "annotations may have lines", text: "annotations:\n  a: |\n    true\n    b\n  c: ''\n", want: Metadata{map[string]string{}, map[string]string{"a": "true\nb\n", "c": ""}}},
		"Shared":   {reason: "values and whole parts may be shared, and the nearer one counts", text: "x: &x {team: web, tier: gold}\nlabels: {<<: *x, tier: &t silver}\nannotations: {tier: *t}", want: Metadata{map[string]string{"team": "web", "tier": "silver"}, map[string]string{"tier": "silver"}}},
		"JSON":     {reason: "as programs write it", text: "{\"labels\": {\"a\": \"01\", \"b\": 2}}", want: Metadata{map[string]string{"a": "01", "b": "2"}, map[string]string{}}},
		"Keys":     {reason: "keys are texts, too", text: "labels: {1: a, true: b}", want: Metadata{map[string]string{"1": "a", "true": "b"}, map[string]string{}}},
		"Both":     {reason: "what a manifest says is within it", text: "labels: {a: x, b: x}\nmetadata: {labels: {a: z}}", want: Metadata{map[string]string{"a": "z", "b": "x"}, map[string]string{}}},
		"Null":     {reason: "nothing is no text", text: "labels: {a: }", wrong: "labels: the value of a is no text"},
		"Tilde":    {reason: "however it is written", text: "annotations: {a: ~}", wrong: "annotations: the value of a is no text"},
		"Alias":    {reason: "a shared list is one, too", text: "x: &x [a]\nlabels: {a: *x}", wrong: "the value of a is no text"},
		"Twice":    {reason: "nobody knows which one is meant", text: "labels:\n  a: b\n  a: c\n", wrong: "already defined"},
		"List":     {reason: "labels are a mapping", text: "labels: [a]", wrong: "write mappings labels and annotations"},
		"Name":     {reason: "a key is a name", text: "annotations: {'a b': c}", wrong: "annotation a b"},
		"Empty":    {reason: "an empty file is a mistake", text: "addons: {}", wrong: "neither labels nor annotations"},
		"Nested":   {reason: "a value is one text", text: "labels: {a: [b]}", wrong: "the value of a"},
		"Label":    {reason: "the API server would refuse it", text: "labels: {a: 'no such value'}", wrong: "label a"},
		"Broken":   {reason: "no YAML", text: "labels: [", wrong: "f.yaml"},
		"Huge":     {reason: "the API server has a limit", text: "annotations: {a: " + strings.Repeat("x", 300<<10) + "}", wrong: "256 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadMetadata("f.yaml", []byte(c.text))
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("%s: got error %v, want one with %q", c.reason, err, c.wrong)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: error %v, (-want +got):\n%s", c.reason, err, diff)
			}
		})
	}
}

// owned is a managed-fields entry of an earlier bootstrap.
func owned(fields string) []metav1.ManagedFieldsEntry {
	return []metav1.ManagedFieldsEntry{{Manager: Manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(fields)}}
}

func TestKeysOfTheHubsSecret(t *testing.T) {
	live := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name:          "eu-hub",
		Labels:        map[string]string{"cluster_name": "eu", "enable_old": "true", "enable_theirs": "true", "environment": "prod"},
		ManagedFields: owned(`{"f:metadata":{"f:labels":{"f:enable_old":{}}}}`),
	}, Data: map[string][]byte{"name": []byte("eu"), "server": []byte(gitops.HubServer), "config": []byte("secret")}}
	h := Hub{Namespace: "argocd", Name: "hub", URL: "https://git.example.com/x", Path: "/fleets/eu/", Roots: []string{"addons"}, Metadata: Metadata{Labels: map[string]string{"environment": "dev"}}}
	got := h.Secret(live)
	want := map[string]string{
		v1alpha1.LabelSecretType: "cluster", "cluster_type": "hub", "enable_argocd": "true", // what lacks
		"enable_old":  "true", // of an earlier run
		"environment": "dev",  // asked for
	}
	if diff := cmp.Diff(want, got.GetLabels()); diff != "" || got.GetName() != "eu-hub" {
		t.Errorf("Secret %s, labels (-want +got):\n%s", got.GetName(), diff)
	}
	if _, ok := got.Object["data"]; ok {
		t.Error("keys of data that others wrote are taken over")
	}
	places := Places(got, live, h.Roots)
	if diff := cmp.Diff([]Place{{"addons", h.URL, "HEAD", "fleets/eu/control-plane/addons"}}, places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if name := NameIn(got, live); name != "eu" {
		t.Errorf("the roots look for %q", name)
	}
}

func TestTwoSecretsOfTheHub(t *testing.T) {
	one := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string][]byte{"server": []byte(gitops.HubServer + "/")}}
	two := *one.DeepCopy()
	two.Name = "b"
	if _, err := HubSecret([]corev1.Secret{one, two}); err == nil || !strings.Contains(err.Error(), "a, b") {
		t.Errorf("got error %v", err)
	}
}

func TestRepositoryThatIsKnown(t *testing.T) {
	known := corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "theirs", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}},
		Data:       map[string][]byte{"url": []byte("https://git.example.com/team/fleet"), "password": []byte("old"), "username": []byte("u")},
	}
	r := Repository{Namespace: "argocd", URL: "https://git.example.com/team/fleet"}
	if found := r.Find([]corev1.Secret{known}); found == nil || r.Secret(found) != nil {
		t.Errorf("a Secret that is there is not left alone: %v", found)
	}
	r.Keys = map[string]access.Secret{"password": "new"}
	got := r.Secret(&known)
	want := map[string]any{"password": "bmV3", "type": "Z2l0"}
	if diff := cmp.Diff(want, got.Object["data"]); diff != "" || got.GetName() != "theirs" {
		t.Errorf("Secret %s (-want +got):\n%s", got.GetName(), diff)
	}
	other := *known.DeepCopy()
	other.Name, other.Data["url"] = "other", []byte("https://git.example.com/team/other")
	after := r.In([]corev1.Secret{other, known})
	if len(after) != 2 || string(after[1].Data["password"]) != "new" || string(after[1].Data["username"]) != "u" || string(after[0].Data["password"]) != "old" {
		t.Errorf("the engine would see %d Secrets, or other keys", len(after))
	}
	if after := r.In([]corev1.Secret{other}); len(after) != 2 {
		t.Errorf("the engine would see %d Secrets", len(after))
	}
}
