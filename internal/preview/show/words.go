package show

import (
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// signs stand for changes, so that colour is never the only sign.
var signs = map[forecast.Change]string{forecast.Added: "+", forecast.Changed: "~", forecast.Removed: "-"}

// verdict is the whole preview in one line.
func verdict(f *forecast.Forecast) string {
	s := f.Summary
	touched := s.Added + s.Changed + s.Removed
	if touched == 0 {
		parts := []string{"Nothing changes"}
		if s.Unknown > 0 || len(f.Missing) > 0 || newOnes(f.Failures) > 0 {
			parts[0] = "Nothing is known to change"
		}
		if f.Head.Applications > 0 {
			parts[0] += fmt.Sprintf(": %s on %s", gitops.Count(f.Head.Applications, "application"), gitops.Count(len(f.Clusters), "cluster"))
		}
		return strings.Join(append(parts, concerns(f)...), "; ")
	}
	total := touched + s.Unchanged + s.Unknown
	parts := []string{fmt.Sprintf("%d of %s change (%s)", touched, gitops.Count(total, "application"),
		strings.Join(nonzero([]tally{{s.Added, "added"}, {s.Changed, "changed"}, {s.Removed, "removed"}}), ", "))}
	if o := s.Objects; o.Added+o.Changed+o.Removed > 0 {
		parts = append(parts, "objects "+counts(o.Added, o.Changed, o.Removed))
	}
	return strings.Join(append(parts, concerns(f)...), "; ")
}

// concerns are what a person should look at.
func concerns(f *forecast.Forecast) []string {
	risks := 0
	for _, g := range f.Groups {
		risks += len(g.Risks)
	}
	var out []string
	if risks > 0 {
		out = append(out, gitops.Count(risks, "risk"))
	}
	if f.Summary.Unknown > 0 {
		out = append(out, fmt.Sprintf("%d cannot be determined", f.Summary.Unknown))
	}
	if n := newOnes(f.Failures); n > 0 {
		out = append(out, gitops.Count(n, "new failure"))
	}
	if n := newOnes(f.Warnings); n > 0 {
		out = append(out, gitops.Count(n, "new warning"))
	}
	if len(f.Missing) > 0 {
		out = append(out, gitops.Count(len(f.Missing), "source")+" cannot be read")
	}
	return out
}

func newOnes(all []forecast.Finding) int {
	n := 0
	for _, f := range all {
		if f.New {
			n++
		}
	}
	return n
}

type tally struct {
	n    int
	word string
}

func nonzero(all []tally) []string {
	var out []string
	for _, t := range all {
		if t.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", t.n, t.word))
		}
	}
	return out
}

// counts is "+1 ~2 -3", without what is none.
func counts(added, changed, removed int) string {
	var out []string
	for _, t := range []tally{{added, "+"}, {changed, "~"}, {removed, "-"}} {
		if t.n > 0 {
			out = append(out, fmt.Sprintf("%s%d", t.word, t.n))
		}
	}
	return strings.Join(out, " ")
}

func objectCounts(g forecast.Group) string {
	n := map[forecast.Change]int{}
	for _, o := range g.Objects {
		n[o.Change]++
	}
	return counts(n[forecast.Added], n[forecast.Changed], n[forecast.Removed])
}

// sides names both states: "main (1a2b3c4) → feature (5d6e7f8)".
func sides(f *forecast.Forecast) string { return side(f.Base) + " → " + side(f.Head) }

func side(s forecast.Side) string {
	commit := s.Commit[:min(len(s.Commit), 7)]
	switch {
	case commit == "", strings.HasPrefix(s.Revision, commit):
		return s.Revision
	case s.Revision == "":
		return commit
	}
	return s.Revision + " (" + commit + ")"
}

// imageChange is "web 1.0 → 1.1": the repository once where it stays.
func imageChange(i forecast.Image) string {
	oldRepo, old := splitImage(i.Old)
	newRepo, head := splitImage(i.New)
	switch {
	case i.Old == "":
		return "+" + i.New
	case i.New == "":
		return "-" + i.Old
	case oldRepo == newRepo:
		return oldRepo + " " + old + " → " + head
	}
	return i.Old + " → " + i.New
}

// splitImage parts an image into its repository and its tag or digest.
func splitImage(image string) (repository, version string) {
	if repository, digest, ok := strings.Cut(image, "@"); ok {
		name, tag := splitImage(repository)
		if tag != "latest" {
			return name, tag + "@" + digest[:min(len(digest), 19)]
		}
		return name, digest[:min(len(digest), 19)]
	}
	slash := strings.LastIndexByte(image, '/')
	if colon := strings.LastIndexByte(image, ':'); colon > slash {
		return image[:colon], image[colon+1:]
	}
	return image, "latest"
}

// brief is an image change for a narrow column.
func brief(i forecast.Image) string {
	text := imageChange(i)
	name, rest, _ := strings.Cut(text, " ")
	sign := ""
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		sign = name[:1]
	}
	name = sign + name[strings.LastIndexByte(name, '/')+1:]
	name = strings.Replace(name, sign+sign, sign, 1)
	return strings.TrimSpace(name + " " + rest)
}

func images(g forecast.Group) string {
	if len(g.Images) == 0 {
		return ""
	}
	return brief(g.Images[0]) + gitops.AndMore(len(g.Images)-1)
}

func cause(g forecast.Group) string {
	if len(g.Causes) == 0 {
		return ""
	}
	return g.Causes[0].What + gitops.AndMore(len(g.Causes)-1)
}

// place is file:line, if it is known.
func place(file string, line int) string {
	if line == 0 || file == "" {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// objectName is "Deployment shop/web".
func objectName(o forecast.Object) string {
	return gitops.ObjectName(o.Kind, o.Namespace, o.Name)
}

// sorted puts new findings first, and leaves their order otherwise.
func sorted(all []forecast.Finding) []forecast.Finding {
	var fresh, old []forecast.Finding
	for _, f := range all {
		if f.New {
			fresh = append(fresh, f)
			continue
		}
		old = append(old, f)
	}
	return append(fresh, old...)
}

// where says what a finding is about.
func where(f forecast.Finding) string {
	parts := []string{}
	if f.Subject != "" {
		parts = append(parts, f.Subject)
	}
	if p := place(f.File, f.Line); p != "" {
		parts = append(parts, p)
	}
	switch n := len(f.Clusters); {
	case n == 0:
	case n <= 3:
		parts = append(parts, "on "+strings.Join(f.Clusters, ", "))
	default:
		parts = append(parts, "on "+gitops.Listed(f.Clusters, 2)+" clusters")
	}
	return strings.Join(parts, ", ")
}

// missingName is a source in one word or two.
func missingName(m forecast.Missing) string {
	out := m.RepoURL
	if m.Chart != "" {
		out += " " + m.Chart
	}
	if m.Revision != "" {
		out += " at " + m.Revision
	}
	return out
}
