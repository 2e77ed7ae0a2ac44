package depend

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/sets"
)

// selector is read once, and held against many objects. That of the library goes
// through all values of a requirement each time: one of 16 KiB has thousands.
type selector struct {
	sets   []set
	others []labels.Requirement
}

// set is a requirement of a label to have one of some values, or none of them.
type set struct {
	key    string
	values sets.Set[string]
	not    bool
}

func readSelector(text string) (*selector, error) {
	requirements, err := labels.ParseToRequirements(text)
	if err != nil {
		return nil, err
	}
	out := &selector{}
	for _, r := range requirements {
		switch r.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			out.sets = append(out.sets, set{key: r.Key(), values: sets.New(r.ValuesUnsorted()...)})
		case selection.NotIn, selection.NotEquals:
			out.sets = append(out.sets, set{key: r.Key(), values: sets.New(r.ValuesUnsorted()...), not: true})
		case selection.Exists, selection.DoesNotExist, selection.GreaterThan, selection.LessThan:
			out.others = append(out.others, r)
		}
	}
	return out, nil
}

func (s *selector) matches(of map[string]string) bool {
	for i := range s.sets {
		value, has := of[s.sets[i].key]
		if in := has && s.sets[i].values.Has(value); in == s.sets[i].not {
			return false
		}
	}
	for i := range s.others {
		if !s.others[i].Matches(labels.Set(of)) {
			return false
		}
	}
	return true
}
