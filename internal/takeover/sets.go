package takeover

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// SetChange is what the engine would do to an Application of an ApplicationSet.
type SetChange struct {
	Application string
	// Verb is create, update or prune.
	Verb gitops.Verb
	// Fields are the paths that an update changes.
	Fields []string
}

// String says it of the Application.
func (c SetChange) String() string {
	text := map[gitops.Verb]string{gitops.Create: "made", gitops.Update: "written", gitops.Prune: "deleted"}[c.Verb]
	if len(c.Fields) > 0 {
		text += " (" + gitops.Listed(c.Fields, mostFields) + ")"
	}
	return text
}

// mostFields is how many fields of one Application a sentence names.
const mostFields = 4

// SetComparison is one ApplicationSet of the control namespace, expanded: what
// its Applications are, against what the engine would make of them.
type SetComparison struct {
	Name    string
	Changes []SetChange
	// Problem tells why it cannot be expanded.
	Problem string
}

// blockers tell what a set would do at once.
func (c *SetComparison) blockers() []string {
	if c.Problem != "" {
		return []string{"ApplicationSet " + c.Name + " cannot be expanded: " + gitops.First(c.Problem, mostProblem)}
	}
	out := make([]string, 0, len(c.Changes))
	for _, ch := range c.Changes {
		out = append(out, fmt.Sprintf("application %s would be %s by ApplicationSet %s", ch.Application, ch, c.Name))
	}
	return out
}

// mostProblem bounds what is told of a set, in bytes.
const mostProblem = 1 << 10

// Settings of Argo CD's applicationset-controller that say what it may do, as
// argocd-cmd-params-cm, variables and arguments name them.
const (
	paramPolicy = "applicationsetcontroller.policy"
	paramDryRun = "applicationsetcontroller.dryrun"

	variablePolicy = "ARGOCD_APPLICATIONSET_CONTROLLER_POLICY"
	variableDryRun = "ARGOCD_APPLICATIONSET_CONTROLLER_DRY_RUN"

	argumentPolicy = "--policy"
	argumentDryRun = "--dry-run"
)

// Restraint is what keeps Argo CD's applicationset-controller from doing all
// that its sets say. The engine goes by the sets alone.
type Restraint struct {
	// Policy is that of all sets; empty where each has its own.
	Policy string
	DryRun bool
	// From names where it says so.
	From string
}

// RestraintOf reads what a container is started with. Its arguments count before its
// variables; what a ConfigMap gives to a variable is none of them.
func RestraintOf(arguments []string, variables map[string]string) Restraint {
	out := Restraint{Policy: variables[variablePolicy], DryRun: isTrue(variables[variableDryRun])}
	if out != (Restraint{}) {
		out.From = "a variable of its container"
	}
	for i, a := range arguments {
		name, value, given := strings.Cut(a, "=")
		switch {
		case name == argumentPolicy && given:
			out.Policy, out.From = value, "an argument of its container"
		case name == argumentPolicy && i+1 < len(arguments):
			out.Policy, out.From = arguments[i+1], "an argument of its container"
		case name == argumentDryRun:
			out.DryRun, out.From = !given || isTrue(value), "an argument of its container"
		}
	}
	return out
}

func isTrue(text string) bool {
	is, err := strconv.ParseBool(text)
	return err == nil && is
}

// restrains reports whether a policy keeps sets from something.
func restrains(policy string) bool {
	return policy != "" && policy != string(v1alpha1.ApplicationsSyncPolicySync)
}

// restraint is that of the installation: of the container, or else of the
// ConfigMap.
func (i *Installation) restraint() Restraint {
	out := Restraint{Policy: i.Params[paramPolicy], DryRun: isTrue(i.Params[paramDryRun]), From: "argocd-cmd-params-cm"}
	for _, w := range i.Workloads {
		if w.Component != ApplicationSetController || w.Restraint.From == "" {
			continue
		}
		if w.Restraint.Policy != "" {
			out.Policy, out.From = w.Restraint.Policy, w.Restraint.From
		}
		if w.Restraint.DryRun {
			out.DryRun, out.From = true, w.Restraint.From
		}
	}
	return out
}

// unrestrained tells what Argo CD's applicationset-controller is kept from that
// the engine would do, now or later.
func (i *Installation) unrestrained() []string {
	r := i.restraint()
	var out []string
	for j := range i.Sets {
		s := &i.Sets[j]
		if s.Namespace != i.Namespace {
			continue // the engine looks at none there
		}
		own := s.Spec.GetApplicationsSync()
		switch {
		case r.DryRun:
			out = append(out, fmt.Sprintf("ApplicationSet %s would begin to write Applications: Argo CD only tells what it would do (dry run, by %s)", s.Name, r.From))
		case restrains(r.Policy) && r.Policy != string(own):
			out = append(out, fmt.Sprintf("ApplicationSet %s would go by the policy %s, which is its own, and not by %s (by %s): set its spec.syncPolicy.applicationsSync", s.Name, own, r.Policy, r.From))
		}
	}
	return out
}

// restraints are the findings about a controller that is held back by what it is
// started with. What argocd-cmd-params-cm says is told with the rest of that.
func restraints(i *Installation) []Finding {
	var out []Finding
	for _, w := range i.Workloads {
		r := w.Restraint
		if restrains(r.Policy) {
			out = append(out, Finding{w.String() + ": policy", Unsupported, r.From + " sets " + r.Policy + "; there is no policy for all sets", "set spec.syncPolicy.applicationsSync of each ApplicationSet"})
		}
		if r.DryRun {
			out = append(out, Finding{w.String() + ": dry run", Unsupported, r.From + " has it write nothing; the engine writes what sets say", "see that each ApplicationSet may do what it says"})
		}
	}
	return out
}

// Rolls marks the applications that a RollingSync asks for the syncs of: they
// sync by themselves, whatever their own policy says.
func Rolls(all []Comparison, names []string) {
	for j := range all {
		all[j].Automated = all[j].Automated || slices.Contains(names, all[j].Name)
	}
}

// Rewrites marks the applications that ApplicationSets would write: what they
// were synced to is no longer all that they are to be.
func Rewrites(all []Comparison, sets []SetComparison) {
	written := map[string]bool{}
	for i := range sets {
		for _, c := range sets[i].Changes {
			written[c.Application] = written[c.Application] || c.Verb == gitops.Update
		}
	}
	for j := range all {
		all[j].Rewritten = written[all[j].Name]
	}
}
