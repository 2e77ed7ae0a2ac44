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
	d, connection, err := fleet.ParseSecret(secret)
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
	d, connection, err := fleet.ParseSecret(secret)
	if err != nil || connection != nil || d.Server != gitops.HubServer || d.Name != "hub" {
		t.Errorf("the hub is known by its own address, without credentials: %+v %v %v", d, connection, err)
	}
}

func TestBridgeRefuses(t *testing.T) {
	tests := map[string]struct{ reason, text, want string }{
		"OtherKind": {reason: "only Secrets describe clusters", text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", want: "not a Secret"},
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
