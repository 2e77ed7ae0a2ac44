package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Validate checks that a project makes sense. The error names the field.
func Validate(p *v1alpha1.AppProject) error {
	for _, check := range []func(*v1alpha1.AppProject) error{validDestinations, validSources, validRoles, validWindows, validAccounts} {
		if err := check(p); err != nil {
			return gitops.Problemf(gitops.Invalid, "project %q is not valid: %w", p.Name, err).Do("correct the AppProject")
		}
	}
	return nil
}

func validDestinations(p *v1alpha1.AppProject) error {
	seen := map[v1alpha1.ApplicationDestination]bool{}
	for i, d := range p.Spec.Destinations {
		if d.Name == "!*" || d.Server == "!*" || d.Namespace == "!*" {
			return fmt.Errorf("spec.destinations[%d] denies everything", i)
		}
		if seen[d] {
			return fmt.Errorf("spec.destinations[%d] is there twice", i)
		}
		seen[d] = true
	}
	return nil
}

func validSources(p *v1alpha1.AppProject) error {
	seen := map[string]bool{}
	for i, s := range p.Spec.SourceRepos {
		if s == "!*" {
			return fmt.Errorf("spec.sourceRepos[%d] denies everything", i)
		}
		if seen[s] {
			return fmt.Errorf("spec.sourceRepos[%d] is there twice", i)
		}
		seen[s] = true
	}
	return nil
}

func validWindows(p *v1alpha1.AppProject) error {
	type identity struct{ kind, schedule, duration, rest string }
	seen := map[identity]bool{}
	for i, w := range p.Spec.SyncWindows {
		if err := validWindow(w); err != nil {
			return fmt.Errorf("spec.syncWindows[%d]: %w", i, err)
		}
		id := identity{w.Kind, w.Schedule, w.Duration, fmt.Sprint(w.Applications, w.Namespaces, w.Clusters, w.ManualSync, w.TimeZone, w.UseAndOperator, w.SyncOverrun)}
		if seen[id] {
			return fmt.Errorf("spec.syncWindows[%d] is there twice", i)
		}
		seen[id] = true
	}
	return nil
}

func validAccounts(p *v1alpha1.AppProject) error {
	for i, a := range p.Spec.DestinationServiceAccounts {
		if denies(a.Server) || denies(a.Namespace) {
			return fmt.Errorf("spec.destinationServiceAccounts[%d] denies: only allowing patterns are possible", i)
		}
		if !isAccount(a.DefaultServiceAccount) {
			return fmt.Errorf("spec.destinationServiceAccounts[%d].defaultServiceAccount %q is no [namespace:]name", i, a.DefaultServiceAccount)
		}
	}
	return nil
}

// isAccount reports whether a text may name a service account: no pattern, no path.
func isAccount(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.ContainsAny(text, "!*[]{}\\/")
}

var roleName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$`)

func validRoles(p *v1alpha1.AppProject) error {
	seen := map[string]bool{}
	for _, r := range p.Spec.Roles {
		if !roleName.MatchString(r.Name) {
			return fmt.Errorf("role %q: a name has letters, digits, - and _", r.Name)
		}
		if seen[r.Name] {
			return fmt.Errorf("role %q is there twice", r.Name)
		}
		seen[r.Name] = true
		policies := map[string]bool{}
		for _, line := range r.Policies {
			if policies[line] {
				return fmt.Errorf("role %q has the policy %q twice", r.Name, line)
			}
			policies[line] = true
			if err := validPolicy(p.Name, r.Name, line); err != nil {
				return fmt.Errorf("role %q: policy %q: %w", r.Name, line, err)
			}
		}
		if err := validGroups(r.Groups); err != nil {
			return fmt.Errorf("role %q: %w", r.Name, err)
		}
	}
	return nil
}

func validGroups(groups []string) error {
	seen := map[string]bool{}
	for _, g := range groups {
		quoted := len(g) > 1 && strings.HasPrefix(g, `"`) && strings.HasSuffix(g, `"`)
		switch {
		case g == "":
			return errors.New("a group is empty")
		case g != strings.TrimSpace(g), strings.ContainsAny(g, "\n\r\t"):
			return fmt.Errorf("group %q has white space that does not belong", g)
		case strings.Contains(g, ",") && !quoted:
			return fmt.Errorf("group %q has a comma and has to be quoted", g)
		case seen[g]:
			return fmt.Errorf("group %q is there twice", g)
		}
		seen[g] = true
	}
	return nil
}

var (
	policyResources = []string{"applications", "applicationsets", "repositories", "exec", "logs", "clusters"}
	policyActions   = []string{"get", "create", "update", "delete", "sync", "override", "*"}
	policyAction    = regexp.MustCompile(`^(action/.*|update/.*|delete/.*)$`)
)

// validPolicy checks a line "p, proj:<project>:<role>, resource, action, object, effect".
func validPolicy(project, role, line string) error {
	parts := strings.Split(line, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) != 6 || parts[0] != "p" || strings.ContainsAny(line, "\n\r") {
		return errors.New("it has to be: p, subject, resource, action, object, effect")
	}
	switch {
	case parts[1] != "proj:"+project+":"+role:
		return fmt.Errorf("the subject has to be proj:%s:%s", project, role)
	case !slices.Contains(policyResources, parts[2]):
		return fmt.Errorf("the resource %q is none of a project's: %s", parts[2], strings.Join(policyResources, ", "))
	case !slices.Contains(policyActions, parts[3]) && !policyAction.MatchString(parts[3]):
		return fmt.Errorf("there is no action %q", parts[3])
	case !strings.HasPrefix(parts[4], project+"/") || strings.ContainsAny(parts[4], " "):
		return fmt.Errorf("the object has to be of the form %s/<application>", project)
	case parts[5] != "allow" && parts[5] != "deny":
		return errors.New("the effect has to be allow or deny")
	}
	return nil
}
