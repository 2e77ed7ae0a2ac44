package opstate

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
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
		short[i] = shortened(rev)
	}
	if strings.Join(short, "") == "" {
		return "manifests that are in no source"
	}
	return strings.Join(short, ", ")
}

// shortened cuts a commit or a digest as Git does. A version stays whole: 10.12.13 is not 10.12.1.
func shortened(revision string) string {
	revision = strings.TrimPrefix(revision, "sha256:")
	if len(revision) >= 40 && strings.Trim(revision, "0123456789abcdef") == "" {
		return revision[:7]
	}
	return revision
}
