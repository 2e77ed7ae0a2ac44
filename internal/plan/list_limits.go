package plan

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of a list of options, hooks or policies: each that there is, written
// once, takes a part of them.
const (
	mostWords = 100
	mostBytes = gitops.MaxSteering
)

// listed are the annotations of an object that hold lists.
var listed = []string{
	gitops.AnnotationSync, gitops.AnnotationCompare, gitops.AnnotationHook, gitops.AnnotationHookDelete, helmHook, helmHookDelete,
}

// listedInManifests are those and what is read of manifests alone.
var listedInManifests = slices.Concat(listed, []string{difference.AnnotationIgnore})

// checkLists refuses annotations with more words than anybody means.
func checkLists(m gitops.Manifest, k gitops.Key) error {
	annotations := m.Object.GetAnnotations()
	for _, name := range listedInManifests {
		list := annotations[name]
		words := strings.Count(list, ",") + strings.Count(list, "\n") + 1 // pointers may stand on lines
		if len(list) <= mostBytes && words <= mostWords {
			continue
		}
		return gitops.Problemf(gitops.Invalid, "cannot read the annotation %s of %s: its list has %d bytes and %d words, where %d and %d are the most",
			name, k, len(list), words, mostBytes, mostWords).At(m.Origin).Do("write each word that means something once")
	}
	return nil
}

// checkOptions refuses lists of an application's sync options that are as long.
func checkOptions(list v1alpha1.SyncOptions) error {
	size := 0
	for _, item := range list {
		size += len(item)
	}
	if size <= mostBytes && len(list) <= mostWords {
		return nil
	}
	return gitops.Problemf(gitops.Invalid, "cannot read the sync options of the Application: there are %d with %d bytes, where %d and %d are the most",
		len(list), size, mostWords, mostBytes).Do("write each option once")
}
