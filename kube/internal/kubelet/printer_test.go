package kubelet

import (
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

func TestPrinter(t *testing.T) {
	lines := []line{{noon, "one"}, {noon.Add(time.Second), "two"}, {noon.Add(2 * time.Second), "three"}}
	tests := map[string]struct {
		reason string
		query  string
		want   string
	}{
		"All":        {reason: "no option leaves anything out", want: "one\ntwo\nthree\n"},
		"Tail":       {reason: "the last ones", query: "tailLines=2", want: "two\nthree\n"},
		"TailNone":   {reason: "only what comes later", query: "tailLines=0", want: ""},
		"TailMore":   {reason: "there are no more", query: "tailLines=9", want: "one\ntwo\nthree\n"},
		"SinceTime":  {reason: "that second is included", query: "sinceTime=2001-01-02T12:00:01Z", want: "two\nthree\n"},
		"Since":      {reason: "all of it is long ago", query: "sinceSeconds=1", want: ""},
		"Timestamps": {reason: "a machine reads them", query: "timestamps=true&tailLines=1", want: "2001-01-02T12:00:02Z three\n"},
		"Limit":      {reason: "bytes, not lines", query: "limitBytes=6", want: "one\ntw"},
		"Stdout":     {reason: "everything is standard output", query: "stream=Stdout&tailLines=1", want: "three\n"},
		"Stderr":     {reason: "nothing is standard error", query: "stream=Stderr", want: ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			query, err := url.ParseQuery(tc.query)
			if err != nil {
				t.Fatal(err)
			}
			options, err := decode(query)
			if err != nil {
				t.Fatal(err)
			}
			out := httptest.NewRecorder()
			newPrinter(out, options).tail(lines, options.TailLines)
			if got := out.Body.String(); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestDecodeBad(t *testing.T) {
	if _, err := decode(url.Values{"tailLines": {"many"}}); err == nil {
		t.Error("a number that is none is taken")
	}
}
