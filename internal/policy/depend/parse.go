package depend

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of what one annotation may say.
const (
	maxText = 16 << 10
	maxRefs = 64
)

// Parse reads the annotation: a YAML list of dependencies, or the short
// writing with commas or line breaks in between. Nothing gives nothing.
func Parse(text string) ([]Ref, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: it is longer than %d KiB", gitops.AnnotationDependsOn, maxText>>10)
	}
	read := short
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "-\n") {
		read = long
	}
	refs, err := read(text)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: %w", gitops.AnnotationDependsOn, err).
			Do("write a list such as Application/cert-manager, apps/Deployment/shop/web, Application[tier=platform]")
	}
	if len(refs) > maxRefs {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: it names %d dependencies, more than %d", gitops.AnnotationDependsOn, len(refs), maxRefs).
			Do("give them a label, and select them by it")
	}
	for i := range refs {
		if refs[i], err = refs[i].complete(); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

// written is a dependency in YAML.
type written struct {
	Cluster   string `yaml:"cluster"`
	Group     string `yaml:"group"`
	Kind      string `yaml:"kind"`
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
	Selector  string `yaml:"selector"`
	Timeout   string `yaml:"timeout"`
}

func long(text string) ([]Ref, error) {
	var list []written
	if strings.HasPrefix(text, "{") {
		text = "[" + text + "]"
	}
	if err := bounded.DecodeStrict([]byte(text), &list); err != nil {
		return nil, explained(err)
	}
	refs := make([]Ref, 0, len(list))
	for _, w := range list {
		r := Ref{Cluster: w.Cluster, Group: w.Group, Kind: w.Kind, Namespace: w.Namespace, Name: w.Name, Selector: w.Selector}
		if w.Timeout != "" {
			var err error
			if r.Timeout, err = gitops.ParseDuration("the timeout", w.Timeout); err != nil {
				return nil, gitops.Problemf(gitops.Invalid, "%w", err).Do("write a duration such as 10m")
			}
		}
		refs = append(refs, r)
	}
	return refs, nil
}

// fields are those of written.
var fields = []string{"cluster", "group", "kind", "namespace", "name", "selector", "timeout"}

var unknownField = regexp.MustCompile(`line (\d+): field (\S+) not found in type depend\.written`)

// explained says in words of the annotation what the decoder says of its own types.
func explained(err error) error {
	m := unknownField.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	return fmt.Errorf("line %s: a dependency has no field %q%s", m[1], m[2], gitops.DidYouMean(m[2], fields))
}

func short(text string) ([]Ref, error) {
	var refs []Ref
	for _, item := range items(text) {
		r, err := shortRef(item)
		if err != nil {
			return nil, err
		}
		refs = append(refs, r)
	}
	return refs, nil
}

// items splits at commas and line breaks, but not within a selector.
func items(text string) []string {
	var out []string
	depth, from := 0, 0
	add := func(to int) {
		if item := strings.TrimSpace(text[from:to]); item != "" {
			out = append(out, item)
		}
		from = to + 1
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case (c == ',' || c == '\n') && depth <= 0:
			add(i)
		}
	}
	if from <= len(text) {
		add(len(text))
	}
	return out
}

// shortRef reads [GROUP/]KIND[/NAMESPACE]/NAME, with * for all, and
// [GROUP/]KIND[/NAMESPACE][SELECTOR]. Kinds begin with a capital letter and
// groups do not, which tells the two apart.
func shortRef(item string) (Ref, error) {
	path, selector, selects := strings.Cut(item, "[")
	if selects {
		var closed bool
		if selector, closed = strings.CutSuffix(selector, "]"); !closed {
			return Ref{}, gitops.Problemf(gitops.Invalid, "the selector of %q has no end", item)
		}
	}
	r := Ref{Selector: strings.TrimSpace(selector)}
	parts := strings.Split(path, "/")
	if first := parts[0]; first != "" && !capital(first) {
		r.Group, parts = first, parts[1:]
	}
	if len(parts) == 0 || !capital(parts[0]) {
		return Ref{}, gitops.Problemf(gitops.Invalid, "%q names no kind", item).Do("write its kind before it, as in Application/" + item)
	}
	r.Kind, parts = parts[0], parts[1:]
	if !selects {
		if len(parts) == 0 || parts[len(parts)-1] == "" {
			return Ref{}, gitops.Problemf(gitops.Invalid, "%q names no object: write %s/NAME, or %s/* for all", item, r.Kind, r.Kind)
		}
		r.Name = parts[len(parts)-1]
		parts = parts[:len(parts)-1]
	}
	switch {
	case len(parts) > 1:
		return Ref{}, gitops.Problemf(gitops.Invalid, "%q has too many parts", item)
	case len(parts) == 1:
		r.Namespace = parts[0]
	}
	return r, nil
}

func capital(word string) bool { return word != "" && word[0] >= 'A' && word[0] <= 'Z' }
