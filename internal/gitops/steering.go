package gitops

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// MaxSteering bounds an annotation that steers the engine, in bytes. In manifests
// a longer one is refused. Of a live object its beginning is kept, with a mark that
// makes it longer than this, so that it is still seen to be there and too long.
const MaxSteering = 4 << 10

// steering are the annotations that the engine reads of live objects, the tracking
// id aside. Whoever may annotate an object may write any number of others.
var steering = map[string]bool{
	AnnotationWave: true, AnnotationHook: true, AnnotationHookDelete: true, AnnotationSync: true, AnnotationCompare: true, AnnotationIgnore: true,
	AnnotationHookRun:                                  true,
	v1alpha1.AnnotationSkipReconcile:                   true, // of Applications, which a wave waits for
	v1alpha1.AnnotationClientSideApplyMigrationManager: true,
	v1alpha1.AnnotationHelmHook:                        true,
	v1alpha1.AnnotationHelmHookWeight:                  true,
	v1alpha1.AnnotationHelmHookDeletePolicy:            true,
	v1alpha1.AnnotationHelmResourcePolicy:              true,
}

// Steers reports whether an annotation of a live object is kept in Live.
func Steers(annotation string) bool { return steering[annotation] }

// OwnAnnotation reports whether an annotation of an Application is a word to this engine
// alone, or a person's approval: Argo CD's others are as in Argo CD.
func OwnAnnotation(key string) bool {
	return strings.HasPrefix(key, OwnPrefix) || key == v1alpha1.AnnotationDeletionApproved
}
