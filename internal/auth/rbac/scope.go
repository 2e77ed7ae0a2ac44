package rbac

import "slices"

// nesting is how many roles may stand between somebody and a right, that of the right included: casbin's own limit.
const nesting = 10

// effect is what a line does to whom it is about. An effect of any other name does nothing.
type effect int

const (
	allow effect = iota + 1
	deny
)

// line is a line of policy that begins with p.
type line struct {
	// patterns are of the resource, the action and the object.
	patterns [3]pattern
	effect   effect
}

// covers reports whether the line is about a request. An expression that cannot be read fails only requests that come to it.
func (l *line) covers(r Request) (bool, error) {
	for i, text := range [...]string{r.Resource, r.Action, r.Object} {
		if b, is := l.patterns[i].(broken); is {
			return false, b.error
		}
		if !l.patterns[i].Match(text) {
			return false, nil
		}
	}
	return true, nil
}

// scope is the policy for requests about one project, or about none.
type scope struct {
	// base is the policy that holds everywhere; nil for that policy itself.
	base *scope
	// rights are the lines by whom they are about.
	rights map[string][]*line
	// given are the roles of each user, group and role.
	given map[string][]string
	// of is the project as it was read, zero for the policy that holds everywhere.
	of projectKey
	// own is how many lines of rights are the project's.
	own int
	// dropped says why the roles of the project are not in it.
	dropped error
}

// kept reports whether what is worked out of it can be found again: a project that does not say its version may be another
// one the next time.
func (s *scope) kept() bool { return s.base == nil || s.of.version != "" }

// question is whether one user, group or role may do something: all lines about it and about the roles it has.
type question []*line

// ask answers a request. A deny wins over every allow, and so does a pattern that cannot be evaluated.
func (q question) ask(r Request) (bool, error) {
	allowed := false
	for _, l := range q {
		covered, err := l.covers(r)
		switch {
		case err != nil:
			return false, err
		case covered && l.effect == deny:
			return false, nil
		case covered && l.effect == allow:
			allowed = true
		}
	}
	return allowed, nil
}

// might reports whether a line allows the action to any object.
func (q question) might(r Request) bool {
	return slices.ContainsFunc(q, func(l *line) bool {
		return l.effect == allow && l.patterns[0].Match(r.Resource) && l.patterns[1].Match(r.Action)
	})
}

// about makes the question of a user, a group or a role.
func (s *scope) about(name string) question {
	var q question
	for _, role := range s.roles(name) {
		if s.base != nil {
			q = append(q, s.base.rights[role]...)
		}
		q = append(q, s.rights[role]...)
	}
	return q
}

// roles are a name and all roles that it has through others.
func (s *scope) roles(name string) []string {
	known, all, last := map[string]bool{name: true}, []string{name}, []string{name}
	for level := 0; level < nesting && len(last) > 0; level++ {
		var next []string
		for _, n := range last {
			for _, role := range s.givenTo(n) {
				if !known[role] {
					known[role] = true
					next = append(next, role)
				}
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// givenTo are the roles that a line gives to a name itself.
func (s *scope) givenTo(name string) []string {
	if s.base == nil {
		return s.given[name]
	}
	own, everywhere := s.given[name], s.base.given[name]
	return append(own[:len(own):len(own)], everywhere...)
}
