package api

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// That another expansion is asked for is told until the engine takes the annotation away.
func TestSetRefreshing(t *testing.T) {
	set := &v1alpha1.ApplicationSet{}
	if setOf(set, nil, &reach.Unseen{}).Refreshing {
		t.Error("nobody has asked for a refresh")
	}
	set.Annotations = map[string]string{v1alpha1.AnnotationApplicationSetRefresh: "true"}
	if !setOf(set, nil, &reach.Unseen{}).Refreshing {
		t.Error("a refresh was asked for")
	}
}
