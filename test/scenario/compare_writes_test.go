package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// entry is a create or delete in the words of the recording, such as
// "delete Deployment shop/web [propagation Background]".
type entry struct {
	text  string
	group int
	write write
}

// compareWrites holds creates and deletes to the recorded ones, and their
// order to that of the recorded groups.
func (p *player) compareWrites(recorded [][]string, writes []write) string {
	var want, got []entry
	for i, group := range recorded {
		for _, text := range group {
			if strings.HasPrefix(text, "create ") || strings.HasPrefix(text, "delete ") {
				want = append(want, entry{text: text, group: i})
			}
		}
	}
	for _, w := range writes {
		got = append(got, entry{text: p.words(w), write: w})
	}
	got = once(got)
	if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
		return diff
	}
	return order(want, got)
}

// once leaves out repeated deletions.
func once(entries []entry) []entry {
	last := map[string]string{}
	var out []entry
	for _, e := range entries {
		at := e.write.resource + " " + e.write.namespace + "/" + e.write.name
		if e.write.verb == "delete" && last[at] == "delete" {
			continue
		}
		last[at] = e.write.verb
		out = append(out, e)
	}
	return out
}

func texts(entries []entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.text)
	}
	slices.Sort(out)
	return out
}

// order tells which write began before one ended that has to come first.
func order(want, got []entry) string {
	matched := make([]entry, 0, len(want))
	taken := map[string]int{}
	for _, w := range want {
		skip := taken[w.text]
		for _, g := range got {
			if g.text != w.text {
				continue
			}
			if skip--; skip < 0 {
				matched = append(matched, entry{text: w.text, group: w.group, write: g.write})
				break
			}
		}
		taken[w.text]++
	}
	for i, a := range matched {
		for _, b := range matched[i+1:] {
			if a.group < b.group && b.write.began.Before(a.write.ended) {
				return fmt.Sprintf("%q before %q ended", b.text, a.text)
			}
		}
	}
	return ""
}

func (p *player) words(w write) string {
	at := p.maskedName(w.name)
	if w.namespace != "" {
		at = w.namespace + "/" + at
	}
	text := w.verb + " " + p.kindOf(w.group, w.resource) + " " + at
	if w.propagation != "" {
		text += " [propagation " + w.propagation + "]"
	}
	return text
}

// kindOf is the kind of a plural.
func (p *player) kindOf(group, resource string) string {
	kind, err := p.RESTMapper().KindFor(schema.GroupVersionResource{Group: group, Resource: resource})
	if err != nil {
		return resource
	}
	return kind.Kind
}
