package local

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"

	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestBridgeSecretOfASpoke(t *testing.T) {
	dir := folder(t, map[string]string{"dev.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dev-secret\n  namespace: elsewhere\n" +
		"  labels: {environment: test, enable_x: \"true\"}\nstringData: {name: development}\n"})
	c := Cluster{Name: "dev", Secret: filepath.Join(dir, "dev.yaml")}
	secret, err := readBridge(c, "argocd")
	if err != nil {
		t.Fatal(err)
	}
	ca, _, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	config := &rest.Config{Host: "https://127.0.0.1:1", BearerToken: "t", TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
	if err := connect(secret, c, config); err != nil {
		t.Fatal(err)
	}
	d, connection, err := fleet.Parser{}.Parse(secret)
	if err != nil {
		t.Fatalf("the engine cannot read the Secret: %v", err)
	}
	if d.Name != "development" || d.Secret != "dev-secret" || secret.Namespace != "argocd" || d.Labels["environment"] != "test" ||
		d.Labels["enable_x"] != "true" || d.Labels["cluster_name"] != "dev" || d.Annotations["environment"] != "test" {
		t.Errorf("the file wins, the rest is filled in: %+v", d)
	}
	if connection.Host != config.Host || connection.BearerToken != "t" || !bytes.Equal(connection.CAData, ca) || connection.Insecure {
		t.Errorf("the connection is %+v", connection)
	}
}

func TestBridgeSecretOfTheHub(t *testing.T) {
	c := Cluster{Name: "hub", Hub: true}
	secret, err := readBridge(c, "argocd")
	if err != nil {
		t.Fatal(err)
	}
	if err := connect(secret, c, &rest.Config{Host: "https://127.0.0.1:1", BearerToken: "t"}); err != nil {
		t.Fatal(err)
	}
	d, connection, err := fleet.Parser{}.Parse(secret)
	if err != nil || connection != nil || d.Server != gitops.HubServer || d.Name != "hub" {
		t.Errorf("the hub is known by its own address, without credentials: %+v %v %v", d, connection, err)
	}
}

func TestBridgeRefuses(t *testing.T) {
	tests := map[string]struct{ reason, text, want string }{
		"OtherKind": {reason: "only Secrets describe clusters", text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", want: "not a Secret"},
		"Documents": {reason: "one Secret describes a cluster", text: "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n---\nkind: Secret\n", want: "line 5: another document begins, and one is read"},
		"NoName":    {reason: "it becomes an object", text: "apiVersion: v1\nkind: Secret\n", want: "metadata.name"},
		"Unknown":   {reason: "typing errors are found", text: "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nlabel: {}\n", want: "label"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder(t, map[string]string{"s.yaml": tc.text}), "s.yaml")
			_, err := readBridge(Cluster{Name: "dev", Secret: path}, "argocd")
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestASecretIsNotRepeated: what a person sees, and what a log keeps, has no value
// of the file.
func TestASecretIsNotRepeated(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text string }{
		"Asterisk": {"the decoder takes it for a reference, and names it", "stringData: {config: *hunter2}"},
		"Itself":   {"such a reference may be to what it is in", "stringData: &hunter2 {config: x, <<: *hunter2}"},
		"Second":   {"nor is a second document a place for it", "stringData: {}\n---\nstringData: {config: *hunter2}"},
		"Bytes":    {"it is not encoded", "data: {config: hunter2!}"},
		"Map":      {"it is no text", "stringData: {config: {hunter2: x}}"},
		"Open":     {"its end is missing", "stringData: {config: 'hunter2"},
		"Escape":   {"it has a backslash", `stringData: {config: "\qhunter2"}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseSecret([]byte("apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n" + tc.text))
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: it says %v", tc.reason, err)
			}
		})
	}
}

// TestEachClusterHasItsSecret: the second of two with one name would take the place
// of the first, and the engine would miss a cluster.
func TestEachClusterHasItsSecret(t *testing.T) {
	named := func(name string) string { return "apiVersion: v1\nkind: Secret\nmetadata: {name: " + name + "}\n" }
	dir := folder(t, map[string]string{"a.yaml": named("a"), "b.yaml": named("b")})
	for name, tc := range map[string]struct {
		reason string
		second Cluster
		says   string
	}{
		"Own":    {"each has its own", Cluster{Name: "two", Secret: filepath.Join(dir, "b.yaml")}, ""},
		"MadeUp": {"one is made up", Cluster{Name: "two"}, ""},
		"OneFor": {"one file describes both", Cluster{Name: "two", Secret: filepath.Join(dir, "a.yaml")}, "one and two: both have a Secret named a"},
		"Taken":  {"what is made up has the name of the cluster", Cluster{Name: "a"}, "one and a: both have a Secret named a"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Fleet{Namespace: "argocd", Clusters: []Cluster{{Name: "one", Secret: filepath.Join(dir, "a.yaml")}, tc.second}}
			all, err := readBridges(f)
			if tc.says == "" && (err != nil || len(all) != 2) || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("%s: %d Secrets, %v", tc.reason, len(all), err)
			}
		})
	}
}

// TestDescribed is what a preview sees of a fleet that does not run.
func TestDescribed(t *testing.T) {
	const elsewhere = "apiVersion: v1\nkind: Secret\nmetadata: {name: dev}\nstringData: {server: \"https://dev.example.com\", name: development}\ndata: {name: b2xk}\n"
	for name, tc := range map[string]struct {
		reason         string
		cluster        Cluster
		text           string
		server, called string
	}{
		"MadeUp":  {"without a file there is an address nobody has", Cluster{Name: "dev"}, "", "https://dev.local", "dev"},
		"Written": {"the file says where it is, and plain text counts before encoded", Cluster{Name: "dev"}, elsewhere, "https://dev.example.com", "development"},
		"Hub":     {"manifests know the hub by its own address, whatever the file says", Cluster{Name: "hub", Hub: true}, elsewhere, gitops.HubServer, "development"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Describe(tc.cluster, []byte(tc.text), "argocd")
			if err != nil || got.Namespace != "argocd" || string(got.Data["server"]) != tc.server || string(got.Data["name"]) != tc.called || got.StringData != nil {
				t.Errorf("%s: %v, %v", tc.reason, got, err)
			}
		})
	}
	if _, err := Describe(Cluster{Name: "dev"}, []byte("kind: ConfigMap\n"), "argocd"); err == nil || !strings.Contains(err.Error(), "cluster dev") {
		t.Errorf("an error names the cluster: %v", err)
	}
}
