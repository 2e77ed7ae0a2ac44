package opstate

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Info is the value of an information of an operation; empty where there is none.
func Info(list []v1alpha1.Info, name string) string {
	for _, i := range list {
		if i.Name == name {
			return i.Value
		}
	}
	return ""
}

// ShortRevision names the revisions of a sync for people.
func ShortRevision(s *v1alpha1.SyncOperationResult) string {
	if s == nil {
		return ""
	}
	revisions := s.Revisions
	if len(revisions) == 0 {
		revisions = []string{s.Revision}
	}
	short := make([]string, len(revisions))
	for i, rev := range revisions {
		short[i] = gitops.ShortRevision(rev)
	}
	if strings.Join(short, "") == "" {
		return "manifests that are in no source"
	}
	return strings.Join(short, ", ")
}
