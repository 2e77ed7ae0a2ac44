package rbac_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
)

const readWeb = "applications, get, shop/web"

// shop is a project whose role deploy belongs to the group pipeline.
func shop(edit ...func(*v1alpha1.ProjectRole)) byName {
	role := v1alpha1.ProjectRole{Name: "deploy", Policies: []string{"p, proj:shop:deploy, applications, sync, shop/*, allow"}, Groups: []string{"pipeline"}}
	for _, e := range edit {
		e(&role)
	}
	project := v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Roles: []v1alpha1.ProjectRole{role}}}
	project.Name = "shop"
	bare := v1alpha1.AppProject{}
	bare.Name = "bare"
	return byName{project, bare}
}

func TestAllowed(t *testing.T) {
	yes, no := true, false
	broken := func(r *v1alpha1.ProjectRole) { r.Groups = append(r.Groups, "cn=x,ou=y") }
	ann, member := rbac.Claims{"sub": "ann"}, rbac.Claims{"sub": "ann", "groups": []any{"team-a", "team-b"}}
	cases := map[string]struct {
		reason   string
		text     string
		keys     map[string]string
		projects byName
		claims   rbac.Claims
		request  string
		want     bool
	}{
		"DenyWinsWithin":        {"one user's deny wins over roles of that user", "p, ann, applications, get, shop/web, deny\ng, ann, role:readonly", nil, nil, ann, readWeb, no},
		"DenyNotForGroups":      {"a user's deny does not reach the user's groups", "p, ann, applications, get, */*, deny\ng, team-a, role:readonly", nil, nil, member, readWeb, yes},
		"DenyNotAcrossGroups":   {"one group's deny does not reach another group", "g, team-a, role:none\np, team-a, applications, get, */*, deny\ng, team-b, role:readonly", nil, nil, member, readWeb, yes},
		"DenyNotForDefault":     {"nothing denies what everybody has", "p, ann, applications, get, */*, deny", map[string]string{"policy.default": "role:readonly"}, nil, ann, readWeb, yes},
		"DefaultDeny":           {"a deny of the default role denies the default role alone", "p, role:d, applications, get, */*, deny\ng, ann, role:readonly", map[string]string{"policy.default": "role:d"}, nil, ann, readWeb, yes},
		"GroupWithoutG":         {"a group counts when a g line begins with it", "p, team-a, applications, get, */*, allow", nil, nil, member, readWeb, no},
		"GroupWithG":            {"whatever that line gives", "p, team-a, applications, get, */*, allow\ng, team-a, role:none", nil, nil, member, readWeb, yes},
		"GroupOfText":           {"a single group may stand as text", "g, team-a, role:readonly", nil, nil, rbac.Claims{"sub": "ann", "groups": "team-a"}, readWeb, yes},
		"GroupsOfOtherKinds":    {"what is no text is no group", "g, team-a, role:readonly", nil, nil, rbac.Claims{"sub": "ann", "groups": []any{1, nil, "team-a"}}, readWeb, yes},
		"Scopes":                {"scopes take the place of groups", "g, team-a, role:readonly", map[string]string{"scopes": "[email]"}, nil, member, readWeb, no},
		"ScopesOfAddress":       {"an address can be a group", "g, ann@example.org, role:readonly", map[string]string{"scopes": "[groups, email]"}, nil, rbac.Claims{"email": "ann@example.org"}, readWeb, yes},
		"ScopesNull":            {"no list at all leaves groups", "g, team-a, role:readonly", map[string]string{"scopes": "null"}, nil, member, readWeb, yes},
		"ScopesEmpty":           {"an empty list has no groups", "g, team-a, role:readonly", map[string]string{"scopes": "[]"}, nil, member, readWeb, no},
		"Dex":                   {"Dex tells the user in federated_claims", "g, ann, role:readonly", nil, nil, rbac.Claims{"sub": "CgNhbm4", "federated_claims": map[string]any{"user_id": "ann"}}, readWeb, yes},
		"DexEmpty":              {"an empty user there is none", "g, ann, role:readonly", nil, nil, rbac.Claims{"sub": "ann", "federated_claims": map[string]any{"user_id": ""}}, readWeb, yes},
		"Anonymous":             {"without claims there is the default role", "", map[string]string{"policy.default": "role:readonly"}, nil, rbac.Claims{}, readWeb, yes},
		"AnonymousNobody":       {"and nothing else", "g, ann, role:readonly", nil, nil, nil, readWeb, no},
		"NobodyIsEverybody":     {"a line for nobody holds for all", "p, \"\", applications, get, */*, allow", nil, nil, ann, readWeb, yes},
		"RoleOfNobody":          {"as does a role of nobody", "g, \"\", role:readonly", nil, nil, ann, readWeb, yes},
		"NobodyInProject":       {"but not one in the roles of a project", "", nil, shop(func(r *v1alpha1.ProjectRole) { r.Policies[0] = "p, \"\", applications, get, */*, allow" }), ann, readWeb, no},
		"Admin":                 {"the user admin is one", "", nil, nil, rbac.Claims{"sub": "admin"}, "exec, create, shop/web", yes},
		"AdminAsGroup":          {"a group of that name, too", "", nil, nil, rbac.Claims{"sub": "ann", "groups": []any{"admin"}}, "exec, create, shop/web", yes},
		"StarCrosses":           {"a star crosses slashes", "p, ann, applications, get, shop/*, allow", nil, nil, ann, "applications, get, shop/there/web", yes},
		"StarsOverlap":          {"what is around one star may overlap", "p, ann, applications, get, shop/*/web, allow", nil, nil, ann, readWeb, yes},
		"StarsNeedSlash":        {"two stars with a slash need one", "p, ann, clusters, get, */*, allow", nil, nil, ann, "clusters, get, local", no},
		"BrokenGlob":            {"a broken glob matches nothing", "p, ann, applications, get, shop/[, deny\ng, ann, role:readonly", nil, nil, ann, readWeb, yes},
		"IPv6Deny":              {"the brackets of an address are text", "p, ann, clusters, get, https://[fd00::10]:6443, deny\ng, ann, role:readonly", nil, nil, ann, "clusters, get, https://[fd00::10]:6443", no},
		"IPv6DenyInProject":     {"also behind a project", "p, ann, clusters, get, */https://[fd00::10]*, deny\ng, ann, role:readonly", nil, nil, ann, "clusters, get, shop/https://[fd00::10]:6443", no},
		"IPv6DenyBySSH":         {"and behind a user", "p, ann, repositories, get, shop/git@[fd00::10]:team/*, deny\ng, ann, role:readonly", nil, nil, ann, "repositories, get, shop/git@[fd00::10]:team/keys", no},
		"IPv6Allow":             {"which permit that server", "p, ann, clusters, get, https://[fd00::10]:6443, allow", nil, nil, ann, "clusters, get, https://[fd00::10]:6443", yes},
		"IPv6AllowOther":        {"and no other one", "p, ann, clusters, get, https://[fd00::10], allow", nil, nil, ann, "clusters, get, https://f", no},
		"Class":                 {"in other texts they are signs", "p, ann, applications, get, shop/[a-w]eb, allow", nil, nil, ann, readWeb, yes},
		"Escaped":               {"a backslash takes a star its meaning", `p, ann, applications, get, shop/\*, allow`, nil, nil, ann, readWeb, no},
		"UpdateAlone":           {"updating is not updating a part", "p, ann, applications, update, shop/*, allow", nil, nil, ann, "applications, update/apps/Deployment/x/web, shop/web", no},
		"PartAlone":             {"nor the other way round", "p, ann, applications, update/*, shop/*, allow", nil, nil, ann, "applications, update, shop/web", no},
		"AnyAction":             {"a star is any action", "p, ann, applications, *, shop/*, allow", nil, nil, ann, "applications, action//Pod/kill, shop/web", yes},
		"Regex":                 {"expressions match a part", "p, ann, applications, get, op/we, allow", map[string]string{"policy.matchMode": "regex"}, nil, ann, readWeb, yes},
		"RegexBuiltin":          {"and break the built-in roles", "", map[string]string{"policy.matchMode": "regex"}, nil, rbac.Claims{"sub": "admin"}, readWeb, no},
		"RegexBroken":           {"a broken one fails what comes to it", "p, ann, applications, get, .*, allow\np, ann, applications, get, (, allow", map[string]string{"policy.matchMode": "regex"}, nil, ann, readWeb, no},
		"RegexBrokenElsewhere":  {"and nothing else", "p, ann, applications, get, .*, allow\np, ann, applications, sync, (, allow", map[string]string{"policy.matchMode": "regex"}, nil, ann, readWeb, yes},
		"OtherMode":             {"any other mode is globs", "p, ann, applications, get, shop/*, allow", map[string]string{"policy.matchMode": "Regex"}, nil, ann, readWeb, yes},
		"EffectOfOtherCase":     {"effects are in lower case", "p, ann, applications, get, */*, ALLOW", nil, nil, ann, readWeb, no},
		"NoteBehindEffect":      {"a note behind the effect belongs to it", "p, ann, applications, get, */*, allow # for now", nil, nil, ann, readWeb, no},
		"SpaceBehindField":      {"a space behind a field belongs to it", "p, ann , applications, get, */*, allow", nil, nil, ann, readWeb, no},
		"SpaceBehindLine":       {"one behind the line does not", "p, ann, applications, get, */*, allow \t\r", nil, nil, ann, readWeb, yes},
		"MoreKeys":              {"policy.*.csv add to policy.csv", "p, role:a, applications, get, */*, allow", map[string]string{"policy.x.csv": "g, ann, role:a", "policyxcsv": "nonsense"}, nil, ann, readWeb, yes},
		"ProjectToken":          {"a token of a project's role has its rights", "", nil, shop(), rbac.Claims{"sub": "proj:shop:deploy"}, "applications, sync, shop/web", yes},
		"ProjectTokenElsewhere": {"in its project", "g, proj:shop:deploy, role:admin", nil, shop(), rbac.Claims{"sub": "proj:shop:deploy"}, "applications, sync, bare/web", no},
		"ProjectTokenGroups":    {"its groups do not count", "g, team-a, role:readonly", nil, shop(), rbac.Claims{"sub": "proj:shop:deploy", "groups": "team-a"}, readWeb, no},
		"ProjectTokenGlobal":    {"outside of projects it is a user", "g, proj:shop:deploy, role:admin", nil, shop(), rbac.Claims{"sub": "proj:shop:deploy"}, "accounts, get, ann", yes},
		"ProjectGroup":          {"a role's groups have its rights", "", nil, shop(), rbac.Claims{"groups": "pipeline"}, "applications, sync, shop/web", yes},
		"ProjectSeen":           {"a role sees its project", "", nil, shop(func(r *v1alpha1.ProjectRole) { r.Policies = nil }), rbac.Claims{"groups": "pipeline"}, "projects, get, shop", yes},
		"ProjectNotLoaded":      {"roles count where the object is in the project", "", nil, shop(func(r *v1alpha1.ProjectRole) { r.Policies[0] = "p, proj:shop:deploy, *, *, *, allow" }), rbac.Claims{"groups": "pipeline"}, "applications, get, bare/web", no},
		"ProjectOtherKinds":     {"and only for kinds that projects have", "", nil, shop(func(r *v1alpha1.ProjectRole) { r.Policies[0] = "p, proj:shop:deploy, *, *, *, allow" }), rbac.Claims{"groups": "pipeline"}, "certificates, get, shop/x", no},
		"ProjectBroken":         {"one broken line drops all roles", "", nil, shop(broken), rbac.Claims{"groups": "pipeline"}, "applications, sync, shop/web", no},
		"ProjectBrokenGlobal":   {"and leaves the rest", "g, pipeline, role:admin", nil, shop(broken), rbac.Claims{"groups": "pipeline"}, "applications, sync, shop/web", yes},
		"ProjectGroupQuoted":    {"a comma needs quotes", "", nil, shop(func(r *v1alpha1.ProjectRole) { r.Groups = []string{`"cn=x,ou=y"`} }), rbac.Claims{"groups": "cn=x,ou=y"}, "applications, sync, shop/web", yes},
		"GlobalDenyInProject":   {"a deny of the ConfigMap reaches a project's role", "p, proj:shop:deploy, applications, *, shop/web, deny", nil, shop(), rbac.Claims{"groups": "pipeline"}, "applications, sync, shop/web", no},
		"ProjectDenyOfNobody":   {"a project cannot deny what nobody has", "p, \"\", applications, get, */*, allow", nil, shop(func(r *v1alpha1.ProjectRole) { r.Policies[0] = "p, \"\", *, *, *, deny" }), ann, readWeb, yes},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			data := map[string]string{"policy.csv": tc.text}
			for k, v := range tc.keys {
				data[k] = v
			}
			policy, err := rbac.Load(data)
			if err != nil {
				t.Fatal(err)
			}
			if got, problem := policy.Allowed(tc.claims, tc.projects, request(tc.request)); got != tc.want {
				t.Errorf("%s: got %v (%v)", tc.reason, got, problem)
			}
		})
	}
}

// Who is Named has what lines say of them, and not what everybody has; they are not taken for one of the same name
// who has it.
func TestNamed(t *testing.T) {
	claims := rbac.Claims{"sub": "ann", "groups": []any{"team-a", "pipeline"}}
	for name, tc := range map[string]struct {
		reason   string
		text     string
		projects byName
		request  string
		want     bool
	}{
		"Default":        {"policy.default is not for them", "", nil, readWeb, false},
		"User":           {"a line gives it to them", "g, ann, role:readonly", nil, readWeb, true},
		"Group":          {"or to a group of theirs", "g, team-a, role:readonly", nil, readWeb, true},
		"Nobody":         {"a line for nobody holds for all", "p, \"\", applications, get, */*, allow", nil, readWeb, true},
		"Project":        {"policy.default is not theirs in a project with roles either", "", shop(), readWeb, false},
		"RoleOfProject":  {"a role of it has its rights", "", shop(), "applications, sync, shop/web", true},
		"OtherOfProject": {"and no others", "", shop(), "applications, delete, shop/web", false},
	} {
		t.Run(name, func(t *testing.T) {
			policy, err := rbac.Load(map[string]string{"policy.csv": tc.text, "policy.default": "role:readonly"})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // questions are remembered
				if ok, problem := policy.Subject(claims).Allowed(tc.projects, request(readWeb)); !ok {
					t.Errorf("who is not Named may not read (%v)", problem)
				}
				if got, problem := policy.Named(claims).Allowed(tc.projects, request(tc.request)); got != tc.want {
					t.Errorf("%s: got %v (%v)", tc.reason, got, problem)
				}
			}
			if s := policy.Named(claims); s.DefaultRole() != "" || policy.Subject(claims).DefaultRole() != "role:readonly" {
				t.Errorf("the default role of who is Named is %q", s.DefaultRole())
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	long := strings.Repeat("x", 1100)
	cases := map[string]struct {
		reason string
		data   map[string]string
		want   string
	}{
		"FieldMissing":  {"a policy has six fields", map[string]string{"policy.csv": "# note\np, ann, applications, get, */*"}, "argocd-rbac-cm: policy.csv, line 2: a policy is `p, subject"},
		"FieldTooMany":  {"a role is given in three", map[string]string{"policy.csv": "g, ann, role:a, x"}, "line 1: a role is given by"},
		"Braces":        {"commas in braces need quotes", map[string]string{"policy.csv": "p, ann, applications, get, shop/{a,b}, allow"}, "this one has 7 fields"},
		"Quote":         {"a quote within a field", map[string]string{"policy.x.csv": "p, a\"n, applications, get, *, allow"}, "policy.x.csv, line 1: quotes go around"},
		"Kind":          {"lines begin with p or g", map[string]string{"policy.csv": "allow ann"}, `begins with p or g, not with "allow ann"`},
		"Scopes":        {"scopes are a list", map[string]string{"scopes": "groups"}, "cannot read scopes of argocd-rbac-cm: it is no list such as"},
		"ScopesTooLong": {"of some length", map[string]string{"scopes": strings.Repeat(" ", 5000)}, "may have 4096"},
		"Bytes":         {"policies are bounded", map[string]string{"policy.csv": strings.Repeat("# note\n", 200_000)}, "more than 1048576 bytes"},
		"Lines":         {"in lines as well", map[string]string{"policy.csv": strings.Repeat("g, a, b\n", 21_000)}, "more than 20000 lines"},
		"Pattern":       {"and in the length of patterns", map[string]string{"policy.csv": "p, ann, applications, get, " + long + ", allow"}, "longer than 1024 bytes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := rbac.Load(tc.data)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	policy, err := rbac.Load(map[string]string{"policy.csv": "p, ann, applications, get, [, allow\np, ann, logs, get, *, Allow\n" +
		"p, ann, logs, get, \"{a,b}/*\", allow\np, ann, logs, get, \"{a-*,b}/*\", allow"})
	if err != nil {
		t.Fatal(err)
	}
	got := policy.Warnings()
	if len(got) != 3 || !strings.HasPrefix(got[2], `policy.csv, line 4: the pattern "{a-*,b}/*" has a star in braces`) || !strings.HasPrefix(got[0], `policy.csv, line 1: the pattern "[" is broken`) || !strings.HasPrefix(got[1], "policy.csv, line 2: the effect") {
		t.Errorf("got %q", got)
	}
	policy, err = rbac.Load(map[string]string{"policy.matchMode": "regex"})
	if err != nil {
		t.Fatal(err)
	}
	if got := policy.Warnings(); len(got) != 1 || !strings.Contains(got[0], "role:admin") {
		t.Errorf("the built-in roles do nothing in mode regex, and nobody says so: %q", got)
	}
}

// Whoever writes a policy is told why a request failed.
func TestProblems(t *testing.T) {
	policy, err := rbac.Load(map[string]string{"policy.matchMode": "regex", "policy.csv": "p, ann, applications, get, (, allow"})
	if err != nil {
		t.Fatal(err)
	}
	if _, problem := policy.Allowed(rbac.Claims{"sub": "ann"}, nil, request(readWeb)); problem == nil || !strings.HasPrefix(problem.Error(), "policy.csv, line 1: \"(\" is no regular expression") {
		t.Errorf("got %v", problem)
	}
	if policy, err = rbac.Load(map[string]string{"policy.matchMode": "regex", "policy.csv": "p, ann, applications, get, " + strings.Repeat(".{1000}", 20) + ", allow"}); err != nil {
		t.Fatal(err)
	}
	if _, problem := policy.Allowed(rbac.Claims{"sub": "ann"}, nil, request(readWeb)); problem == nil || !strings.Contains(problem.Error(), "let it repeat less") {
		t.Errorf("a few characters that repeat much: %v", problem)
	}
	if policy, err = rbac.Load(nil); err != nil {
		t.Fatal(err)
	}
	broken := shop(func(r *v1alpha1.ProjectRole) { r.Policies = append(r.Policies, "p, short") })
	for range 2 {
		_, problem := policy.Allowed(nil, broken, request(readWeb))
		if problem == nil || !strings.Contains(problem.Error(), "the roles of project shop are not used until this is mended: role deploy, policies[1], line 1: a policy is") {
			t.Errorf("got %v", problem)
		}
	}
}

func TestLongRequests(t *testing.T) {
	policy, err := rbac.Load(map[string]string{"policy.csv": "p, ann, *, *, *, allow"})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 5000)
	for _, r := range []rbac.Request{{Resource: long}, {Action: long}, {Object: long}} {
		if allowed, problem := policy.Allowed(rbac.Claims{"sub": "ann"}, nil, r); allowed || problem == nil {
			t.Errorf("%.40q is answered with %v (%v)", fmt.Sprint(r), allowed, problem)
		}
	}
}

func TestSubject(t *testing.T) {
	policy, err := rbac.Load(map[string]string{"scopes": "[groups, email]"})
	if err != nil {
		t.Fatal(err)
	}
	s := policy.Subject(rbac.Claims{"sub": "ann", "groups": []string{"a", "b"}, "email": "ann@example.org"})
	if s.Name() != "ann" || !cmp.Equal(s.Groups(), []string{"a", "b", "ann@example.org"}) {
		t.Errorf("got %q of %q", s.Name(), s.Groups())
	}
}

// What is kept of a project goes with its resourceVersion, and is never another one's.
func TestChangedProjects(t *testing.T) {
	policy, err := rbac.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	subject := policy.Subject(rbac.Claims{"groups": "pipeline"})
	ask := func(projects byName, text string) bool {
		allowed, problem := subject.Allowed(projects, request(text))
		if problem != nil {
			t.Fatal(problem)
		}
		return allowed
	}
	projects := shop()
	projects[0].ResourceVersion, projects[0].UID = "7", "one"
	const sync = "applications, sync, shop/web"
	for range 2 {
		if !ask(projects, sync) || ask(projects, readWeb) {
			t.Fatal("the role is not as written")
		}
	}
	changed := shop(func(r *v1alpha1.ProjectRole) {
		r.Policies = []string{"p, proj:shop:deploy, applications, get, shop/*, allow"}
	})
	changed[0].ResourceVersion, changed[0].UID = "8", "one"
	if ask(changed, sync) || !ask(changed, readWeb) {
		t.Error("the role is as it was before it was changed")
	}
	again := shop(func(r *v1alpha1.ProjectRole) { r.Groups = nil })
	again[0].ResourceVersion, again[0].UID = "8", "another"
	if ask(again, readWeb) {
		t.Error("the role is one of a project that was deleted")
	}
	changed[0].ResourceVersion, projects[0].ResourceVersion = "", ""
	if !ask(projects, sync) || ask(changed, sync) {
		t.Error("a project that does not say its version is taken for another one")
	}
	if ask(nil, readWeb) || ask(byName{}, readWeb) {
		t.Error("there is no project, and its role counts")
	}
}

// A role of a project is somebody else in each project, and in none.
func TestRolesOfProjectsAreKeptApart(t *testing.T) {
	policy, err := rbac.Load(map[string]string{"policy.csv": "p, proj:bare:ci, *, get, *, allow"})
	if err != nil {
		t.Fatal(err)
	}
	subject := policy.Subject(rbac.Claims{"sub": "proj:bare:ci"})
	want := map[string]bool{"applications, get, bare/web": true, "applications, get, shop/web": false, "accounts, get, ann": true, "applications, get, none/web": true}
	for range 2 {
		for text, want := range want {
			if got, problem := subject.Allowed(shop(), request(text)); got != want {
				t.Errorf("%s: got %v (%v)", text, got, problem)
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("p, ann, applications, get, */*, allow\ng, ann, role:a", "regex", "[groups]", "p, x, y, z, {a,b}, deny")
	f.Add("# note\n\n \"p\",\"\"", "", "a: b", "e,\\[!a-z],?{a,{b}")
	f.Fuzz(func(t *testing.T, text, mode, scopes, more string) {
		policy, err := rbac.Load(map[string]string{"policy.csv": text, "policy.matchMode": mode, "scopes": scopes, "policy.x.csv": more})
		if err != nil {
			return
		}
		r := rbac.Request{Resource: more, Action: mode, Object: text}
		role := func(r *v1alpha1.ProjectRole) { r.Policies = append(r.Policies, more) }
		first, _ := policy.Allowed(rbac.Claims{"sub": scopes, "groups": []any{mode}}, shop(role), r)
		second, _ := policy.Allowed(rbac.Claims{"sub": scopes, "groups": []any{mode}}, shop(role), r)
		if first != second {
			t.Error("the same request is answered in two ways")
		}
	})
}

// bench is a policy of some fifty lines: ten teams with groups, roles, rights and denials.
func bench(b *testing.B) *rbac.Policy {
	b.Helper()
	var text strings.Builder
	for i := range 10 {
		fmt.Fprintf(&text, "g, org:team-%[1]d, role:team-%[1]d\ng, role:team-%[1]d, role:basic\n", i)
		fmt.Fprintf(&text, "p, role:team-%[1]d, applications, *, team-%[1]d/*, allow\n", i)
		fmt.Fprintf(&text, "p, role:team-%[1]d, logs, get, team-%[1]d/*, allow\n", i)
		fmt.Fprintf(&text, "p, role:team-%[1]d, applications, delete, team-%[1]d/*-prod, deny\n", i)
	}
	text.WriteString("p, role:basic, projects, get, *, allow\np, role:basic, clusters, get, https://*.example.org, allow\n")
	policy, err := rbac.Load(map[string]string{"policy.csv": text.String(), "policy.default": "role:basic"})
	if err != nil {
		b.Fatal(err)
	}
	return policy
}

// found are projects by name, as caches find them.
type found map[string]*v1alpha1.AppProject

func (f found) Project(name string) *v1alpha1.AppProject { return f[name] }

// BenchmarkList asks which of 10,000 applications in 50 projects somebody may see.
func BenchmarkList(b *testing.B) {
	policy := bench(b)
	projects := found{}
	for i := range 50 {
		p := &v1alpha1.AppProject{}
		p.Name, p.ResourceVersion = fmt.Sprintf("team-%d", i), "1"
		p.Spec.Roles = []v1alpha1.ProjectRole{{Name: "ci", Groups: []string{"ci"}, Policies: []string{"p, proj:" + p.Name + ":ci, applications, sync, " + p.Name + "/*, allow"}}}
		projects[p.Name] = p
	}
	var requests []rbac.Request
	for i := range 10_000 {
		requests = append(requests, rbac.Request{Resource: "applications", Action: "get", Object: fmt.Sprintf("team-%d/app-%d", i%50, i)})
	}
	groups := []any{"everybody", "org:team-3", "org:team-7"}
	for i := range 40 {
		groups = append(groups, fmt.Sprintf("mail-list-%d", i))
	}
	for name, claims := range map[string]rbac.Claims{"Member": {"sub": "ann", "groups": groups}, "Admin": {"sub": "admin"}} {
		b.Run(name, func(b *testing.B) {
			seen := 0
			for b.Loop() {
				subject := policy.Subject(claims)
				seen = 0
				for _, r := range requests {
					if allowed, _ := subject.Allowed(projects, r); allowed {
						seen++
					}
				}
			}
			if want := map[string]int{"Member": 400, "Admin": 10_000}[name]; seen != want {
				b.Errorf("%d of the applications are seen, want %d", seen, want)
			}
		})
	}
}
