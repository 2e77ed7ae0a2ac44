package gitops

// OwnPrefix begins the annotations that are this engine's own.
const OwnPrefix = "causeway.io/"

// The engine's own words about order.
const (
	// AnnotationRolloutPaused of an ApplicationSet, with true, lets its
	// RollingSync begin nothing more. See docs/how-to/progressive-sync.md.
	AnnotationRolloutPaused = OwnPrefix + "rollout-paused"
	// AnnotationDependsOn of an Application, ApplicationSet or object says what
	// it waits for. See docs/how-to/depends-on.md.
	AnnotationDependsOn = OwnPrefix + "depends-on"
	// AnnotationHookRun is written on a hook's object, and names the run of the
	// sync that made it.
	AnnotationHookRun = OwnPrefix + "hook-run"
	// AnnotationDeclaredBy of a cluster Secret names the Cluster that writes it.
	// See docs/how-to/declare-clusters.md.
	AnnotationDeclaredBy = OwnPrefix + "declared-by"
	// AnnotationDraining of a cluster Secret, with true, hides the cluster from
	// ApplicationSets: their Applications leave it. Its Cluster writes it when
	// it is deleted. See docs/how-to/declare-clusters.md.
	AnnotationDraining = OwnPrefix + "draining"
	// AnnotationOwnWay is written on a repository Secret, with true, where its
	// proxy or its checks were chosen at the API: a template's credentials are
	// not sent by a way that only the Secret says. See
	// docs/how-to/private-repositories.md.
	AnnotationOwnWay = OwnPrefix + "own-way"
)

// Draining tells by the annotations of a cluster Secret that Applications are
// to leave the cluster.
func Draining(annotations map[string]string) bool { return annotations[AnnotationDraining] == "true" }

// StateFolder is the name of the folder that has the state of local fleets.
// It is no part of a repository that it lies in.
const StateFolder = ".causeway"
