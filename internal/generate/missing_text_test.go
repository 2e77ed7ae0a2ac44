package generate

import (
	"fmt"
	"strings"
	"testing"
)

func TestBrief(t *testing.T) {
	long := strings.Repeat("k", 3*briefBytes)
	for name, c := range map[string]struct {
		reason string
		goMode bool
		// lacks has the clusters that lack a key.
		lacks map[string][]string
		want  string
	}{
		"Nothing": {reason: "all is resolved"},
		"One": {
			reason: "the key, and not who lacks it", lacks: map[string][]string{"metadata.labels.env": {"b", "a"}},
			want: "the template leaves parameters unresolved: {{metadata.labels.env}}; add them to the cluster Secret or to the generator's values",
		},
		"Go": {
			reason: "as they are written", goMode: true, lacks: map[string][]string{"x": {"a"}, noValue: {"a"}},
			want: "the template leaves parameters unresolved: <no value>, {{.x}}; add them to the cluster Secret or to the generator's values, or set goTemplateOptions to missingkey=error",
		},
		"Many": {
			reason: "only so many are named", lacks: map[string][]string{"a": {"1", "2", "3", "4", "5"}, "b": {"1"}, "c": {"1"}, "d": {"1"}, "e": {"1"}, "f": {"1"}, "g": {"1"}},
			want: "the template leaves parameters unresolved: {{a}}, {{b}}, {{c}}, {{d}}, {{e}} and 2 more; add them to the cluster Secret or to the generator's values",
		},
		"Long": {
			reason: "and so much of each", lacks: map[string][]string{long: {long}},
			want: "the template leaves parameters unresolved: {{" + long[:briefBytes] + "…}}; add them to the cluster Secret or to the generator's values",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLacks()
			l.goMode = c.goMode
			for key, subjects := range c.lacks {
				for _, s := range subjects {
					l.begin()
					l.miss(key)
					l.end(subject{name: s, cluster: true})
				}
			}
			if got := l.brief(); got != c.want {
				t.Errorf("%s: got\n%s\nwant\n%s", c.reason, got, c.want)
			}
		})
	}
}

// TestBriefIsBounded: it goes into the status of a set, which is one object.
func TestBriefIsBounded(t *testing.T) {
	l := newLacks()
	for i := range mostLacks + 1 {
		l.begin()
		l.miss(fmt.Sprint(i%10, strings.Repeat("k", longest)))
		l.end(subject{name: fmt.Sprint(i, strings.Repeat("n", 253)), cluster: i%3 != 0})
	}
	if got := l.brief(); len(got) > 1<<10 || !strings.HasSuffix(got, "values") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
