package object

import (
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// What stands in for names. A NUL begins each, and one of a text is doubled, so
// that no text is taken for one.
const (
	anApplication = "\x00application\x01"
	aCluster      = "\x00cluster\x01"
	aServer       = "\x00server\x01"
)

// literal is a text as it is, which is no stand-in.
func literal(text string) string { return strings.ReplaceAll(text, "\x00", "\x00\x00") }

func literals(v any) any {
	switch v := v.(type) {
	case string:
		return literal(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = literals(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, child := range v {
			out[literal(k)] = literals(child)
		}
		return out
	}
	return v
}

// standIns puts the names of one application, and of the objects that it has, aside.
type standIns struct {
	own Own
	// objects have the application's or the cluster's name in their own.
	objects  map[string]bool
	accounts map[gitops.Key]bool
	// roles come or go with the change, so that it has all that they permit.
	roles map[gitops.Key]bool
	// placed counts stand-ins.
	placed int
}

func newStandIns(own Own, changed []forecast.Object) *standIns {
	n := &standIns{own: own, objects: map[string]bool{}, accounts: map[gitops.Key]bool{}, roles: map[gitops.Key]bool{}}
	n.add(own.Namespace)
	for _, m := range flatten(own.Manifests) {
		k := m.Key()
		if k.Namespace == "" {
			k.Namespace = own.Namespace
		}
		n.add(k.Namespace)
		if k.Group != rbacGroup {
			n.add(k.Name)
		}
		if k.Group == "" && k.Kind == "ServiceAccount" {
			n.accounts[k] = true
		}
	}
	for _, o := range changed {
		if o.Group == rbacGroup && o.Manifest != "" && leftOut(o.Manifest) == "" {
			n.roles[gitops.Key{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}] = true
		}
	}
	n.placed = 0
	return n
}

func (n *standIns) add(name string) {
	if telling(name) && n.inName(name) != literal(name) {
		n.objects[name] = true
	}
}

// in reports whether a text can have a name in it at all.
func (n *standIns) in(text string) bool {
	for _, name := range []string{n.own.Application, n.own.Cluster, n.own.Server} {
		if name != "" && strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// meaning are values of YAML that are more than a name.
var meaning = map[string]bool{"true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true, "null": true, "none": true}

// telling reports whether a text is a name and cannot be a number or a switch.
func telling(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return text != "" && err != nil && !meaning[strings.ToLower(text)]
}

// reserved names belong to Kubernetes, whoever uses them.
func reserved(name string) bool {
	return name == "default" || strings.HasPrefix(name, "kube-") || strings.HasPrefix(name, "system:") || strings.HasPrefix(name, "system-")
}

// inName is the name of an object, or of its namespace.
func (n *standIns) inName(name string) string {
	if reserved(name) {
		return literal(name)
	}
	out := literal(name)
	for _, s := range []struct{ name, stands string }{{n.own.Application, anApplication}, {n.own.Cluster, aCluster}} {
		out = ReplaceWord(out, s.name, s.stands)
	}
	if out != literal(name) {
		n.placed++
	}
	return out
}

// whole is a text that is a name of its own.
func (n *standIns) whole(text string) (string, bool) {
	var stands string
	switch {
	case text == "":
		return "", false
	case text == n.own.Server:
		stands = aServer
	case !telling(text) || reserved(text):
		return "", false
	case text == n.own.Application:
		stands = anApplication
	case text == n.own.Cluster:
		stands = aCluster
	default:
		return "", false
	}
	n.placed++
	return stands, true
}

// subject is what a value is of.
type subject struct {
	group, kind, namespace string
	// application tells that it is the previewed Application itself.
	application bool
}

const rbacGroup = "rbac.authorization.k8s.io"

func (s subject) rbac() bool { return s.group == rbacGroup }

// sources reports whether a subject is an Application, which names what it is
// made of.
func (s subject) sources() bool {
	return s.application || s.group == "argoproj.io" && s.kind == "Application"
}

// powers are the roles that every cluster has.
var powers = map[string]bool{"cluster-admin": true, "admin": true, "edit": true, "view": true}

// identity is the own name of an object. That of a definition is no name but
// what it defines.
func (n *standIns) identity(s subject, name string) string {
	switch {
	case s.rbac() && powers[name], s.kind == "CustomResourceDefinition", s.kind == "APIService":
		return literal(name)
	}
	return n.inName(name)
}

// Words of keys below which no name is put aside: what is there says who may do
// what, what is run, or what kind a thing is, and means the same in every
// application.
var (
	withheldBelow = regexp.MustCompile(`(?i)role|subject|permission|privilege|verb|security|grant`)
	withheldAt    = regexp.MustCompile(`(?i)image|kind|apiversion|group|user|polic|scope|class|project|repo|chart|revision|version|tag$|digest|type|mode|level|action|effect|account|access|capabilit|admin|member|principal`)
)

func withheld(keys []string) bool {
	for _, k := range keys {
		if withheldBelow.MatchString(k) {
			return true
		}
	}
	last := keys[len(keys)-1]
	return variable(keys) || withheldAt.MatchString(last)
}

// variable reports whether a value is a key, though it is written as a value.
func variable(keys []string) bool {
	if len(keys) < 2 || keys[len(keys)-1] != "name" {
		return false
	}
	list := keys[len(keys)-2]
	return list == "env" || list == "parameters"
}

// text is a value below some keys.
func (n *standIns) text(s subject, keys []string, v string) string {
	last := keys[len(keys)-1]
	switch {
	case !n.in(v):
		return literal(v)
	case last == "serviceAccountName" || last == "serviceAccount":
		return n.account(v, cmp.Or(s.namespace, n.own.Namespace))
	case withheld(keys):
		return literal(v)
	case last == "args" || last == "command":
		return n.lines(v)
	case n.objects[v], v == n.own.Application, v == n.own.Cluster, v == n.own.Server:
		return n.step(v)
	}
	if s.sources() && (last == "path" || last == "valueFiles") {
		return n.file(v)
	}
	if m := url.FindStringSubmatch(v); m != nil && !images[m[1]] {
		return literal(m[1]) + n.host(m[2]) + literal(m[3])
	}
	if m := domain.FindStringSubmatch(v); m != nil {
		return n.host(m[1]) + literal(m[2])
	}
	return n.lines(v)
}

// A host stands in a URL, or with several labels and no path, as images have
// one. The last label is then the domain that tells it from other texts with dots.
var (
	url    = regexp.MustCompile(`^([a-z][a-z0-9+.-]*://)([A-Za-z0-9][A-Za-z0-9.-]*)((?::\d+)?(?:/\S*)?)$`)
	domain = regexp.MustCompile(`^([A-Za-z0-9*][A-Za-z0-9.-]*)(\.[A-Za-z0-9-]+(?::\d+)?)$`)
	images = map[string]bool{"oci://": true, "docker://": true}
)

// host puts names aside that are whole labels of a host.
func (n *standIns) host(text string) string {
	labels := strings.Split(text, ".")
	for i, label := range labels {
		labels[i] = n.step(label)
	}
	return strings.Join(labels, ".")
}

// file puts names aside that are whole folders of a path, or its file.
func (n *standIns) file(text string) string {
	steps := strings.Split(text, "/")
	for i, s := range steps {
		ending := path.Ext(s)
		if ending != ".yaml" && ending != ".yml" {
			ending = ""
		}
		steps[i] = n.step(strings.TrimSuffix(s, ending)) + ending
	}
	return strings.Join(steps, "/")
}

func (n *standIns) step(text string) string {
	if out, ok := n.whole(text); ok {
		return out
	}
	if n.objects[text] {
		return n.inName(text)
	}
	return literal(text)
}

// setting is a line that gives a value to a key, in most forms of settings, and
// as a flag.
var setting = regexp.MustCompile(`^(\s*-{0,2}\s*["']?([\w./-]+)["']?\s*[:=]\s*["']?)([^\s"',;]+)(["']?[,;]?\s*)$`)

// lines puts the cluster aside in lines that say which it is.
func (n *standIns) lines(text string) string {
	if n.own.Cluster == "" || !strings.Contains(text, n.own.Cluster) {
		return literal(text)
	}
	all := strings.SplitAfter(text, "\n")
	for i, line := range all {
		m := setting.FindStringSubmatch(line)
		all[i] = literal(line)
		if m == nil || m[3] != n.own.Cluster || !strings.Contains(strings.ToLower(m[2]), "cluster") || withheld([]string{m[2]}) {
			continue
		}
		if out, ok := n.whole(m[3]); ok {
			all[i] = literal(m[1]) + out + literal(m[4])
		}
	}
	return strings.Join(all, "")
}
