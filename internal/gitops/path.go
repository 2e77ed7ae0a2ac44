package gitops

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// CollectionPath is where an API server has the objects of a resource: in a
// namespace, or where that is empty in all of them. It is the only place where
// the path of a request for objects is made, and refuses what is no segment of
// one: a cluster says itself what it has.
func CollectionPath(r schema.GroupVersionResource, namespace string) (string, error) {
	for _, part := range []string{r.Group, r.Version, r.Resource, namespace} {
		if part != "" && len(content.IsPathSegmentName(part)) > 0 {
			return "", fmt.Errorf("%q is no segment of a path", part)
		}
	}
	if r.Version == "" || r.Resource == "" {
		return "", fmt.Errorf("%q has no version or no name", r.String())
	}
	top := "/api/" + r.Version
	if r.Group != "" {
		top = "/apis/" + r.Group + "/" + r.Version
	}
	if namespace != "" {
		top += "/namespaces/" + namespace
	}
	return top + "/" + r.Resource, nil
}
