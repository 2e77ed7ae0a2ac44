package view

import (
	"slices"
	"strings"
	"unique"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// objects are those of an Application: a line for each of kind, namespace and
// name, in lower case. Those that have the same ones share the text: what one
// set makes on hundreds of clusters is looked through once.
type objects = unique.Handle[string]

func objectsOf(all []v1alpha1.ResourceStatus) objects {
	lines := make([]string, 0, len(all))
	for i := range all {
		lines = append(lines, all[i].Kind+"\t"+all[i].Namespace+"\t"+all[i].Name)
	}
	return unique.Make(strings.ToLower(strings.Join(lines, "\n")))
}

// Object is one of an Application's objects as it was found: its parts are in
// small letters.
type Object struct {
	Row *Row

	kind, namespace, name string
}

// Is reports whether it is an object.
func (o *Object) Is(kind, namespace, name string) bool {
	return o.kind == strings.ToLower(kind) && o.namespace == strings.ToLower(namespace) && o.name == strings.ToLower(name)
}

// FindObjects returns the objects that fit best. Words occur in the kind, the
// namespace or the name of an object; kind/name is one, too. What its
// Application or cluster is called narrows it down.
func (s Seen) FindObjects(w Words, limit int) (found []Object, more bool) {
	best := BestOf[Object](limit)
	parts, known := partsOf(w), map[objects]*fitting{}
	for _, r := range s {
		if best.Settled() {
			break
		}
		fit, looked := known[r.objects]
		if !looked {
			fit = parts.fitting(r.objects)
			known[r.objects] = fit
		}
		if fit != nil {
			fit.add(r, parts, best)
		}
	}
	return best.Items()
}

// fitting is what of a text of objects fits.
type fitting struct {
	text string
	// has are the parts that occur somewhere.
	has []bool
	// lines are the objects that a part is of, the best first; read when they are needed.
	lines []line
	read  bool
}

// line is an object that some parts are of.
type line struct {
	object Object
	of     []bool
	rank   int
}

// fitting looks for the parts in a text; it is nil where none occurs.
func (p parts) fitting(of objects) *fitting {
	if of == (objects{}) {
		return nil // a row that nobody made of an Application
	}
	var out *fitting
	text := of.Value()
	if text == "" {
		return nil
	}
	for i := range p {
		if !strings.Contains(text, p[i].word) || !strings.Contains(text, p[i].before) {
			continue
		}
		if out == nil {
			out = &fitting{text: text, has: make([]bool, len(p))}
		}
		out.has[i] = true
	}
	return out
}

// add offers the objects of an Application: those that the parts are of, unless
// they are of its place.
func (f *fitting) add(r *Row, p parts, to *Best[Object]) {
	around := make([]bool, len(p), mostParts)
	for i := range p {
		if len(p) > 1 { // one alone has to be of the object
			around[i] = p[i].around(r)
		}
		if !f.has[i] && !around[i] {
			return
		}
	}
	if !f.read {
		f.lines, f.read = p.lines(f.text), true
	}
	for i := range f.lines {
		l := &f.lines[i]
		if !l.fits(around) {
			continue
		}
		if to.Beyond(l.rank) {
			return
		}
		o := l.object
		o.Row = r
		to.Add(l.rank, o)
	}
}

// mostParts is how many words there are, as a rule: more take memory of their own.
const mostParts = 8

// fits reports whether all parts are of an object, or of its place.
func (l *line) fits(around []bool) bool {
	for i := range around {
		if !l.of[i] && !around[i] {
			return false
		}
	}
	return true
}

// lines are the objects that a part is of, the best first.
func (p parts) lines(text string) []line {
	var out []line
	for one := range strings.SplitSeq(text, "\n") {
		o := objectOf(one)
		if rank, of := p.rank(&o); of != nil {
			out = append(out, line{o, of, rank})
		}
	}
	slices.SortStableFunc(out, func(a, b line) int { return a.rank - b.rank })
	return out
}

func objectOf(line string) Object {
	kind, rest, _ := strings.Cut(line, "\t")
	namespace, name, _ := strings.Cut(rest, "\t")
	return Object{nil, kind, namespace, name}
}

// parts are words, those of the form kind/name or namespace/name in two.
type parts []part

type part struct {
	words Words // the one
	// before is what stands before its slash.
	before, word string
}

func partsOf(w Words) parts {
	var out parts
	for _, word := range w.all {
		before, after, slash := strings.Cut(word, "/")
		if !slash {
			before, after = "", word
		}
		out = append(out, part{Words{after, []string{after}}, before, after})
	}
	return out
}

// around reports whether a word is of the place of an object.
func (p *part) around(r *Row) bool {
	return p.before == "" && (strings.Contains(r.Name, p.word) || strings.Contains(r.cluster, p.word))
}

// rank is how well an object fits, by the word that fits its name best, and
// which parts are of it; nil for none.
func (p parts) rank(o *Object) (best int, of []bool) {
	best = ranks
	for i := range p {
		if !p[i].of(o) {
			continue
		}
		if of == nil {
			of = make([]bool, len(p))
		}
		best, of[i] = min(best, p[i].words.rank(o.name)), true
	}
	return best, of
}

func (p *part) of(o *Object) bool {
	if p.before != "" {
		return strings.Contains(o.name, p.word) && (strings.Contains(o.kind, p.before) || strings.Contains(o.namespace, p.before))
	}
	return strings.Contains(o.name, p.word) || strings.Contains(o.kind, p.word) || strings.Contains(o.namespace, p.word)
}
