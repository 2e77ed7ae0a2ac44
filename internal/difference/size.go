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
)

// checkSize refuses more rules than anybody means.
func checkSize(own v1alpha1.IgnoreDifferences) error {
	entries, size := 0, 0
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
	}
	if entries > mostEntries || size > mostBytes {
		return gitops.Problemf(gitops.Invalid, "spec.ignoreDifferences has %d pointers, expressions and managers, and %d bytes of text, where %d and %d are the most",
			entries, size, mostEntries, mostBytes).
			Do("have one rule concern many objects, by patterns for group and kind, and name the field above those that are ignored; or make several Applications of it")
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
