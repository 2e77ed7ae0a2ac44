package rbac

import (
	"fmt"
	"strings"
)

// The objects of a resource: those in projects have the project before a slash.
const (
	inProjects = "*/*"
	anywhere   = "*"
)

// builtinRights are the rights of role:readonly and role:admin, which Argo CD has compiled in: role:admin has those of
// role:readonly as well. The audit is the product's own: who may read everything else does not see who did what.
var builtinRights = []struct {
	resource string
	objects  string
	readonly string
	admin    string
}{
	{"applications", inProjects, "get", "create update update/* delete delete/* sync override action/*"},
	{"applicationsets", inProjects, "get", "get create update delete"},
	{"logs", inProjects, "get", ""},
	{"exec", inProjects, "", "create"},
	{"certificates", anywhere, "get", "create update delete"},
	{"clusters", anywhere, "get", "create update delete"},
	{"repositories", anywhere, "get", "create update delete"},
	{"write-repositories", anywhere, "get", "create update delete"},
	{"projects", anywhere, "get", "create update delete"},
	{"accounts", anywhere, "get", "update"},
	{"gpgkeys", anywhere, "get", "create delete"},
	{"audit", anywhere, "", "get"},
}

// builtin is the built-in policy. It is a text so that it is read as expressions in match mode regex, where most of it
// is broken: so it is in Argo CD.
func builtin() string {
	var out strings.Builder
	add := func(role, resource, actions, objects string) {
		for action := range strings.FieldsSeq(actions) {
			fmt.Fprintf(&out, "p, %s, %s, %s, %s, allow\n", role, resource, action, objects)
		}
	}
	for _, r := range builtinRights {
		add("role:readonly", r.resource, r.readonly, r.objects)
		add("role:admin", r.resource, r.admin, r.objects)
	}
	out.WriteString("g, role:admin, role:readonly\ng, admin, role:admin\n")
	return out.String()
}
