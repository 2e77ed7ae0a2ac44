package rbac_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/assets"
	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	"github.com/casbin/casbin/v2/persist"
	"github.com/casbin/casbin/v2/util"
	"github.com/gobwas/glob"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
)

// judge is casbin itself, with the model and the built-in policy of Argo CD, asked in Argo CD's order.
type judge struct {
	config            model.Model
	builtin           string
	text, defaultRole string
	regex             bool
}

func newJudge(t testing.TB, data map[string]string) *judge {
	t.Helper()
	read := func(name string) string {
		text, err := assets.Embedded.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	config, err := model.NewModelFromString(read("model.conf"))
	if err != nil {
		t.Fatal(err)
	}
	return &judge{
		config: config, builtin: read("builtin-policy.csv"),
		text: data["policy.csv"], defaultRole: data["policy.default"], regex: data["policy.matchMode"] == "regex",
	}
}

// lines are texts of policy that casbin loads.
type lines []string

func (l lines) LoadPolicy(m model.Model) error {
	for _, text := range l {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			r := csv.NewReader(strings.NewReader(line))
			r.TrimLeadingSpace = true
			f, err := r.Read()
			if err != nil {
				return err
			}
			sizes := map[string]int{"p": 6, "g": 3, "e": len(f), "m": len(f), "r": len(f)}
			if sizes[f[0]] != len(f) {
				return fmt.Errorf("%q is no line", line)
			}
			m[f[0]][f[0]].Policy = append(m[f[0]][f[0]].Policy, f[1:])
		}
	}
	return nil
}

var (
	_           persist.Adapter = lines{}
	errReadOnly                 = errors.New("this is only read")
)

func (lines) SavePolicy(model.Model) error                              { return errReadOnly }
func (lines) AddPolicy(string, string, []string) error                  { return errReadOnly }
func (lines) RemovePolicy(string, string, []string) error               { return errReadOnly }
func (lines) RemoveFilteredPolicy(string, string, int, ...string) error { return errReadOnly }

func (j *judge) enforcer(more ...string) (*casbin.Enforcer, error) {
	e, err := casbin.NewEnforcer(j.config, append(lines{j.builtin, j.text}, more...))
	if err != nil {
		return nil, err
	}
	e.AddFunction("globOrRegexMatch", func(args ...any) (any, error) {
		if j.regex {
			return util.RegexMatchFunc(args...)
		}
		g, err := glob.Compile(args[1].(string))
		return err == nil && g.Match(args[0].(string)), nil
	})
	return e, nil
}

// allowed is what Argo CD answers to a user with groups, about the project team that has one role, ci.
func (j *judge) allowed(t testing.TB, user string, groups []string, role *v1alpha1.ProjectRole, r rbac.Request) bool {
	t.Helper()
	everywhere, err := j.enforcer()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(e *casbin.Enforcer, name string) bool {
		ok, err := e.Enforce(name, r.Resource, r.Action, r.Object)
		return ok && err == nil
	}
	within, inProject := everywhere, role != nil && (strings.HasPrefix(r.Object, "team/") && r.Resource != "projects" || r.Resource == "projects" && r.Object == "team")
	if inProject {
		text := []string{"p, proj:team:ci, projects, get, team, allow"}
		text = append(text, role.Policies...)
		for _, g := range role.Groups {
			text = append(text, "g, "+g+", proj:team:ci")
		}
		if within, err = j.enforcer(text...); err != nil {
			within = everywhere
		}
	}
	if j.defaultRole != "" && (ask(everywhere, j.defaultRole) || ask(within, j.defaultRole)) {
		return true
	}
	isRole := strings.HasPrefix(user, "proj:") && strings.Count(user, ":") == 2
	if isRole && inProject {
		return strings.HasPrefix(user, "proj:team:") && ask(within, user) || ask(everywhere, "")
	}
	if ask(within, user) || ask(everywhere, "") {
		return true
	}
	given, err := within.GetGroupingPolicy()
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(groups, func(group string) bool {
		return slices.ContainsFunc(given, func(g []string) bool { return g[0] == group }) && ask(within, group)
	})
}

// dice throws policies and requests out of few words, so that they meet.
type dice struct{ *rand.Rand }

func (d dice) one(of ...string) string { return of[d.IntN(len(of))] }

func (d dice) name() string {
	return d.one("alice", "bob", "devs", "ops", "role:a", "role:b", "role:readonly", "role:admin", "proj:team:ci", "", "admin")
}

func (d dice) line() string {
	switch d.IntN(8) {
	case 0, 1, 2:
		return fmt.Sprintf("g, %q, %q", d.name(), d.name())
	case 3:
		return d.one("# a note", "", "e, some", "  # another")
	default:
		return fmt.Sprintf("p, %q, %s, %s, %s, %s", d.name(),
			d.one("applications", "applications", "projects", "logs", "*", "app*", "[", "(x"),
			d.one("get", "sync", "*", "action/*", "*/apps/*", "update*"),
			d.one("team/*", "team/web", "*/*", "*", "team/*/web", "team", "*web*", "*/ns/*b", "other/*", "t*m/*w*b", "[a", "team/w[ea]b", "team/{web,ns/web}"),
			d.one("allow", "allow", "allow", "deny", "Deny", "allow # yes"))
	}
}

func (d dice) lines(most int) []string {
	var out []string
	for range d.IntN(most + 1) {
		out = append(out, d.line())
	}
	return out
}

func (d dice) request() rbac.Request {
	return rbac.Request{
		Resource: d.one("applications", "applications", "logs", "projects", "clusters"),
		Action:   d.one("get", "sync", "action/apps/Deployment/restart", "update", "update/apps/x"),
		Object:   d.one("team/web", "team/ns/web", "other/web", "team", "team/", "team/api", "web"),
	}
}

func TestPoliciesAgreeWithCasbin(t *testing.T) {
	for seed := range uint64(1500) {
		d := dice{rand.New(rand.NewPCG(seed, 0))}
		data := map[string]string{
			"policy.csv":       strings.Join(d.lines(14), "\n"),
			"policy.default":   d.one("", "", "role:a", "role:readonly", "bob"),
			"policy.matchMode": d.one("", "glob", "regex"),
		}
		var role *v1alpha1.ProjectRole
		if d.IntN(3) > 0 {
			role = &v1alpha1.ProjectRole{Name: "ci", Policies: d.lines(5), Groups: []string{d.one("devs", "ops", "alice")}}
			if d.IntN(8) == 0 {
				role.Policies = append(role.Policies, "p, too short")
			}
		}
		agree(t, data, d.name(), []string{d.name(), d.one("devs", "nobody")}, role, []rbac.Request{d.request(), d.request(), d.request(), d.request()})
	}
}

// agree fails where casbin answers otherwise.
func agree(t testing.TB, data map[string]string, user string, groups []string, role *v1alpha1.ProjectRole, requests []rbac.Request) {
	t.Helper()
	policy, err := rbac.Load(data)
	j := newJudge(t, data)
	if _, want := j.enforcer(); (want != nil) != (err != nil) {
		t.Fatalf("%q loads with %v, with casbin %v", data, err, want)
	}
	if err != nil {
		return
	}
	var projects byName
	if role != nil {
		p := v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Roles: []v1alpha1.ProjectRole{*role}}}
		p.Name, p.ResourceVersion = "team", "1"
		projects = byName{p}
	}
	subject := policy.Subject(rbac.Claims{"sub": user, "groups": groups})
	for _, r := range requests {
		got, problem := subject.Allowed(projects, r)
		if want := j.allowed(t, user, groups, role, r); got != want {
			t.Fatalf("%q of %v asks %v under %q and %v: got %v (%v), casbin says %v", user, groups, r, data, role, got, problem, want)
		}
	}
}

// casbin's roles end at ten steps.
func TestDeepRolesAgreeWithCasbin(t *testing.T) {
	for _, depth := range []int{9, 10, 11, 12} {
		text := []string{fmt.Sprintf("p, r%d, applications, get, team/*, allow", depth), "g, alice, r1"}
		for i := 1; i < depth; i++ {
			text = append(text, fmt.Sprintf("g, r%d, r%d", i, i+1))
		}
		agree(t, map[string]string{"policy.csv": strings.Join(text, "\n")}, "alice", nil, nil, []rbac.Request{request("applications, get, team/web")})
	}
}

// Every right of the built-in roles is asked for, and whatever stands beside one.
func TestBuiltinRolesAgreeWithCasbin(t *testing.T) {
	resources := strings.Fields("applications applicationsets logs exec certificates clusters repositories write-repositories projects accounts gpgkeys extensions")
	actions := strings.Fields("get create update delete sync override invoke update/x delete/x action/x action")
	var requests []rbac.Request
	for _, resource := range resources {
		for _, action := range actions {
			requests = append(requests, rbac.Request{Resource: resource, Action: action, Object: "x"}, rbac.Request{Resource: resource, Action: action, Object: "team/web"})
		}
	}
	for _, user := range []string{"admin", "role:readonly", "alice"} {
		agree(t, nil, user, nil, nil, requests)
	}
}

func FuzzAllowed(f *testing.F) {
	f.Add("p, alice, applications, get, team/*, allow\ng, devs, role:readonly", "", "role:a", "alice", "devs", "p, proj:team:ci, logs, get, team/*, allow", "logs", "get", "team/web")
	f.Add("p, \"\", *, *, (a|b), deny", "regex", "", "proj:team:ci", "x", "", "projects", "get", "team")
	f.Add("p, alice, applications, *, *a*b/c, allow", "glob", "", "alice", "", "p, broken", "applications", "get", "team/ab/c")
	f.Fuzz(func(t *testing.T, text, mode, role, user, group, own, resource, action, object string) {
		// What casbin's globs do with these is another matter: pattern_test.go. They may also take forever.
		for _, s := range []string{text, own, resource, action, object} {
			if len(s) > 200 || strings.ContainsAny(s, "?[{\\\x00") || !isASCII(s) {
				return
			}
		}
		data := map[string]string{"policy.csv": text, "policy.matchMode": mode, "policy.default": role}
		agree(t, data, user, []string{group}, &v1alpha1.ProjectRole{Name: "ci", Policies: []string{own}}, []rbac.Request{{Resource: resource, Action: action, Object: object}})
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 127 })
}
