package opstate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Pin marks on an operation what is not synced again by itself.
func Pin(op *v1alpha1.Operation, digest string, revisions []string) {
	op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoHeldDigest, Value: digest})
	if len(revisions) > 0 {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoHeldRevision, Value: Joined(revisions)})
	}
}

// Joined are revisions as one text.
func Joined(revisions []string) string {
	text, _ := json.Marshal(revisions) //nolint:errchkjson // texts always encode
	return string(text)
}

// WentBack is what the rollback went back to whose pin an operation has: its
// own, or that of an earlier one. Both are empty when it has none.
func WentBack(st *v1alpha1.OperationState) (id, revision string) {
	if st == nil {
		return "", ""
	}
	if at := Info(st.Operation.Info, gitops.InfoHeldAt); at != "" {
		return at, Info(st.Operation.Info, gitops.InfoHeldAtRevision)
	}
	if Info(st.Operation.Info, gitops.InfoRollback) == "" || SyncOf(st).DryRun {
		return "", ""
	}
	return Identity(st.SyncResult), ShortRevision(st.SyncResult)
}

// Identity names the sources and revisions of a sync.
func Identity(s *v1alpha1.SyncOperationResult) string {
	what := v1alpha1.SyncOperationResult{}
	if s != nil {
		what.Source, what.Sources, what.Revision, what.Revisions = s.Source, s.Sources, s.Revision, s.Revisions
	}
	text, _ := json.Marshal(what) //nolint:errchkjson // they were read from JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// carryPin lets the pin of a rollback outlive an operation that does not
// bring the application to what its sources say: a dry run, or a sync of some
// objects. Any other one ends it: somebody asked.
func carryPin(op *v1alpha1.Operation, former *v1alpha1.OperationState) {
	op.Info = Without(op.Info, gitops.InfoHeldAt, gitops.InfoHeldAtRevision) // also where somebody repeats an earlier operation
	if op.Sync == nil || !op.Sync.DryRun && len(op.Sync.Resources) == 0 {
		return
	}
	if !op.Sync.DryRun && Info(op.Info, gitops.InfoRollback) != "" && Info(op.Info, gitops.InfoHeldDigest) != "" {
		return // a rollback of some objects holds by itself
	}
	id, revision := WentBack(former)
	if id == "" {
		return
	}
	op.Info = append(Without(op.Info, gitops.InfoHeldDigest, gitops.InfoHeldRevision),
		v1alpha1.Info{Name: gitops.InfoHeldAt, Value: id}, v1alpha1.Info{Name: gitops.InfoHeldAtRevision, Value: revision})
	for _, i := range former.Operation.Info {
		if i.Name == gitops.InfoHeldDigest || i.Name == gitops.InfoHeldRevision {
			op.Info = append(op.Info, i)
		}
	}
}

// Without are informations but for those of some names.
func Without(list []v1alpha1.Info, names ...string) []v1alpha1.Info {
	return slices.DeleteFunc(slices.Clone(list), func(i v1alpha1.Info) bool { return slices.Contains(names, i.Name) })
}
