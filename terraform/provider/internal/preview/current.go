package preview

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

const clusterSecrets = "argocd.argoproj.io/secret-type=cluster"

// current writes the clusters' Secrets as they are, without their credentials,
// and returns them. A hub that cannot be asked yet has none.
func (d *data) current(ctx context.Context, dir, namespace string) ([]unstructured.Unstructured, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	secrets, err := d.secrets(ctx, namespace)
	if err != nil {
		return nil, err
	}
	if len(secrets) == 0 {
		secrets = []unstructured.Unstructured{itself(namespace)}
	}
	for i := range secrets {
		text, err := json.Marshal(public(&secrets[i]))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), text, 0o600); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

func (d *data) secrets(ctx context.Context, namespace string) ([]unstructured.Unstructured, error) {
	if !d.Hub.Known() {
		return nil, nil
	}
	client, err := d.Hub.Open(ctx)
	if err != nil {
		return nil, err
	}
	return client.Secrets(ctx, namespace, clusterSecrets)
}

// itself describes the hub, which is a cluster of the fleet before anybody
// described it.
func itself(namespace string) unstructured.Unstructured {
	o := unstructured.Unstructured{Object: map[string]any{"data": map[string]any{
		"name":   base64.StdEncoding.EncodeToString([]byte("in-cluster")),
		"server": base64.StdEncoding.EncodeToString([]byte("https://kubernetes.default.svc")),
	}}}
	o.SetName("in-cluster")
	o.SetNamespace(namespace)
	o.SetLabels(map[string]string{"argocd.argoproj.io/secret-type": "cluster"})
	return o
}

// public is a cluster's Secret without its credentials.
func public(s *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "stringData": described(s),
		"metadata": map[string]any{"name": s.GetName(), "namespace": s.GetNamespace(), "labels": s.GetLabels(), "annotations": object.Annotations(s)},
	}
}

// described are the data of a Secret that say something of the cluster, and not
// how to log in to it.
func described(s *unstructured.Unstructured) map[string]string {
	data := map[string]string{}
	for _, key := range []string{"name", "server", "project", "namespaces", "clusterResources", "shard"} {
		if _, there := object.Data(s)[key]; there {
			data[key] = object.Text(s, key)
		}
	}
	if server, there := data["server"]; there {
		data["server"] = object.Anonymous(server)
	}
	return data
}
