package observe

import (
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var (
	externalSecretKind = schema.GroupKind{Group: esv1.Group, Kind: esv1.ExternalSecretKind}
	secrets            = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	configMaps         = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
)

// externalSecrets are the checks of External Secrets' kinds, whoever reconciles them.
func externalSecrets() map[schema.GroupKind]Check {
	out := map[schema.GroupKind]Check{externalSecretKind: externalSecret, {Group: esv1.Group, Kind: "PushSecret"}: pushSecret}
	for _, kind := range []string{"SecretStore", "ClusterSecretStore", "ClusterExternalSecret"} {
		out[schema.GroupKind{Group: esv1.Group, Kind: kind}] = whenReady
	}
	return out
}

// whenReady goes by the condition Ready. A ClusterExternalSecret may have others in its place.
func whenReady(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	conditions := r.conditions()
	if r.err != nil {
		return gitops.Health{Code: gitops.HealthUnknown}, r.err
	}
	if ready, ok := find(conditions, "Ready"); ok {
		switch ready.status {
		case "True":
			return healthy(ready.message), nil
		case "False":
			return degraded(ready.message), nil
		}
	}
	for _, c := range conditions {
		if (c.kind == "PartiallyReady" || c.kind == "NotReady") && c.status == "True" {
			return degraded(c.message), nil
		}
	}
	return progressing("Waiting for %s", o.GetKind()), nil
}

// externalSecret is healthy when the Secret is made of the newest spec: the condition alone is still that of the spec
// before, and a wave would go on with the values of that.
func externalSecret(o *unstructured.Unstructured) (gitops.Health, error) {
	return ofNewestSpec(o, "the values of the newest spec", fetchedOnce)
}

// pushSecret is healthy when what its newest spec names was pushed.
func pushSecret(o *unstructured.Unstructured) (gitops.Health, error) {
	return ofNewestSpec(o, "the newest spec to be pushed", func(*reader) bool { return false })
}

// ofNewestSpec is the health of what tells its last synced generation, unless it is not synced for each.
func ofNewestSpec(o *unstructured.Unstructured, waits string, once func(*reader) bool) (gitops.Health, error) {
	h, err := whenReady(o)
	if err != nil || h.Code != gitops.Healthy {
		return h, err
	}
	r := &reader{o: o.Object}
	generation, _ := r.number("metadata", "generation")
	synced, known := syncedGeneration(r.text("status", "syncedResourceVersion"))
	if r.err != nil {
		return gitops.Health{Code: gitops.HealthUnknown}, r.err
	}
	if known && synced < generation && !once(r) {
		return progressing("Waiting for %s", waits), nil
	}
	return h, r.err
}

// syncedGeneration is that of the spec of which a Secret is made, as the engine and External Secrets' operator write it.
func syncedGeneration(text string) (generation int64, known bool) {
	number, _, cut := strings.Cut(text, "-")
	generation, err := strconv.ParseInt(number, 10, 64)
	return generation, cut && err == nil
}

// fetchedOnce reports whether an ExternalSecret is not fetched again for another spec.
func fetchedOnce(r *reader) bool {
	policy := r.text("spec", "refreshPolicy")
	if policy == "CreatedOnce" || r.flag("spec", "target", "immutable") {
		return true
	}
	interval, err := time.ParseDuration(r.text("spec", "refreshInterval"))
	return policy != "OnChange" && err == nil && interval <= 0
}

// made is the object that an ExternalSecret makes without owning it; false for others, which own what they make.
func made(o *unstructured.Unstructured) (gvk schema.GroupVersionKind, name string, ok bool) {
	if o.GroupVersionKind().GroupKind() != externalSecretKind {
		return schema.GroupVersionKind{}, "", false
	}
	r := &reader{o: o.Object}
	if policy := r.text("spec", "target", "creationPolicy"); policy != "Merge" && policy != "Orphan" {
		return schema.GroupVersionKind{}, "", false
	}
	gvk = secrets
	if r.text("spec", "target", "manifest", "kind") == configMaps.Kind {
		gvk = configMaps
	}
	return gvk, orElse(r.text("spec", "target", "name"), o.GetName()), true
}

// changedAt tells when the values of a Secret changed that an ExternalSecret made; nothing of others.
func changedAt(r *reader) string {
	at, err := time.Parse(time.RFC3339, r.text("metadata", "annotations", esv1.AnnotationChanged))
	if err != nil {
		return ""
	}
	return "values changed " + at.UTC().Format(time.RFC3339)
}
