package clustersecret

import (
	"maps"
	"reflect"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The labels and annotations of a cluster as parameters of ApplicationSets.
const (
	ofLabels      = "metadata.labels."
	ofAnnotations = "metadata.annotations."
)

// isWhole reports whether more differs than labels and annotations, or one of those that
// decide whether ApplicationSets see the cluster, or its parameters, at all.
func isWhole(before, now gitops.Cluster) bool {
	if gitops.Draining(before.Annotations) != gitops.Draining(now.Annotations) ||
		v1alpha1.SkipsReconcile(before.Annotations) != v1alpha1.SkipsReconcile(now.Annotations) {
		return true
	}
	// Of none at all a template has no map, which is an error in some.
	if (len(before.Labels) == 0) != (len(now.Labels) == 0) || (len(before.Annotations) == 0) != (len(now.Annotations) == 0) {
		return true
	}
	before.Labels, before.Annotations, now.Labels, now.Annotations = nil, nil, nil, nil
	return !reflect.DeepEqual(before, now)
}

// keysOf are the labels and annotations that differ, sorted.
func keysOf(before, now gitops.Cluster) []string {
	keys := slices.Concat(
		differing(ofLabels, before.Labels, now.Labels),
		differing(ofAnnotations, before.Annotations, now.Annotations),
	)
	slices.Sort(keys)
	return keys
}

func differing(prefix string, before, now map[string]string) []string {
	var out []string
	for key := range maps.Keys(before) {
		if text, has := now[key]; !has || text != before[key] {
			out = append(out, prefix+key)
		}
	}
	for key := range maps.Keys(now) {
		if _, had := before[key]; !had {
			out = append(out, prefix+key)
		}
	}
	return out
}
