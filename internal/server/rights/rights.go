package rights

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Options are what rights stand on.
type Options struct {
	// Namespace is the control namespace: policies do not name it.
	Namespace string
	// Settings are what argocd-cm says now.
	Settings func() map[string]string
	Projects rbac.Projects
	// Reviews is nil where nobody comes who is known to Kubernetes.
	Reviews *Reviews
	Log     *slog.Logger
}

// Rights asks both policies: Argo CD's, for everybody, and Kubernetes', for
// those whom Kubernetes knows. What one of them allows is allowed.
type Rights struct {
	Options

	policy atomic.Pointer[rbac.Policy]

	// known has what people may see, until the policy or a project changes.
	known atomic.Pointer[cache.LRU[string, *verdicts]]
}

// New makes rights without a policy: Put gives them one before they are asked.
func New(o Options) *Rights { return &Rights{Options: o} }

// Policy is the one that holds now.
func (r *Rights) Policy() *rbac.Policy { return r.policy.Load() }

// verdictsKept is what all verdicts may take, in bytes.
const verdictsKept = 64 << 20

// verdictSize is what one takes that knows nothing yet.
const verdictSize = 512

// Changed forgets what people may see.
func (r *Rights) Changed() { r.known.Store(cache.New[string, *verdicts](verdictsKept)) }

// Put takes what argocd-rbac-cm says. What cannot be read leaves the policy
// as it was, as in Argo CD, and is not taken; before any was, nobody may anything
// but the admin.
func (r *Rights) Put(data map[string]string) (taken bool) {
	p, err := rbac.Load(data)
	if err != nil {
		r.Log.Error("the policy stays as it was", "configmap", rbac.ConfigMap, "error", err)
		return false
	}
	for _, w := range p.Warnings() {
		r.Log.Warn("a line of the policy means nothing", "configmap", rbac.ConfigMap, "warning", w)
	}
	r.policy.Store(p)
	r.Changed()
	return true
}

// admits tells why nobody may come in; anonymous may where that is switched on.
func (r *Rights) admits(u *auth.User) error {
	if u != nil || r.Settings()[v1alpha1.SettingAnonymous] == "true" {
		return nil
	}
	return gitops.Problemf(gitops.Refused, "nobody is signed in").Do("sign in, or send a token as Authorization: Bearer")
}

// subject is somebody as the policy that holds now knows them. Every Pod of the hub has a token of a service account:
// what everybody may who signed in is not for these, or a team's workload would read what all teams have.
func (r *Rights) subject(u *auth.User) *rbac.Subject {
	policy := r.policy.Load()
	switch {
	case u == nil:
		return policy.Subject(rbac.Claims{})
	case u.ServiceAccount():
		return policy.Named(own(u))
	}
	return policy.Subject(own(u))
}

// own are the claims of somebody without names that policies keep for others:
// an issuer or a cluster does not make somebody the admin, or a project's role.
func own(u *auth.User) rbac.Claims {
	if u.Via == auth.Local || u.Via == auth.Project {
		return u.Claims
	}
	return WithoutReserved(u.Claims)
}

// Reserved reports whether a name is one that policies keep for others.
func Reserved(name string) bool {
	return name == account.Admin || strings.HasPrefix(name, "role:") || strings.HasPrefix(name, "proj:")
}

// WithoutReserved copies claims: any of them may be one that the policy takes
// groups or the user from.
func WithoutReserved(claims map[string]any) map[string]any {
	out := make(map[string]any, len(claims))
	for name, claim := range claims {
		switch v := claim.(type) {
		case string:
			if Reserved(v) {
				continue
			}
		case []any:
			claim = slices.DeleteFunc(slices.Clone(v), func(one any) bool {
				text, is := one.(string)
				return is && Reserved(text)
			})
		case map[string]any:
			claim = WithoutReserved(v)
		}
		out[name] = claim
	}
	return out
}

// Visible tells which Applications somebody may read.
func (r *Rights) Visible(ctx context.Context, u *auth.User) (func(*view.Row) bool, error) {
	if err := r.admits(u); err != nil {
		return nil, err
	}
	known := r.known.Load() // before the policy: what it forgets is not remembered again
	subject, inside := r.subject(u), map[string]bool{}
	byPolicy := verdictsOf(known, subject).of(func(row *view.Row) bool {
		ok, _ := subject.Allowed(r.Projects, rbac.Request{Resource: "applications", Action: "get", Object: r.object(row.Project, row.Namespace, row.Name)})
		return ok
	})
	return func(row *view.Row) bool {
		if u != nil && u.Limit != nil && !within(u, "applications", "get", row.Project) {
			return false
		}
		if byPolicy(row) {
			return true
		}
		if u == nil || u.Via != auth.Kubernetes {
			return false
		}
		known, asked := inside[row.Namespace]
		if !asked {
			// The error is that nobody waits any more, or has waited for long.
			known, _ = r.Reviews.may(reach.Patiently(ctx), u, kubernetes(reach.Access{Resource: "applications", Action: "list", Namespace: row.Namespace}))
			inside[row.Namespace] = known
		}
		return known
	}, nil
}

// verdictsOf are those of somebody, with all their groups.
func verdictsOf(all *cache.LRU[string, *verdicts], s *rbac.Subject) *verdicts {
	key := digest(s.DefaultRole(), s.Name(), s.Groups())
	if v, ok := all.Get(key); ok {
		return v
	}
	v := &verdicts{}
	v.grew = func(bytes int64) { all.Put(key, v, verdictSize+bytes) }
	v.grew(0)
	return v
}

// Permit tells why somebody may not do something.
func (r *Rights) Permit(ctx context.Context, u *auth.User, a reach.Access) error {
	if err := r.admits(u); err != nil {
		return err
	}
	if !within(u, a.Resource, a.Action, projectOf(a)) {
		return gitops.Problemf(gitops.Forbidden, "the API key %s of %s is not for that: %s %s %s", u.Key, u.Name, a.Action, a.Resource, r.objectOf(a)).
			Do("make a key with another scope")
	}
	ok, err := r.allowed(u, a)
	if err != nil {
		r.Log.WarnContext(ctx, "a part of the policy could not be evaluated", "configmap", rbac.ConfigMap, "error", err)
	}
	if ok {
		return nil
	}
	if u != nil && u.Via == auth.Kubernetes {
		if ok, err := r.reviewed(ctx, u, a); ok || err != nil {
			return err
		}
	}
	name := "anonymous"
	if u != nil {
		name = u.Name
	}
	what := strings.TrimSpace(a.Resource + " " + r.objectOf(a))
	return gitops.Problemf(gitops.Forbidden, "%s may not %s %s", name, a.Action, what).
		Do("ask for a line in the policy of " + rbac.ConfigMap + ", or a role of the project")
}

// allowed asks Argo CD's policy. What is read is remembered; rows are by their
// seats, and what changes something is asked each time.
func (r *Rights) allowed(u *auth.User, a reach.Access) (bool, error) {
	known := r.known.Load() // before the policy: what it forgets is not remembered again
	subject := r.subject(u)
	q := rbac.Request{Resource: a.Resource, Action: a.Action, Object: r.objectOf(a)}
	ask := func() (bool, error) { return subject.Allowed(r.Projects, q) }
	if a.Action != "get" || !many[a.Resource] || len(q.Object) > mostObject {
		return ask()
	}
	return verdictsOf(known, subject).read(q, ask)
}

// many are what pages list beside Applications, and ask about each: what somebody
// may read of them is remembered. Of all else, and of what only a request calls a
// resource, there is one question at a time.
var many = map[string]bool{
	"accounts": true, "applicationsets": true, "clusters": true, "logs": true, "projects": true, "repositories": true,
}

// mostObject is the length up to which what is read is remembered.
const mostObject = 512

// reviewed asks Kubernetes. Who may list Applications, sets or projects reads each in
// the list: one question is enough for all of a namespace. Of an Application that is
// not there no fewer are asked than of one that is hidden, which Visible looks for.
func (r *Rights) reviewed(ctx context.Context, u *auth.User, a reach.Access) (bool, error) {
	if a.Action == "get" && (a.Resource == "applications" || a.Resource == "applicationsets" || a.Resource == "projects") {
		all := a
		all.Action = "list"
		if ok, err := r.Reviews.may(ctx, u, kubernetes(all)); ok || err != nil {
			return ok, err
		}
	}
	return r.Reviews.may(ctx, u, kubernetes(a))
}

// ByKubernetes tells of somebody who may do something whether it is Kubernetes'
// roles alone that let them: the policy does not.
func (r *Rights) ByKubernetes(u *auth.User, a reach.Access) bool {
	if u == nil || u.Via != auth.Kubernetes {
		return false
	}
	ok, _ := r.allowed(u, a) // what cannot be evaluated lets nobody do anything
	return !ok
}

// Might reports whether something of the kind may be done to any object.
func (r *Rights) Might(ctx context.Context, u *auth.User, a reach.Access) bool {
	if r.admits(u) != nil || !within(u, a.Resource, a.Action, a.Project) {
		return false
	}
	object := ""
	if a.Project != "" {
		object = a.Project + "/"
	}
	if r.subject(u).Might(r.Projects, rbac.Request{Resource: a.Resource, Action: a.Action, Object: object}) {
		return true
	}
	if u == nil || u.Via != auth.Kubernetes {
		return false
	}
	a.Name, a.Namespace = "", r.Namespace
	ok, _ := r.Reviews.may(reach.Patiently(ctx), u, kubernetes(a)) // the error is that nobody waits any more, or has waited for long
	return ok
}

// within reports whether something is inside of what an API key is for.
func within(u *auth.User, resource, action, project string) bool {
	return u == nil || u.Limit == nil || u.Limit.Allows(resource, action, project)
}

// projectOf is the project that an access is about; empty for none.
func projectOf(a reach.Access) string {
	if a.Resource == "projects" {
		return a.Name
	}
	return a.Project
}

// object is an Application in the words of policies: its namespace is named
// where it is not the control namespace.
func (r *Rights) object(project, namespace, name string) string {
	if namespace == r.Namespace || namespace == "" {
		return project + "/" + name
	}
	return project + "/" + namespace + "/" + name
}

func (r *Rights) objectOf(a reach.Access) string {
	switch a.Resource {
	case "applications", "applicationsets", "logs", "exec":
		return r.object(a.Project, a.Namespace, a.Name)
	case "clusters", "repositories":
		if a.Project != "" {
			return a.Project + "/" + a.Name
		}
	}
	return a.Name
}
