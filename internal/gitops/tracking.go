package gitops

import "strings"

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

// TrackingID is the value of the tracking annotation: app:group/kind:namespace/name.
func TrackingID(app string, k Key) string { return app + ":" + k.String() }

// ParseTrackingID splits a tracking id; ok is false when it has another form.
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
	if !ok1 || !ok2 || kind == "" || name == "" {
		return "", Key{}, false
	}
	return app, Key{Group: group, Kind: kind, Namespace: namespace, Name: name}, true
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
