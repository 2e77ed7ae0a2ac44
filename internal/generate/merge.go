package generate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

type mergeKind struct{}

func (mergeKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.Merge == nil {
		return nil
	}
	return &g.Merge.Template
}

// params lays the sets of later children over those of the first that agree
// with them in the merge keys; a set without such a partner is dropped.
func (mergeKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	if n := len(g.Merge.Generators); n < 2 {
		return nil, errorf("cannot merge %d generators, give it two or more", n)
	}
	if len(g.Merge.MergeKeys) == 0 {
		return nil, plain("cannot merge without mergeKeys, name at least one parameter")
	}
	for _, key := range g.Merge.MergeKeys {
		r.lacks.choose(key)
	}
	var base []paramSet
	var index map[string]int
	for i, child := range g.Merge.Generators {
		leave := r.enter(partOfMerge(i))
		sets, err := r.child(child, paramSet{})
		leave()
		if err != nil {
			return nil, errorf("generator %d of the merge: %w", i+1, err)
		}
		keyed, err := r.byMergeKey(sets, g.Merge.MergeKeys)
		if err != nil {
			return nil, errorf("generator %d of the merge: %w", i+1, err)
		}
		if i == 0 {
			base, index = sets, keyed
			continue
		}
		if err := r.lay(base, index, sets, keyed); err != nil {
			return nil, errorf("generator %d of the merge: %w", i+1, err)
		}
	}
	return base, nil
}

func (r *run) lay(base []paramSet, index map[string]int, over []paramSet, keyed map[string]int) error {
	for key, at := range keyed {
		i, ok := index[key]
		if !ok {
			continue
		}
		merged, made, err := together(base[i], over[at], r.overwrite)
		if err == nil {
			err = r.held.take(made)
		}
		if err != nil {
			return err
		}
		r.dropped(base[i : i+1])
		base[i] = merged
	}
	r.dropped(over)
	return nil
}

func (r *run) overwrite(base, over Params) (out Params, made int, err error) {
	if r.set.Spec.GoTemplate {
		return overwriteNested(base, over)
	}
	out = overwriteTexts(base, over)
	return out, mapOf(len(out)), nil
}

// perKey is what a key takes by which sets are found, beside its bytes.
const perKey = 64

// byMergeKey finds sets by the values of the merge keys, type and all. A key
// that a set lacks counts as null; dots in a key are not followed.
func (r *run) byMergeKey(sets []paramSet, keys []string) (map[string]int, error) {
	out := make(map[string]int, len(sets))
	var id []byte
	for i, p := range sets {
		id = id[:0]
		for _, k := range keys {
			var err error
			if id, err = appendValue(id, p.Params[k]); err != nil {
				return nil, errorf("cannot compare merge keys: %w", err)
			}
		}
		if first, twice := out[string(id)]; twice {
			p.of, _ = united(sets[first].of, p.of)
			return nil, errorf("two parameter sets have the merge keys %s, make them unique", keyed{p, keys})
		}
		if err := r.held.take(perKey + len(id)); err != nil {
			return nil, err
		}
		out[string(id)] = i
	}
	return out, nil
}

// appendValue adds a value to what tells sets apart: a text with its length,
// anything else as JSON.
func appendValue(id []byte, value any) ([]byte, error) {
	if text, ok := value.(string); ok {
		id = append(strconv.AppendInt(append(id, 't'), int64(len(text)), 10), ' ')
		return append(id, text...), nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return append(append(id, 'j'), text...), nil
}

// keysOf shows the values of the merge keys.
func keysOf(p Params, keys []string) string {
	values := make(map[string]any, len(keys))
	for _, k := range keys {
		values[k] = p[k]
	}
	text, err := json.Marshal(values)
	if err != nil {
		return strings.Join(keys, ", ") // cannot be: each value has been written before
	}
	return string(text)
}
