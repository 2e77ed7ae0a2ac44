package applicationset

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/outline"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/report"
)

// Guard is the guard of the deletions of sets. Who previews a change asks the
// one that the engine goes by.
type Guard struct {
	Ledger   *guard.Ledger
	Settings func() guard.Settings
	// Project reads an AppProject, for its limit of deletions.
	Project func(ctx context.Context, name string) (*v1alpha1.AppProject, error)
	// Applications lists those of the fleet, to count them.
	Applications client.Reader
	// Covers reports whether an engine looks at the Applications of a namespace; by
	// default at all that are listed.
	Covers func(namespace string) bool
	Log    *slog.Logger
	// Now is the clock; the machine's when nil.
	Now func() time.Time
}

func (g *Guard) now() time.Time {
	if g.Now == nil {
		return time.Now()
	}
	return g.Now()
}

// Approved lets through updates of what the guard of deletions reads.
func Approved() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(u event.UpdateEvent) bool {
		return slices.ContainsFunc([]string{gitops.AnnotationDeletionApproval, gitops.AnnotationDeletionGuard}, func(key string) bool {
			return u.ObjectOld.GetAnnotations()[key] != u.ObjectNew.GetAnnotations()[key]
		})
	}}
}

// The reasons of the condition DeletionHeld.
const (
	reasonHeld     = "MassDeletion"
	reasonApproved = "Approved"
	reasonNothing  = "NothingHeld"
)

// nothingLeft is from how many Applications on a set that yields none of them
// any more is held, whatever the share and the least are.
const nothingLeft = 2

// judged is the guard's word about the deletions of a set.
type judged struct {
	// list are those that are held, or that were approved and are on their way: the set's
	// status marks them. Going are the latter, which it names until nobody sees them any
	// more: what is read of them may be older than their deletion.
	list  guard.List
	going []v1alpha1.Application
}

// guarded takes the deletions out of the changes of a set when they are a
// mass deletion that nobody has approved. What is created and changed goes on.
func (r *Reconciler) guarded(ctx context.Context, out *report.Outcome, set *v1alpha1.ApplicationSet, owned []v1alpha1.Application, e *generate.Expansion, c *generate.Changes) (judged, error) {
	if r.Guard == nil {
		return judged{}, nil
	}
	going := staying(c.Delete)
	list, subject := listOf(going), client.ObjectKeyFromObject(set).String()
	why := r.Guard.tooMany(ctx, r.Guard.Ledger.Admit, &turnover{set: set, list: list, of: len(staying(owned)), left: len(e.Applications)})
	if why == "" {
		r.Guard.Ledger.Hold(v1alpha1.ApplicationSetKind, subject, 0)
		if isApproved(set) && len(going) > 0 {
			return judged{list, going}, nil // the last of the list go within the limits: that it was approved is known until then
		}
		return judged{}, r.letGo(ctx, set)
	}
	approved, because := approves(set, list, r.Now())
	if goesOn(set, list, r.Now()) {
		r.Guard.Ledger.Note(guard.OfSet(set), list.Names(), r.Now())
		out.Again(time.Second) // to take the approval away once it is used up
		return judged{list, going}, nil
	}
	c.Delete = nil
	if approved {
		// Written down before the first is deleted: an engine that starts in
		// the midst of them knows that the rest of the list was approved.
		by := guard.ApprovedBy(set.Annotations[gitops.AnnotationDeletionApproval])
		report.SetSetCondition(set, v1alpha1.ApplicationSetConditionDeletionHeld, v1alpha1.ApplicationSetConditionStatusFalse, reasonApproved, approvalText(list.Digest())+by, r.Now())
		out.Event(corev1.EventTypeNormal, "DeletionApproved", "Deletion of "+gitops.Count(len(list), "application")+" was approved"+by)
		r.Guard.Ledger.Release(v1alpha1.ApplicationSetKind, subject, by)
		out.Again(time.Millisecond)
		return judged{list: list}, nil
	}
	r.Guard.Ledger.Hold(v1alpha1.ApplicationSetKind, subject, len(list))
	problem := deniedProblem(set, list, why, because)
	if !slices.ContainsFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionDeletionHeld && c.Message == problem.Error()
	}) {
		out.Event(corev1.EventTypeWarning, "DeletionHeld", problem.Error())
	}
	report.SetSetCondition(set, v1alpha1.ApplicationSetConditionDeletionHeld, v1alpha1.ApplicationSetConditionStatusTrue, reasonHeld, problem.Error(), r.Now())
	return judged{list: list}, problem
}

// approvalText is how the condition of an approved list begins; by whom stands
// after it, and decides nothing.
func approvalText(digest string) string { return "the list " + digest + " was approved" }

// goesOn reports whether a list was approved and written down before: exactly this
// one, or what is left of it.
func goesOn(set *v1alpha1.ApplicationSet, list guard.List, now time.Time) bool {
	approval, err := guard.ParseApproval(set.Annotations[gitops.AnnotationDeletionApproval])
	if err != nil || !now.Before(approval.Until) {
		return false
	}
	if !isNoted(set, approval.Digest) {
		return false
	}
	if list.Digest() == approval.Digest {
		return true // all of it, of which the status may name but a part
	}
	marked := map[string]bool{}
	for i := range set.Status.Resources {
		if s := &set.Status.Resources[i]; s.RequiresPruning {
			marked[s.Name] = true
		}
	}
	return !slices.ContainsFunc(list, func(d guard.Deletion) bool { return !marked[d.Name] })
}

// isNoted reports whether the approval of a list was written down.
func isNoted(set *v1alpha1.ApplicationSet, digest string) bool {
	return slices.ContainsFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionDeletionHeld && c.Reason == reasonApproved && strings.HasPrefix(c.Message, approvalText(digest))
	})
}

// isApproved reports whether a set has an approval which was written down.
func isApproved(set *v1alpha1.ApplicationSet) bool {
	_, given := set.Annotations[gitops.AnnotationDeletionApproval]
	return given && slices.ContainsFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionDeletionHeld && c.Reason == reasonApproved
	})
}

// letGo clears what was said of held deletions when there are none. An approval
// that was used is taken away first: as long as it is there, the condition is what
// tells that it was used.
func (r *Reconciler) letGo(ctx context.Context, set *v1alpha1.ApplicationSet) error {
	said := slices.ContainsFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionDeletionHeld && c.Reason != reasonNothing
	})
	if !said {
		return nil
	}
	if approval := set.Annotations[gitops.AnnotationDeletionApproval]; isUsed(set, approval) {
		gone, err := r.withdraw(ctx, set, gitops.AnnotationDeletionApproval, approval)
		if err != nil || !gone {
			return err
		}
	}
	report.SetSetCondition(set, v1alpha1.ApplicationSetConditionDeletionHeld, v1alpha1.ApplicationSetConditionStatusFalse, reasonNothing, "no deletion is held", r.Now())
	return nil
}

// isUsed reports whether an approval is the one whose list was written down: one
// that came later, for another list, has let nothing go yet.
func isUsed(set *v1alpha1.ApplicationSet, approval string) bool {
	a, err := guard.ParseApproval(approval)
	return err == nil && isNoted(set, a.Digest)
}

// staying are those that are not being deleted yet.
func staying(apps []v1alpha1.Application) []v1alpha1.Application {
	return slices.DeleteFunc(slices.Clone(apps), func(a v1alpha1.Application) bool { return !a.DeletionTimestamp.IsZero() })
}

func listOf(apps []v1alpha1.Application) guard.List {
	list := make(guard.List, 0, len(apps))
	for i := range apps {
		d := guard.Deletion{Name: apps[i].Name, Weight: 1}
		cascades := slices.ContainsFunc(apps[i].Finalizers, func(f string) bool { return strings.HasPrefix(f, v1alpha1.FinalizerResources) })
		if cascades {
			d.With = outline.Objects(&apps[i])
		}
		list = append(list, d)
	}
	return list
}

// turnover is what goes of a set.
type turnover struct {
	set  *v1alpha1.ApplicationSet
	list guard.List
	// of is how many Applications it has, left how many it yields.
	of, left int
	// beside tells that others go at the same time.
	beside bool
}

// admit is the word of a ledger.
type admit func(s guard.Settings, by string, names []string, exist int, now time.Time) (ok bool, gone, of int)

// Would tells why deletions of a set would be held; empty when they would go,
// and whether the fleet's limit counts them then. Of those that it has it
// yields left afterwards; beside are names of what other sets delete at the
// same time, by their accounts. Nothing is noted.
func (g *Guard) Would(ctx context.Context, set *v1alpha1.ApplicationSet, going, owned []v1alpha1.Application, left int, beside map[string][]string) (why string, counts bool) {
	t := &turnover{set: set, list: listOf(staying(going)), of: len(staying(owned)), left: left, beside: len(beside) > 0}
	if approved, _ := approves(set, t.list, g.now()); approved || goesOn(set, t.list, g.now()) {
		return "", true
	}
	if g.rule(ctx, set, g.Settings().Set).Off {
		return "", false
	}
	why = g.tooMany(ctx, func(s guard.Settings, by string, names []string, exist int, now time.Time) (ok bool, gone, of int) {
		return g.Ledger.Would(s, by, names, beside, exist, now)
	}, t)
	return why, why == ""
}

// approves reports whether a set's annotation lets a list go.
func approves(set *v1alpha1.ApplicationSet, list guard.List, now time.Time) (ok bool, why string) {
	return guard.Approves(set.Annotations[gitops.AnnotationDeletionApproval], list.Digest(), now)
}

// tooMany tells why deletions are a mass deletion; empty when they are none.
func (g *Guard) tooMany(ctx context.Context, admit admit, t *turnover) string {
	if len(t.list) == 0 {
		return ""
	}
	settings := g.Settings()
	rule := g.rule(ctx, t.set, settings.Set)
	switch {
	case rule.Off:
		return ""
	case rule.Holds(len(t.list), t.of):
		return fmt.Sprintf("%d of %d, where the limit is %s", len(t.list), t.of, rule)
	case t.left == 0 && len(t.list) >= nothingLeft && (rule.Most == 0 || len(t.list) > rule.Most):
		return "the generators work, but suddenly yield nothing"
	}
	var all v1alpha1.ApplicationList
	if err := g.Applications.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return "the applications of the fleet cannot be counted: " + err.Error()
	}
	fleet := slices.DeleteFunc(staying(all.Items), func(a v1alpha1.Application) bool { return g.Covers != nil && !g.Covers(a.Namespace) })
	ok, gone, of := admit(settings, guard.OfSet(t.set), t.list.Names(), len(fleet), g.now())
	if ok {
		return ""
	}
	g.Log.InfoContext(ctx, "deletions are past the limit of the fleet", "applicationset", t.set.Name, "deleted", gone, "of", of)
	text := settings.PastFleet()
	if t.beside {
		text += "; other sets delete some of them, and those that come first go"
	}
	return text
}

// rule is the limit of a set: its own, its project's, or the installation's.
// Environments of pull requests come and go; they have a limit only when the
// set or its project names one.
func (g *Guard) rule(ctx context.Context, set *v1alpha1.ApplicationSet, base guard.Rule) guard.Rule {
	own, ofProject := set.Annotations[gitops.AnnotationDeletionGuard], ""
	if project, err := g.Project(ctx, set.Spec.Template.Spec.Project); err == nil {
		ofProject = project.Annotations[gitops.AnnotationDeletionGuard]
	}
	if own == "" && ofProject == "" && reviews(set) {
		return guard.Rule{Off: true}
	}
	rule, err := guard.Nearest(base, ofProject, own)
	if err != nil {
		g.Log.WarnContext(ctx, "limit of deletions not understood; the next more general one holds", "applicationset", set.Name, "error", err)
	}
	return rule
}

// reviews reports whether a set is about pull requests.
func reviews(set *v1alpha1.ApplicationSet) bool {
	return slices.ContainsFunc(set.Spec.Generators, func(g v1alpha1.ApplicationSetGenerator) bool {
		inner := slices.Concat(nested(g.Matrix), merged(g.Merge))
		return g.PullRequest != nil || slices.ContainsFunc(inner, func(n v1alpha1.ApplicationSetNestedGenerator) bool { return n.PullRequest != nil })
	})
}

func nested(m *v1alpha1.MatrixGenerator) []v1alpha1.ApplicationSetNestedGenerator {
	if m == nil {
		return nil
	}
	return m.Generators
}

func merged(m *v1alpha1.MergeGenerator) []v1alpha1.ApplicationSetNestedGenerator {
	if m == nil {
		return nil
	}
	return m.Generators
}

func deniedProblem(set *v1alpha1.ApplicationSet, list guard.List, why, because string) *gitops.Problem {
	text := fmt.Sprintf("denied: %s would be deleted (%s): %s; they are kept", gitops.Count(len(list), "application"), why, list)
	if because != "" {
		text += "; " + because
	}
	return gitops.Problemf(gitops.Forbidden, "%s", text).
		Do(fmt.Sprintf("if that is meant, approve exactly this list: causeway approve set/%s (or the annotation %s: %s;until=TIME)",
			set.Name, gitops.AnnotationDeletionApproval, list.Digest()))
}

// forgetHeld drops what is counted of a set that is gone.
func (r *Reconciler) forgetHeld(name types.NamespacedName) {
	if r.Guard != nil {
		r.Guard.Ledger.Hold(v1alpha1.ApplicationSetKind, name.String(), 0)
	}
}

// tell lists in the set's status the Applications that exist, and which of them the
// guard's word is about.
func (r *Reconciler) tell(set *v1alpha1.ApplicationSet, exist []v1alpha1.Application, word judged) {
	r.status(set, slices.Concat(exist, word.going))
	going := make(map[string]bool, len(word.list))
	for _, d := range word.list {
		going[d.Name] = true
	}
	for i := range set.Status.Resources {
		s := &set.Status.Resources[i]
		s.RequiresPruning = going[s.Name]
	}
}
