package operation

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// somebody began an operation that says it began by itself, where the engine
// does not say so.
const somebody = "somebody"

// By is who asked for an operation of which what nobody vouches for was taken
// away, by Disown or Doubt; for any other one ask Seal.By. A name that anybody
// may have written is said to be unverified. It is empty where none is named.
func By(op *v1alpha1.Operation) string {
	doubted := slices.Contains(ignored(op), automated)
	switch {
	case has(op, gitops.InfoInitiatorKnown) || op.InitiatedBy.Automated && !doubted:
		return op.InitiatedBy.Username
	case alone(op):
		return gitops.Unverified(somebody)
	}
	return gitops.Unverified(op.InitiatedBy.Username)
}

// By is who asked for an operation as it was read, that began at a time; zero
// for one that is asked for. Without a seal all that it says of it is
// unverified.
func (s *Seal) By(uid types.UID, started v1alpha1.Time, op *v1alpha1.Operation) string {
	if s.Genuine(uid, started, op) {
		return By(op)
	}
	return gitops.Unverified(op.InitiatedBy.Username)
}

// Asker is who asked for the last operation that an Application's status
// tells of; empty where none is named.
func (s *Seal) Asker(app *v1alpha1.Application) string {
	st := app.Status.OperationState
	if st == nil {
		return ""
	}
	return s.By(app.UID, st.StartedAt, &st.Operation)
}

// Deployer is who asked for the sync that an Application's history has last;
// empty where none is named. A history has no seal: only the operation of that
// sync proves who it was, as long as none came after it.
func (s *Seal) Deployer(app *v1alpha1.Application) string {
	if len(app.Status.History) == 0 {
		return ""
	}
	last, st := &app.Status.History[len(app.Status.History)-1], app.Status.OperationState
	if st != nil && last.DeployStartedAt.Equal(&st.StartedAt) && last.InitiatedBy == st.Operation.InitiatedBy {
		return s.Asker(app)
	}
	return gitops.Unverified(last.InitiatedBy.Username)
}

// alone reports whether an operation says that it began by itself, and nothing
// else that gives it a right.
func alone(op *v1alpha1.Operation) bool {
	return op.InitiatedBy == v1alpha1.OperationInitiator{Automated: true} && !has(op, gitops.InfoRollback)
}

// ignored is what an operation claimed without a seal.
func ignored(op *v1alpha1.Operation) []string {
	i := slices.IndexFunc(op.Info, func(i v1alpha1.Info) bool { return i.Name == gitops.InfoIgnored })
	if i < 0 {
		return nil
	}
	return strings.Split(op.Info[i].Value, ", ")
}
