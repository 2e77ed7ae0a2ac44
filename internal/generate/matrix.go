package generate

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

type matrixKind struct{}

func (matrixKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.Matrix == nil {
		return nil
	}
	return &g.Matrix.Template
}

// params combines every set of the first child with every set of the second,
// which is rendered with the first.
func (matrixKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	children := g.Matrix.Generators
	if len(children) != 2 {
		return nil, errorf("cannot combine %d generators in a matrix, give it exactly two", len(children))
	}
	leave := r.enter(partOfMatrix(0))
	firsts, err := r.child(children[0], paramSet{})
	leave()
	if err != nil {
		return nil, errorf("first generator of the matrix: %w", err)
	}
	var out, seconds []paramSet
	once := r.sameForAll(children[1])
	for i, first := range firsts {
		if i == 0 || !once {
			r.dropped(seconds)
			seconds, err = r.second(children[1], first)
		} else {
			err = r.count(len(seconds))
		}
		if err != nil {
			return nil, errorf("second generator of the matrix: %w", err)
		}
		if out, err = r.combineAll(out, first, seconds); err != nil {
			return nil, errorf("cannot combine the generators of the matrix: %w", err)
		}
	}
	r.dropped(seconds)
	r.dropped(firsts)
	return out, nil
}

func (r *run) second(g v1alpha1.ApplicationSetNestedGenerator, first paramSet) ([]paramSet, error) {
	defer r.enter(partOfMatrix(1))()
	return r.child(g, first)
}

// combineAll adds one set of the first generator with each of the second.
func (r *run) combineAll(out []paramSet, first paramSet, seconds []paramSet) ([]paramSet, error) {
	for _, second := range seconds {
		r.compares(first.Params, second.Params)
		both, made, err := together(first, second, r.combine)
		if err != nil {
			return nil, err
		}
		if out, err = r.keepOf(out, both, made); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compares notes that two sets can be combined only where they agree, which in the fast
// mode decides about all keys that both have. A cluster always has a label: with one of
// its keys in both sets, another one may come to be.
func (r *run) compares(first, second Params) {
	if r.set.Spec.GoTemplate || r.lacks.any {
		return
	}
	r.lacks.any = hasMetadata(first) && hasMetadata(second) || first[flatKey] != nil && second[flatKey] != nil
}

// hasMetadata reports whether a set of the fast mode has keys such as a cluster has.
func hasMetadata(p Params) bool {
	for key := range p {
		if strings.HasPrefix(key, "metadata.") {
			return true
		}
	}
	return false
}

// sameForAll reports whether the second generator gives the same for each set of
// the first, because nothing in it is templated. Then a host is asked once,
// and not for each set. Template functions of the set that change a map could otherwise
// reach the sets of other Applications; for those of texts that become templates, see ownMaps.
func (r *run) sameForAll(g v1alpha1.ApplicationSetNestedGenerator) bool {
	text, err := json.Marshal(g)
	return err == nil && !bytes.Contains(text, []byte("{{")) && !r.changes()
}

// mapChanging are the functions of Go templates that change what they are given, in a
// text or in one that JSON quotes: there an escape may stand before the name.
var mapChanging = regexp.MustCompile(`(set|unset|mustMerge|merge|mergeOverwrite|mustMergeOverwrite)\b`)

// changesMaps reports whether the set itself names one of them.
func (r *run) changesMaps() bool {
	if !r.set.Spec.GoTemplate {
		return false
	}
	text, err := json.Marshal(r.set.Spec)
	return err != nil || mapChanging.Match(text)
}

// ownMaps has what is nested in a set shared with no other where a text may change it: in
// the second generator of a matrix, texts of the first become templates of their own,
// and whoever writes a file changes the parameters of that file alone.
func (r *run) ownMaps(text string, p Params) error {
	if !r.set.Spec.GoTemplate || !mapChanging.MatchString(text) {
		return nil
	}
	for k, v := range p {
		p[k] = copyJSON(v)
	}
	return r.held.take(frame(p))
}

// ownMapsOf is ownMaps for a generator that was rendered already, and is again.
func (r *run) ownMapsOf(g *v1alpha1.ApplicationSetGenerator, p Params) error {
	if r.copies == 0 || !r.set.Spec.GoTemplate {
		return nil
	}
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return r.ownMaps(string(text), p)
}

// combine joins two sets, and tells how many bytes that made. Nothing that a template may
// change is shared with the other combinations of the first: it would put there what is
// of another cluster.
func (r *run) combine(first, second Params) (both Params, made int, err error) {
	if !r.set.Spec.GoTemplate {
		both, err = combineTexts(first, second)
		return both, mapOf(len(both)), err
	}
	both, made, err = overwriteNested(second, first)
	if err != nil || !r.changes() {
		return both, made, err
	}
	for k, v := range both {
		both[k] = copyJSON(v)
	}
	return both, frame(both), nil
}
