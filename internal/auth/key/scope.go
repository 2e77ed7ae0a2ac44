package key

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/glob"
)

// Bounds of a scope.
const (
	MaxRules   = 50
	MaxPattern = 256
)

// Scope is what a key is for: never more than its owner may.
type Scope struct {
	// ReadOnly lets everything be read that the owner may read.
	ReadOnly bool `json:"readOnly,omitempty"`
	// Rules are what else it is for.
	Rules []Rule `json:"rules,omitempty"`
}

// Rule is something that a key may be used for. Who may do something to what is
// in a project may see it, too.
type Rule struct {
	// Resource and Action are words of policies, or * for all.
	Resource string `json:"resource" maxLength:"64" doc:"applications, applicationsets, projects, repositories, clusters, logs, exec, accounts, audit; * for all."`
	Action   string `json:"action" maxLength:"256" doc:"get, create, update, delete, sync, override, action/…; * for all. Get of the same is in it."`
	// Project is a glob; * is also what is in no project.
	Project string `json:"project" maxLength:"256" doc:"Project, as a glob such as shop-*; * also for what is in no project."`
}

var (
	resourceForm = regexp.MustCompile(`^(\*|[a-z][a-z-]*)$`)
	errScope     = errors.New("a key is for something: say readOnly, or what it may do in rules")
)

// Check tells what is wrong with a scope.
func (s *Scope) Check() error {
	if !s.ReadOnly && len(s.Rules) == 0 {
		return errScope
	}
	if len(s.Rules) > MaxRules {
		return fmt.Errorf("the scope has %d rules, and may have %d: use * and globs", len(s.Rules), MaxRules)
	}
	for i, r := range s.Rules {
		if !resourceForm.MatchString(r.Resource) {
			return fmt.Errorf("rules[%d].resource: %.70q is no resource of policies, such as applications, nor * for all", i, r.Resource)
		}
		for _, of := range [...]struct{ field, text string }{{"action", r.Action}, {"project", r.Project}} {
			if of.text == "" || len(of.text) > MaxPattern {
				return fmt.Errorf("rules[%d].%s: %.70q is no pattern of 1 to %d characters; * is for all", i, of.field, of.text, MaxPattern)
			}
			if _, err := glob.Compile(of.text); err != nil {
				return fmt.Errorf("rules[%d].%s: %w", i, of.field, err)
			}
		}
	}
	return nil
}

const read = "get"

// limit is a scope whose patterns are read.
type limit struct {
	readOnly bool
	rules    []compiled
}

type compiled struct {
	resource        string
	action, project func(string) bool
}

// Limit reads the patterns. A rule with one that cannot be read allows nothing.
func (s *Scope) Limit() auth.Limit {
	out := &limit{readOnly: s.ReadOnly}
	for _, r := range s.Rules {
		action, err := glob.Compile(r.Action)
		if err != nil {
			continue
		}
		if project, err := glob.Compile(r.Project); err == nil {
			out.rules = append(out.rules, compiled{r.Resource, action.Match, project.Match})
		}
	}
	return out
}

// Allows implements auth.Limit.
func (l *limit) Allows(resource, action, project string) bool {
	reads := action == read || action == "list"
	if l.readOnly && reads {
		return true
	}
	for _, r := range l.rules {
		if (r.resource == "*" || r.resource == resource) && (reads || r.action(action)) && r.project(project) {
			return true
		}
	}
	return false
}
