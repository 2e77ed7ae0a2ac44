package gitops

// OwnPrefix begins the annotations that are this engine's own.
const OwnPrefix = "causeway.io/"

// The engine's own words about order.
const (
	// AnnotationRolloutPaused, set to true on an ApplicationSet, pauses its
	// RollingSync: no further step begins. See docs/how-to/progressive-sync.md.
	AnnotationRolloutPaused = OwnPrefix + "rollout-paused"
	// AnnotationDependsOn, on an Application, ApplicationSet or object, is what
	// it waits for. See docs/how-to/depends-on.md.
	AnnotationDependsOn = OwnPrefix + "depends-on"
	// AnnotationHookRun is written on the object of a hook, with the id of the
	// sync that created it.
	AnnotationHookRun = OwnPrefix + "hook-run"
	// AnnotationDeclaredBy, on a cluster Secret, is the name of the Cluster
	// that writes it. See docs/how-to/declare-clusters.md.
	AnnotationDeclaredBy = OwnPrefix + "declared-by"
	// AnnotationDraining, set to true on a cluster Secret, hides the cluster
	// from ApplicationSets, so that their Applications leave it. The Cluster
	// writes it when it is deleted. See docs/how-to/declare-clusters.md.
	AnnotationDraining = OwnPrefix + "draining"
	// AnnotationOwnWay, set to true, is written on a repository Secret whose
	// proxy or certificate checks were set at the API: credentials of a
	// template are not sent by a connection that only this Secret describes.
	// See docs/how-to/private-repositories.md.
	AnnotationOwnWay = OwnPrefix + "own-way"
)

// Draining tells by the annotations of a cluster Secret that Applications are
// to leave the cluster.
func Draining(annotations map[string]string) bool { return annotations[AnnotationDraining] == "true" }

// StateFolder is the name of the folder that has the state of local fleets.
// It is no part of a repository that it lies in.
const StateFolder = ".causeway"
