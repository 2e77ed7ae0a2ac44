// Package cluster is the bridge Secret: what Terraform knows of a cluster, as
// labels and annotations that ApplicationSets read, and how it is reached.
package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/declare"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// What the Secret has when nothing else is said. The texts are those that the
// module terraform-helm-gitops-bridge writes, byte by byte.
const (
	DefaultName        = "in-cluster"
	DefaultEnvironment = "dev"
	DefaultServer      = "https://kubernetes.default.svc"
	DefaultConfig      = "{\n  \"tlsClientConfig\": {\n    \"insecure\": false\n  }\n}\n"

	labelType     = "argocd.argoproj.io/secret-type"
	labelOwnAddon = "enable_argocd"
	keyName       = "cluster_name"
	keyStage      = "environment"

	// labelSource names the ClusterSource that keeps a Secret, and noteDeclared
	// the Cluster that does.
	labelSource  = "causeway.io/cluster-source"
	noteDeclared = "causeway.io/declared-by"
)

// Kind is the resource causeway_cluster.
func Kind() declare.Kind {
	return declare.Kind{
		Type: "cluster", APIVersion: "v1", Kind: "Secret", Version: "config_wo_version",
		Doc: "A cluster of the fleet, as the Secret that ApplicationSets read (the GitOps Bridge). Labels and annotations that others " +
			"add to the Secret are left alone and are no drift. A plan that deletes or replaces it warns of the Applications that lose the cluster. " +
			"Credentials are write-only: they are in no plan and no state.",
		Fields:   fields(),
		Complete: complete, Absorb: absorb, Adopt: adopt, Leaving: leaving,
		Plain: []string{"name"}, Hides: signsIn,
		MovedFrom: []string{"kubernetes_secret_v1", "kubernetes_secret"},
	}
}

func fields() []declare.Field {
	return []declare.Field{
		{Name: keyName, Doc: "Name of the cluster (default `in-cluster`)."},
		{Name: keyStage, Doc: "Environment of the cluster (default `dev`)."},
		{Name: "addons", Shape: declare.TextMap, Doc: "Labels by which ApplicationSets choose clusters, as in `enable_cert_manager = true`. They win over the labels that are always there; null leaves one of those out."},
		{Name: "labels", Shape: declare.TextMap, Doc: "More labels. They win over `addons`."},
		{Name: "metadata", Shape: declare.TextMap, Doc: "Annotations with what templates need: accounts, regions, role ARNs, addresses of repositories."},
		{Name: "server", Path: "stringData.server", Doc: "Address of the cluster's API (default `" + DefaultServer + "`, the hub itself)."},
		{Name: "config_wo", Path: "stringData.config", WriteOnly: true, Standard: DefaultConfig, Check: checkConfig, Doc: "How to log in, as the JSON of Argo CD's cluster Secrets: `bearerToken`, `tlsClientConfig`, `execProviderConfig`, `awsAuthConfig`. Write-only; may be ephemeral."},
		{Name: "config_wo_version", Doc: "Change it to have `config_wo` written anew. Without it, a plan compares `config_wo` with what the cluster has; set it where the credentials are other ones each time."},
		{Name: "secret_name", Doc: "Name of the Secret (default: that of the cluster)."},
		declare.Namespace(),
	}
}

func complete(given map[string]any, o *unstructured.Unstructured) error {
	for _, attribute := range []string{keyName, "server", "secret_name"} {
		if given[attribute] == "" {
			return fmt.Errorf("%s is empty: leave it out, or set it to null, to have its default", attribute)
		}
	}
	if server, _ := given["server"].(string); object.SignsIn(server) {
		return errors.New("server: it says who asks, and would be in plans and in the state: take that out, and give it in config_wo")
	}
	name, stage := text(given, keyName, DefaultName), text(given, keyStage, DefaultEnvironment)
	labels := map[string]any{keyName: name, keyStage: stage, labelOwnAddon: "true", labelType: "cluster"}
	annotations := map[string]any{keyName: name, keyStage: stage}
	maps.Copy(labels, dictionary(given, "addons"))
	maps.Copy(labels, dictionary(given, "labels"))
	maps.Copy(annotations, dictionary(given, "metadata"))
	for _, m := range []map[string]any{labels, annotations} {
		maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	}
	if labels[labelType] != "cluster" {
		return fmt.Errorf("the label %s must stay \"cluster\": without it the engine does not see the Secret", labelType)
	}
	data, _ := o.Object["stringData"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	data["name"] = name
	if data["server"] == nil {
		data["server"] = DefaultServer
	}
	o.Object["type"], o.Object["stringData"] = "Opaque", data
	o.SetName(text(given, "secret_name", name))
	return errors.Join(
		unstructured.SetNestedMap(o.Object, labels, "metadata", "labels"),
		unstructured.SetNestedMap(o.Object, annotations, "metadata", "annotations"),
	)
}

// absorb reads the attributes from a Secret that was made elsewhere.
func absorb(live *unstructured.Unstructured) map[string]any {
	labels := live.GetLabels()
	name := cmp.Or(labels[keyName], object.Text(live, "name"), DefaultName)
	out := map[string]any{keyName: name}
	if stage, there := labels[keyStage]; there {
		out[keyStage] = stage
	}
	if server := object.Text(live, "server"); server == "" || server == DefaultServer {
		out["server"] = nil
	}
	addons, metadata, mine := map[string]any{}, map[string]any{}, object.Mine(live)
	for key, v := range mine.GetLabels() {
		if key != keyName && key != keyStage && key != labelType && (key != labelOwnAddon || v != "true") {
			addons[key] = v
		}
	}
	for key, v := range mine.GetAnnotations() {
		if key != keyName && key != keyStage {
			metadata[key] = v
		}
	}
	if len(addons) > 0 {
		out["addons"] = addons
	}
	if len(metadata) > 0 {
		out["metadata"] = metadata
	}
	if live.GetName() != name {
		out["secret_name"] = live.GetName()
	}
	return out
}

// adopt takes over what is a cluster's Secret already, such as that of a
// configuration that used another module before. What a ClusterSource or a
// Cluster keeps would be written by two.
func adopt(live *unstructured.Unstructured) error {
	labels, notes := live.GetLabels(), live.GetAnnotations()
	is := fmt.Sprintf("the Secret %s/%s is", live.GetNamespace(), live.GetName())
	switch {
	case labels[labelType] != "cluster":
		return fmt.Errorf("%s no cluster's (its label %s is %q)", is, labelType, labels[labelType])
	case labels[labelSource] != "":
		return fmt.Errorf("%s kept by the ClusterSource %s", is, labels[labelSource])
	case notes[noteDeclared] != "":
		return fmt.Errorf("%s kept by the Cluster %s", is, notes[noteDeclared])
	}
	return nil
}

// signsIn tells an address that others wrote into the Secret with a login in it.
func signsIn(key, value string) bool { return key == "server" && object.SignsIn(value) }

// checkConfig refuses a login that the engine could not read. It repeats
// nothing of it.
func checkConfig(config string) error {
	var parsed map[string]any
	if json.Unmarshal([]byte(config), &parsed) != nil {
		return errors.New("config_wo is no JSON object: use jsonencode({bearerToken = …, tlsClientConfig = {…}})")
	}
	return nil
}

func text(given map[string]any, key, otherwise string) string {
	if s, ok := given[key].(string); ok {
		return s
	}
	return otherwise
}

func dictionary(given map[string]any, key string) map[string]any {
	m, _ := given[key].(map[string]any)
	return m
}
