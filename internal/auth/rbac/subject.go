package rbac

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// Claims are what a token says, as the JSON of a JWT decodes. Empty ones are those of an anonymous request.
type Claims map[string]any

// Request is what somebody asks to do. Objects are `<project>/<name>` or `<project>/<namespace>/<name>` for
// applications, applicationsets, logs and exec; `<project>/<address>` or `<address>` for clusters and repositories;
// names for everything else. Actions on live resources are `action/<group>/<kind>/<name>`,
// `update/<group>/<kind>/<namespace>/<name>` and `delete/…`.
type Request struct {
	Resource string
	Action   string
	Object   string
}

// maxRequest is how many bytes each field of a request has at most.
const maxRequest = 4096

// Subject is somebody whose requests a policy answers.
type Subject struct {
	policy *Policy
	name   string
	groups []string
	// defaultRole is the one of the policy; empty for who does not have it.
	defaultRole string
	// role tells a role of a project from everybody else.
	role bool
	id   [sha256.Size]byte
}

// subjectKey is somebody who asks about a project as it was read, or about none.
type subjectKey struct {
	id [sha256.Size]byte
	of projectKey
	// project is what it is about, for roles of projects alone: to all others, projects without roles are the same.
	project string
}

// Subject reads claims: the user is the user_id of federated_claims, as Dex has them, or else sub; the groups are those
// of the scopes of the policy. Make it once for many requests of one user.
func (p *Policy) Subject(claims Claims) *Subject { return p.subject(claims, p.defaultRole) }

// Named is the Subject of somebody who is not one of everybody: policy.default gives them nothing, and lines about
// them, their groups and the empty name all that these say.
func (p *Policy) Named(claims Claims) *Subject { return p.subject(claims, "") }

func (p *Policy) subject(claims Claims, defaultRole string) *Subject {
	s := &Subject{policy: p, name: user(claims), defaultRole: defaultRole}
	_, s.role = roleOf(s.name)
	for _, scope := range p.scopes {
		s.groups = append(s.groups, values(claims[scope])...)
	}
	hash := sha256.New()
	for _, name := range append([]string{s.defaultRole, s.name}, s.groups...) {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(name))))
		hash.Write([]byte(name))
	}
	hash.Sum(s.id[:0])
	return s
}

// Name is the user, empty for an anonymous one.
func (s *Subject) Name() string { return s.name }

// DefaultRole is the role that the user has by policy.default; empty for none.
func (s *Subject) DefaultRole() string { return s.defaultRole }

// Groups are the groups of the user.
func (s *Subject) Groups() []string { return slices.Clone(s.groups) }

// Allowed answers one request of one user. For more than one, make a Subject.
func (p *Policy) Allowed(claims Claims, projects Projects, r Request) (bool, error) {
	return p.Subject(claims).Allowed(projects, r)
}

// Allowed answers a request. Projects may be nil if there are none.
//
// An error comes with false alone: it says what could not be evaluated on the way, a line of the policy or the roles of
// the project. The answer is no all the same, so the error is one for whoever writes the policy, not for who asked.
func (s *Subject) Allowed(projects Projects, r Request) (bool, error) {
	if len(r.Resource) > maxRequest || len(r.Action) > maxRequest || len(r.Object) > maxRequest {
		return false, fmt.Errorf("resource, action and object have at most %d bytes each; nobody may do anything to what is longer", maxRequest)
	}
	questions, problem := s.questions(projects, r)
	for _, q := range questions {
		allowed, err := q.ask(r)
		if allowed {
			return true, nil
		}
		if problem == nil {
			problem = err
		}
	}
	return false, problem
}

// Might reports whether any line allows an action of a resource, whatever its object: for pages that offer to make
// something that has no name yet. The object of the request is empty, or `<project>/` for what is in one. A line that
// denies some objects may leave others, so it is not looked at.
func (s *Subject) Might(projects Projects, r Request) bool {
	questions, _ := s.questions(projects, r)
	return slices.ContainsFunc(questions, func(q question) bool { return q.might(r) })
}

// questions are those of which one has to be answered with yes.
func (s *Subject) questions(projects Projects, r Request) ([]question, error) {
	about := project(projects, r)
	within := s.policy.scope(about)
	key := subjectKey{id: s.id, of: within.of}
	if about != nil && s.role {
		key.project = about.Name
	}
	if known, ok := s.policy.subjects.Get(key); ok {
		return known, within.dropped
	}
	// The policy that holds everywhere is asked about everybody, even where the roles of the project deny.
	questions, size := ask(s.policy.everyone, []string{s.defaultRole, ""})
	more, moreSize := ask(within, s.names(within, key.project))
	questions = append(questions, more...)
	if within.kept() {
		s.policy.subjects.Put(key, questions, size+moreSize)
	}
	return questions, within.dropped
}

// names are whom a scope is asked about: the default role, the user, and each group that the policy knows. For a role
// of the project that the request is about its groups do not count, and one of another project has no rights here.
func (s *Subject) names(within *scope, project string) []string {
	var names []string
	if s.defaultRole != "" {
		names = append(names, s.defaultRole)
	}
	if project != "" {
		if owner, _ := roleOf(s.name); owner != project {
			return nil
		}
		return append(names, s.name)
	}
	names = append(names, s.name)
	for _, group := range s.groups {
		if len(within.givenTo(group)) > 0 {
			names = append(names, group)
		}
	}
	return names
}

// ask makes the questions about some names, and estimates how many bytes they take.
func ask(within *scope, names []string) (questions []question, size int64) {
	// Lines of a project may be kept by what refers to them alone.
	const perEntry, perQuestion, perLine, perOwnLine = 256, 64, 8, 512
	size = perEntry
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if q := within.about(name); len(q) > 0 {
			questions = append(questions, q)
			size += int64(perQuestion + perLine*len(q))
			if within.base != nil {
				size += int64(perOwnLine * min(len(q), within.own))
			}
		}
	}
	return questions, size
}

func user(claims Claims) string {
	if federated, is := claims["federated_claims"].(map[string]any); is {
		if id, _ := federated["user_id"].(string); id != "" {
			return id
		}
	}
	name, _ := claims["sub"].(string)
	return name
}

// values are the texts of a claim, which is one or a list of them.
func values(claim any) []string {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		var texts []string
		for _, one := range v {
			if text, is := one.(string); is {
				texts = append(texts, text)
			}
		}
		return texts
	default:
		return nil
	}
}
