package difference

import (
	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of an Application's ignoreDifferences. They are held against each of its
// objects; the longest of public fleets have 6 entries with 160 bytes.
const (
	mostEntries = 1000
	mostBytes   = 32 << 10
	// mostJQ is how much of the text may be jq, which takes 250 times as much when it
	// is compiled; of each perJQ more counts. All that are permitted stay compiled.
	mostJQ = 24 << 10
	perJQ  = 100
)

// checkSize refuses more rules than anybody means.
func checkSize(own v1alpha1.IgnoreDifferences) error {
	entries, size, expressions := 0, 0, 0
	for i := range own {
		o := &own[i]
		lists := [][]string{o.JSONPointers, o.JQPathExpressions, o.ManagedFieldsManagers}
		size += len(o.Group) + len(o.Kind) + len(o.Name) + len(o.Namespace)
		some := 0
		for _, list := range lists {
			some += len(list)
			size += textOf(list)
		}
		entries += max(1, some)
		expressions += textOf(o.JQPathExpressions) + perJQ*len(o.JQPathExpressions)
	}
	if entries > mostEntries || size > mostBytes {
		return gitops.Problemf(gitops.Invalid, "spec.ignoreDifferences has %d pointers, expressions and managers, and %d bytes of text, where %d and %d are the most",
			entries, size, mostEntries, mostBytes).
			Do("have one rule concern many objects, by patterns for group and kind, and name the field above those that are ignored; or make several Applications of it")
	}
	if expressions > mostJQ {
		return gitops.Problemf(gitops.Invalid, "spec.ignoreDifferences has jq path expressions of %d bytes together, %d counted for each beside its text, where %d are the most", expressions, perJQ, mostJQ).
			Do("write JSON pointers where no element of a list has to be found by what is in it; or make several Applications of it")
	}
	return nil
}

func textOf(list []string) int {
	size := 0
	for _, text := range list {
		size += len(text)
	}
	return size
}
