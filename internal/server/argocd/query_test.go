package argocd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// asking is a request with a query, and with the pod of a path.
func asking(t *testing.T, text, pod string) *call {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?"+text, nil)
	r.SetPathValue("pod", pod)
	values, err := queryOf(r)
	if err != nil {
		t.Fatal(err)
	}
	return &call{Request: r, query: values}
}

// saying is what an answer says of an error; empty for none.
func saying(err error) string {
	if err == nil {
		return ""
	}
	return problemOf(err).text
}

func TestWhichLogsAreAskedFor(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, query, pod string
		want               api.LogQuery
		says               string
	}{
		"Least":      {"a pod, and as many lines as there are as a rule", "podName=web-0&namespace=shop", "", api.LogQuery{Pod: "web-0", Namespace: "shop", Tail: defaultTail}, ""},
		"All":        {"all that may be said; the pod of the path counts", "podName=other&namespace=shop&container=c&follow=true&previous=1&tailLines=5", "web-0", api.LogQuery{Pod: "web-0", Namespace: "shop", Container: "c", Follow: true, Previous: true, Tail: 5}, ""},
		"Many lines": {"no more lines than are handed out", "podName=a&namespace=b&tailLines=9999999999", "", api.LogQuery{Pod: "a", Namespace: "b", Tail: maxTail}, ""},
		"No pod":     {"logs are of a pod", "namespace=shop", "", api.LogQuery{}, "the query needs podName and namespace"},
		"Nowhere":    {"in a namespace", "", "web-0", api.LogQuery{}, "the query needs podName and namespace"},
		"Perhaps":    {"what is neither is said", "podName=a&namespace=b&follow=perhaps", "", api.LogQuery{}, "follow is neither true nor false"},
		"Negative":   {"there are no fewer lines than none", "podName=a&namespace=b&tailLines=-1", "", api.LogQuery{}, "tailLines is no number from 0"},
		"Huge":       {"nor more than can be counted", "podName=a&namespace=b&sinceSeconds=99999999999999999999", "", api.LogQuery{}, "sinceSeconds is no number from 0"},
		"Long":       {"names are no books", "podName=a&namespace=b&container=" + strings.Repeat("c", maxText+1), "", api.LogQuery{}, "container has more than 1024 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := asking(t, tc.query, tc.pod).logQuery()
			if says := saying(err); says != tc.says {
				t.Errorf("%s: it says %q, want %q", tc.reason, says, tc.says)
			}
			if diff := cmp.Diff(tc.want, got); err == nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Lines are picked by their text, or by that they do not have it, and by their time, as far as
// they have one.
func TestWhichLinesAreWanted(t *testing.T) {
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	line := func(text string, after time.Duration) *entry {
		e := &entry{Content: text}
		e.Time.Time = since.Add(after)
		return e
	}
	for name, tc := range map[string]struct {
		reason string
		pick   pick
		line   *entry
		want   bool
	}{
		"All":         {"nothing is asked for", pick{}, line("a", 0), true},
		"Text":        {"it has the text", pick{text: "rr"}, line("error", 0), true},
		"Letters":     {"in these letters", pick{text: "RR"}, line("error", 0), false},
		"Not":         {"it does not have it", pick{text: "rr", not: true}, line("error", 0), false},
		"Not nothing": {"that nothing is in it is true of none", pick{not: true}, line("a", 0), true},
		"Later":       {"it is of then, or later", pick{since: since}, line("a", 0), true},
		"Earlier":     {"it is earlier", pick{since: since}, line("a", -time.Nanosecond), false},
		"Timeless":    {"nobody knows when it was", pick{since: since}, &entry{Content: "a"}, true},
	} {
		if got := tc.pick.wants(tc.line); got != tc.want {
			t.Errorf("%s: %s: it is wanted: %t", name, tc.reason, got)
		}
	}
	if _, p, err := asking(t, "podName=a&namespace=b&sinceSeconds=9223372036854775807&filter=!x", "").logQuery(); err != nil || p.since.IsZero() || p.since.After(time.Now()) || p.text != "x" || !p.not {
		t.Errorf("as far back as can be asked: %+v, %v", p, err)
	}
}

// Revisions are put to their sources by numbers from 1, each to one that there is.
func TestRevisionsOfSources(t *testing.T) {
	one, two := v1alpha1.ApplicationSources{{RepoURL: "a"}}, v1alpha1.ApplicationSources{{RepoURL: "a"}, {RepoURL: "b"}}
	for name, tc := range map[string]struct {
		reason    string
		sources   v1alpha1.ApplicationSources
		revision  string
		several   []string
		positions []int64
		want      []string
		says      string
	}{
		"None":      {"the spec's", two, "", nil, nil, nil, ""},
		"First":     {"one alone is of the first", two, "v1", nil, []int64{2}, []string{"v1", ""}, ""},
		"Several":   {"each to its own", two, "v1", []string{"b", "a"}, []int64{2, 1}, []string{"a", "b"}, ""},
		"Some":      {"the others stay as they are", two, "", []string{"b"}, []int64{2}, []string{"", "b"}, ""},
		"Unplaced":  {"whose it is has to be said", two, "", []string{"a", "b"}, []int64{1}, nil, "there are 2 revisions and 1 sourcePositions; each revision needs the number of its source, from 1"},
		"From zero": {"numbers begin with 1", one, "", []string{"a"}, []int64{0}, nil, "source 0 does not exist: the application has 1"},
		"Beyond":    {"and end with the last", one, "", []string{"a"}, []int64{2}, nil, "source 2 does not exist: the application has 1"},
		"Sourceless": {
			"without a source it is of none", nil, "v1", nil, nil, []string{}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Sources: tc.sources}}
			got, err := placed(app, tc.revision, tc.several, tc.positions)
			if diff := cmp.Diff(tc.want, got); diff != "" || saying(err) != tc.says {
				t.Errorf("%s: it says %q (-want +got):\n%s", tc.reason, saying(err), diff)
			}
		})
	}
}

// Repositories are found by their addresses as people write them.
func TestRepositoriesByAddress(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"https://git.example.com/r", "https://git.example.com/r.git/", true}, {"https://git.example.com/r", "HTTPS://Git.Example.com/R", true},
		{"https://git.example.com/r", "https://git.example.com/r2", false}, {"https://git.example.com/r", "git@git.example.com:r", false}, {"", "/", true},
	} {
		if sameRepo(tc.a, tc.b) != tc.same || sameRepo(tc.b, tc.a) != tc.same {
			t.Errorf("%s and %s are the same: %t", tc.a, tc.b, !tc.same)
		}
	}
}

// What becomes of objects is said in words that Argo CD has; any others are not guessed at.
func TestDeletionsInArgoCDsWords(t *testing.T) {
	for text, want := range map[string]gitops.Propagation{
		"": gitops.DeleteForeground, "cascade=true": gitops.DeleteForeground, "propagationPolicy=background": gitops.DeleteBackground,
		"cascade=false": gitops.DeleteOrphan, "cascade=false&propagationPolicy=foreground": gitops.DeleteOrphan,
		"propagationPolicy=orphan": "", "propagationPolicy=Background": "", "cascade=no": "",
	} {
		if got, err := asking(t, text, "").deletion(); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// A query that cannot be read is refused before anything of it is believed.
func TestQueriesThatCannotBeRead(t *testing.T) {
	for text, says := range map[string]string{"a=%zz": "the query cannot be read", "a;b": "the query cannot be read", strings.Repeat("a", maxQuery+1): fmt.Sprintf("the query has more than %d bytes", maxQuery)} {
		if _, err := queryOf(&http.Request{URL: &url.URL{RawQuery: text}}); saying(err) != says {
			t.Errorf("%.20q: it says %q, want %q", text, saying(err), says)
		}
	}
}
