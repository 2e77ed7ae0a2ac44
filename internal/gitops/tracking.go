package gitops

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// The annotations that tie live objects to applications and steer a sync.
const (
	AnnotationPrefix     = "argocd.argoproj.io/"
	AnnotationTracking   = AnnotationPrefix + "tracking-id"
	AnnotationWave       = AnnotationPrefix + "sync-wave"
	AnnotationHook       = AnnotationPrefix + "hook"
	AnnotationHookDelete = AnnotationPrefix + "hook-delete-policy"
	AnnotationSync       = AnnotationPrefix + "sync-options"
	AnnotationCompare    = AnnotationPrefix + "compare-options"
	AnnotationIgnore     = AnnotationPrefix + "ignore-healthcheck"
)

// The engine's own annotations about deletions.
const (
	// AnnotationDeletionGuard, on an Application, ApplicationSet or AppProject,
	// is the limit from which on deletions are held, such as 30%, or off. See
	// docs/how-to/mass-deletion-guard.md.
	AnnotationDeletionGuard = OwnPrefix + "deletion-guard"
	// AnnotationDeletionApproval, on an Application, ApplicationSet or Cluster,
	// approves a held list of deletions: DIGEST;until=TIME. causeway approve
	// writes it. See docs/how-to/mass-deletion-guard.md.
	AnnotationDeletionApproval = OwnPrefix + "deletion-approval"
)

// FinalizerHook keeps a hook from going before its sync has seen how it ended.
const FinalizerHook = AnnotationPrefix + "hook-finalizer"

// Bounds of a tracking id that counts, in bytes. No id of an object that there may be
// is longer, and whoever may annotate an object may write any text.
const (
	mostOfDomain  = content.DNS1123SubdomainMaxLength
	mostOfTracker = mostOfNamespace + len("_") + mostOfDomain // namespace_name of an Application
	mostOfKind    = mostOfDomain + len("/") + content.DNS1123LabelMaxLength
	MaxTrackingID = mostOfTracker + len(":") + mostOfKind + len(":") + mostOfNamespace + len("/") + mostOfName
)

// TrackingID is the value of the tracking annotation: app:group/kind:namespace/name.
func TrackingID(app string, k Key) string { return app + ":" + k.String() }

// ParseTrackingID splits a tracking id; ok is false when it has another form.
// The name is empty in the id of a hook whose name is generated.
func ParseTrackingID(id string) (app string, k Key, ok bool) {
	app, rest, ok := strings.Cut(id, ":")
	if !ok {
		return "", Key{}, false
	}
	gk, nn, ok := strings.Cut(rest, ":")
	if !ok {
		return "", Key{}, false
	}
	group, kind, ok1 := strings.Cut(gk, "/")
	namespace, name, ok2 := strings.Cut(nn, "/")
	if !ok1 || !ok2 || kind == "" {
		return "", Key{}, false
	}
	return app, Key{Group: group, Kind: kind, Namespace: namespace, Name: name}, true
}

// TrackedBy returns the application in the tracking id of an object, if the id
// is the object's own: controllers copy annotations from a Deployment to its
// ReplicaSets. An object without namespace may be tracked under its
// application's, and a hook with a generated name under none.
func TrackedBy(id string, k Key) (app string, ok bool) {
	if len(id) > MaxTrackingID {
		return "", false
	}
	app, own, ok := ParseTrackingID(id)
	if !ok || len(app) > mostOfTracker || own.Group != k.Group || own.Kind != k.Kind || own.Name != k.Name && own.Name != "" {
		return "", false
	}
	if k.Namespace != "" && own.Namespace != k.Namespace {
		return "", false
	}
	return app, true
}

// TrackingName is an application's name in tracking ids: the plain name in
// the control namespace, namespace_name elsewhere.
func TrackingName(namespace, name, controlNamespace string) string {
	if namespace == "" || namespace == controlNamespace {
		return name
	}
	return namespace + "_" + name
}

// SplitTrackingName is the inverse of TrackingName. Names of namespaces and
// Applications have no underscore.
func SplitTrackingName(tracking, controlNamespace string) (namespace, name string) {
	if namespace, name, ok := strings.Cut(tracking, "_"); ok {
		return namespace, name
	}
	return controlNamespace, tracking
}
