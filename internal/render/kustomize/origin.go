package kustomize

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/provenance"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/render/document"
)

const (
	originAnnotation         = "config.kubernetes.io/origin"
	transformationAnnotation = "alpha.config.kubernetes.io/transformations"
	managedByLabel           = "app.kubernetes.io/managed-by"
)

// origin is what the library would say of a file, had it read it itself.
type origin struct {
	path, repo, ref string
	// configuredIn is the file on the disk that lists the generator, kind
	// the generator.
	configuredIn, kind string
}

// originOfAddress is the origin of a file that is read by its address: the
// library takes it apart as a repository's where it can.
func originOfAddress(entry string) origin {
	a, ok := parseAddress(entry)
	if !ok {
		return origin{path: entry}
	}
	return origin{path: a.path, repo: a.repo, ref: a.ref}
}

// origin is that of a file on the disk.
func (d *disk) origin(full string) origin {
	if p := d.placed[full]; p != nil {
		return p.origin
	}
	m, name, ok := d.in(full)
	if !ok {
		return origin{}
	}
	if m.repo == "" {
		return origin{path: d.relative(full)}
	}
	return origin{path: name, repo: m.repo, ref: m.ref}
}

// full is a path that the library wrote into an origin, on the disk.
func (d *disk) full(name string) string {
	return path.Join(d.root(d.mounts[0]), d.source.Path, name)
}

// relative is a path on the disk as the library writes it into an origin.
func (d *disk) relative(full string) string {
	base := d.full(".")
	up := ""
	for base != "/" && full != base && !strings.HasPrefix(full, base+"/") {
		base, up = path.Dir(base), up+"../"
	}
	return path.Join(up, strings.TrimPrefix(strings.TrimPrefix(full, base), "/"))
}

// mark is something with a name in a file: a document, or any line with a
// name, which has no kind.
type mark struct {
	line       int
	kind, name string
}

var (
	kindOf   = regexp.MustCompile(`(?m)^(?:kind|[ \t{]*"kind")[ \t]*:[ \t]*["']?([^\s"',]+)`)
	nameOf   = regexp.MustCompile(`(?ms)^[ \t{]*"?metadata"?[ \t]*:.*?(?:\n[ \t]+|[{,][ \t]*)"?name"?[ \t]*:[ \t]*["']?([^\s"',}]+)`)
	nameLine = regexp.MustCompile(`(?:^|[\s{,])"?name"?:[ \t]*["']?([^\s"',}]+)`)
)

// line finds an object in a file by its kind and the name that it has now,
// of which its first one is a part: the library forgets that. It is 0 when
// nothing in the file fits.
func (d *disk) line(full, kind, name string) int {
	var best mark
	for _, m := range d.marksIn(full) {
		if m.kind == kind && strings.Contains(name, m.name) && len(m.name) > len(best.name) {
			best = m
		}
	}
	if best.line == 0 && kind != "" {
		return d.line(full, "", name)
	}
	return best.line
}

func (d *disk) marksIn(full string) []mark {
	if marks, ok := d.marks[full]; ok {
		return marks
	}
	text, err := d.read(full)
	if err != nil {
		return nil
	}
	d.marks[full] = marksOf(text, d.unmarked)
	d.unmarked -= len(d.marks[full])
	return d.marks[full]
}

// mostMarks are those of all files of a build, and mostCandidates what is made of
// them: what lies further down is not found, and is told without its line.
const (
	mostMarks      = 50_000
	mostCandidates = 2 * mostMarks
)

// marksOf finds documents, and the lines with names in those that are lists: so many
// at most.
func marksOf(text []byte, most int) []mark {
	var marks []mark
	for _, p := range document.Split(text) {
		if len(marks) >= most {
			return marks
		}
		m := mark{line: p.Line, kind: group(kindOf, p.Text), name: group(nameOf, p.Text)}
		if m.kind != "" && m.name != "" && !strings.HasSuffix(m.kind, "List") {
			marks = append(marks, m)
			continue
		}
		line := p.Line
		for l := range bytes.Lines(p.Text) {
			if len(marks) >= most {
				return marks
			}
			if name := group(nameLine, l); name != "" {
				marks = append(marks, mark{line: line, name: name})
			}
			line++
		}
	}
	return marks
}

func group(pattern *regexp.Regexp, text []byte) string {
	m := pattern.FindSubmatch(text)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// tidy puts what the library would say into the marks that the user asked for.
func (d *disk) tidy(o *unstructured.Unstructured) error {
	annotations := o.GetAnnotations()
	for _, key := range []string{originAnnotation, transformationAnnotation} {
		if err := d.translate(o, annotations, key, annotations[key]); err != nil {
			return err
		}
	}
	// The library is built in, so it does not know its own release.
	if labels := o.GetLabels(); labels[managedByLabel] == "kustomize-"+librarySemver() {
		labels[managedByLabel] = "kustomize-" + bundled
		o.SetLabels(labels)
	}
	return nil
}

func librarySemver() string {
	p := provenance.GetProvenance()
	return p.Semver()
}

// longestMark is more than an API server takes of all annotations of an object.
const longestMark = 256 << 10

// translate replaces the disk's paths in an annotation. One that the library did not
// write stays as it is: it writes no aliases.
func (d *disk) translate(o *unstructured.Unstructured, annotations map[string]string, key, text string) error {
	if text == "" || len(text) > longestMark || bounded.Repeats([]byte(text)) {
		return nil
	}
	now, changed := d.translated(key, text)
	if !changed {
		return nil
	}
	annotations[key] = now
	o.SetAnnotations(annotations)
	return d.source.Output.Take(max(0, len(now)-len(text)))
}

// translated is the text of an annotation with the paths that users know, if it had
// others and can be written again.
func (d *disk) translated(key, text string) (now string, changed bool) {
	if key == originAnnotation {
		var one resource.Origin
		if bounded.Decode([]byte(text), &one) != nil || !d.translateOrigin(&one) {
			return "", false
		}
		now, err := one.String()
		return now, err == nil
	}
	var several resource.Transformations
	if bounded.Decode([]byte(text), &several) != nil {
		return "", false
	}
	for _, t := range several {
		changed = d.translateOrigin(t) || changed
	}
	if !changed {
		return "", false
	}
	now, err := several.String()
	return now, err == nil
}

func (d *disk) translateOrigin(o *resource.Origin) bool {
	if o == nil {
		return false
	}
	field := &o.Path
	if *field == "" {
		field = &o.ConfiguredIn
	}
	full := d.full(*field)
	m, _, ok := d.in(full)
	if d.placed[full] == nil && ok && m.repo == "" {
		return false
	}
	now := d.origin(full)
	if now.configuredIn != "" {
		in := d.origin(now.configuredIn)
		o.Path, o.ConfiguredIn, o.Repo, o.Ref = "", in.path, in.repo, in.ref
		o.ConfiguredBy.APIVersion, o.ConfiguredBy.Kind = "builtin", now.kind
		return true
	}
	*field, o.Repo, o.Ref = now.path, now.repo, now.ref
	return true
}
