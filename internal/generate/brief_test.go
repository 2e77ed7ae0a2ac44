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
		// lacks has the subjects that lack a key; those with a capital are Applications.
		lacks map[string][]string
		want  string
	}{
		"Nothing": {reason: "all is resolved"},
		"One": {
			reason: "the key and who lacks it", lacks: map[string][]string{"metadata.labels.env": {"b", "a"}},
			want: "the template leaves parameters unresolved: {{metadata.labels.env}} for 2 clusters (a, b); add them to the cluster Secret or to the generator's values",
		},
		"Go": {
			reason: "as they are written", goMode: true, lacks: map[string][]string{"x": {"a"}, noValue: {"a"}},
			want: "the template leaves parameters unresolved: <no value> for 1 cluster (a), {{.x}} for 1 cluster (a); add them to the cluster Secret or to the generator's values, or set goTemplateOptions to missingkey=error",
		},
		"Both": {
			reason: "what no cluster is behind is named by itself", lacks: map[string][]string{"x": {"a", "B"}},
			want: "the template leaves parameters unresolved: {{x}} for 1 cluster (a) and 1 application (B); add them to the cluster Secret or to the generator's values",
		},
		"Many": {
			reason: "only so many of each are named", lacks: map[string][]string{"a": {"1", "2", "3", "4", "5"}, "b": {"1"}, "c": {"1"}, "d": {"1"}, "e": {"1"}, "f": {"1"}, "g": {"1"}},
			want: "the template leaves parameters unresolved: {{a}} for 5 clusters (1, 2, 3 and 2 more), {{b}} for 1 cluster (1), {{c}} for 1 cluster (1), {{d}} for 1 cluster (1), {{e}} for 1 cluster (1) and 2 more; add them to the cluster Secret or to the generator's values",
		},
		"Long": {
			reason: "and so much of their names", lacks: map[string][]string{long: {long}},
			want: "the template leaves parameters unresolved: {{" + long[:briefBytes] + "…}} for 1 cluster (" + long[:briefBytes] + "…); add them to the cluster Secret or to the generator's values",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLacks()
			l.goMode = c.goMode
			for key, subjects := range c.lacks {
				for _, s := range subjects {
					l.begin()
					l.miss(key)
					l.end(subject{name: s, cluster: strings.ToLower(s) == s})
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
	if got := l.brief(); len(got) > 8<<10 || !strings.Contains(got, "for at least ") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
