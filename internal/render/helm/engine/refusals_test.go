package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
)

// begun is a state that a render with limits has begun with.
func begun(t *testing.T, l Limits) *state {
	t.Helper()
	s := newState(nil)
	s.begin(t.Context(), l.withDefaults())
	return s
}

// TestWhatIsCountedTogether: many small things are one large thing, and the next render has all of it again.
func TestWhatIsCountedTogether(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		limits Limits
		use    func(*state) error
		times  int // that are allowed
		says   string
	}{
		"Steps":    {"steps, at the next look", Limits{Steps: 10 * glance}, func(s *state) error { return s.step(glance) }, 10, "more than 640 steps"},
		"Work":     {"bytes that are looked at, of which each look is a step itself", Limits{Steps: 10 * glance}, func(s *state) error { return s.work(glance*256 - 1) }, 10, "more than 640 steps"},
		"Produced": {"texts that functions give", Limits{Produced: 4 << 20}, func(s *state) error { return s.produce(1 << 20) }, 4, "more than 4 MiB of text and lists"},
		"Kept":     {"what decoders keep", Limits{Produced: 4 << 20}, func(s *state) error { return s.keep(2 << 20) }, 2, "more than 4 MiB of text and lists"},
		"Keys":     {"keys", Limits{Keys: 3}, func(s *state) error { return s.key() }, 3, "more than 3 keys, certificates or password hashes"},
		"Held":     {"texts of tpl inside one another", Limits{}, func(s *state) error { return s.hold(maxHeld / 2) }, 2, "take more than 64 MiB as templates"},
		"Items":    {"lists that are copied, a long one in full", Limits{Produced: 32 * (longList + 1)}, func(s *state) error { return s.items(longList + 1) }, 2, "of text and lists"},
		"Short":    {"and a short one in part, as most are not kept", Limits{Produced: 32 * longList}, func(s *state) error { return s.items(longList) }, 8, "of text and lists"},
	} {
		t.Run(name, func(t *testing.T) {
			s := begun(t, tc.limits)
			for turn := range 2 {
				for i := range tc.times {
					if err := tc.use(s); err != nil {
						t.Fatalf("%s: render %d, use %d: %v", tc.reason, turn, i, err)
					}
				}
				var limit *limitError
				if err := tc.use(s); !errors.As(err, &limit) || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: it says %v", tc.reason, err)
				}
				s.end()
				s.begin(t.Context(), tc.limits.withDefaults())
			}
		})
	}
}

// TestSizesThatAreNone: a size that overflowed is refused like one that is too large.
func TestSizesThatAreNone(t *testing.T) {
	s := begun(t, Limits{Text: 100})
	for size, fits := range map[int64]bool{0: true, 100: true, 101: false, -1: false, times(1<<40, 1<<40): false} {
		if err := s.fits(size); (err == nil) != fits {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestWhoWaitsComesFirst: where the time is over a template is told of that, and of no limit.
func TestWhoWaitsComesFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newState(nil)
	s.begin(ctx, Limits{Steps: 1}.withDefaults())
	cancel()
	if err := s.step(1000); !errors.Is(err, context.Canceled) {
		t.Errorf("a render that is over: %v", err)
	}
	if got := s.brief(errors.New(strings.Repeat("x", longestError+1))); !errors.Is(got, context.Canceled) {
		t.Errorf("a long error of it: %.100v", got)
	}
	s = begun(t, Limits{})
	short, limit := errors.New("short"), &limitError{strings.Repeat("y", longestError+1)}
	if got := s.brief(short); !errors.Is(got, short) {
		t.Errorf("a short error: %v", got)
	}
	if got := s.brief(fmt.Errorf("around it: %w", limit)); got != error(limit) { //nolint:errorlint // without what is around it
		t.Errorf("a limit stays one: %.100v", got)
	}
	if got := s.brief(errors.New(strings.Repeat("x", 2*longestError))).Error(); len(got) != longestError+len("…") {
		t.Errorf("a long error has %d bytes", len(got))
	}
}

// TestBuffersComeBack empty, few, and no large ones: a render of one large file holds no memory for all that follow.
func TestBuffersComeBack(t *testing.T) {
	s := begun(t, Limits{})
	s.release(make([]byte, maxBuffer+1))
	if len(s.buffers) != 0 {
		t.Error("a large buffer is kept")
	}
	for range maxBuffers + 4 {
		s.release([]byte("what was written before"))
	}
	if len(s.buffers) != maxBuffers {
		t.Errorf("%d buffers are kept", len(s.buffers))
	}
	for range maxBuffers + 1 {
		if b := s.buffer(); len(b) != 0 || cap(b) == 0 {
			t.Errorf("a buffer has %q", b)
		}
	}
}

// TestMarkersAreNobodyElses: a text that looks like one is text, and what a marker says comes back within its bounds.
func TestMarkersAreNobodyElses(t *testing.T) {
	m := marker(enterMark, 1<<20, 70_000, "web/templates/\u00e9.yaml", 0).Text
	if !isMarker(m) || weightOf(m) != 1<<16-1 || lineOf(m) != 70_000 || nameOf(m) != "web/templates/\u00e9.yaml" {
		t.Errorf("%d, %d, %q", weightOf(m), lineOf(m), nameOf(m))
	}
	if line := lineOf(marker(textMark, 0, -1, "", 0).Text); line != 0 {
		t.Errorf("a line that is none is %d", line)
	}
	forged := append([]byte{}, m...)
	forged[1]++
	for reason, text := range map[string][]byte{"another secret": forged, "a part": m[:atName-1], "nothing": nil, "zeros": make([]byte, 100)} {
		if isMarker(text) {
			t.Errorf("%s is taken for a marker", reason)
		}
	}
}

// TestMissingValuesLeaveNoTrace, and what stands behind them is found in its line all the same.
func TestMissingValuesLeaveNoTrace(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		records      []record
		want         string
		moved        []record
	}{
		"None":   {"nothing is missing", "a\nb", []record{{0, 1, true}, {2, 5, false}}, "a\nb", []record{{0, 1, true}, {2, 5, false}}},
		"First":  {"at the beginning", noValue + "\na", []record{{0, 1, false}, {len(noValue), 1, true}}, "\na", []record{{0, 1, false}, {0, 1, true}}},
		"Twice":  {"two of them, one behind the other", "a" + noValue + noValue + "b", []record{{0, 1, true}, {1, 2, false}, {1 + len(noValue), 3, false}, {1 + 2*len(noValue), 4, true}}, "ab", []record{{0, 1, true}, {1, 2, false}, {1, 3, false}, {1, 4, true}}},
		"Inside": {"what begins inside of one begins where it was", noValue + "b", []record{{3, 2, false}}, "b", []record{{0, 2, false}}},
		"Only":   {"nothing else", noValue, []record{{0, 1, false}}, "", []record{{0, 1, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Output{Text: tc.text, records: tc.records}
			o.dropNoValue()
			if diff := cmp.Diff(tc.moved, o.records, cmp.AllowUnexported(record{})); o.Text != tc.want || diff != "" {
				t.Errorf("%s: %q, -want +got:\n%s", tc.reason, o.Text, diff)
			}
		})
	}
}

// TestLinesThatNobodyKnows are zero, and those behind the end are of the last one.
func TestLinesThatNobodyKnows(t *testing.T) {
	o := Output{Text: "a\nb\nc\nd", records: []record{{2, 10, true}, {6, 20, false}}}
	if diff := cmp.Diff([]int{0, 10, 11, 20, 20, 20}, o.Lines([]int{1, 2, 3, 4, 5, 1 << 40})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := (&Output{}).Lines([]int{1, 2}); got[0]+got[1] != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestTemplatesAreExecutedInOrder: charts rely on it where one template sets what another reads.
func TestTemplatesAreExecutedInOrder(t *testing.T) {
	for _, tc := range []struct {
		reason, first, second string
	}{
		{"the deeper one first", "web/charts/db/templates/a.yaml", "web/templates/z.yaml"},
		{"among equals the last by its name", "web/templates/b.yaml", "web/templates/a.yaml"},
		{"large letters come before small ones, so they are later", "web/templates/a.yaml", "web/templates/Z.yaml"},
		{"by bytes, whatever the language", "web/templates/\u00e9.yaml", "web/templates/z.yaml"},
	} {
		if later(tc.first, tc.second) >= 0 || later(tc.second, tc.first) <= 0 || later(tc.first, tc.first) != 0 {
			t.Errorf("%s: %s is not before %s", tc.reason, tc.first, tc.second)
		}
	}
}

// TestFilesOfAChart: what is asked of files that are not there, or whose pattern is none, is what Helm answers.
func TestFilesOfAChart(t *testing.T) {
	f := filesOf([]*common.File{{Name: "a/x.txt", Data: []byte("one\ntwo\n")}, {Name: "b/y.txt", Data: []byte("no end")}, {Name: "empty", Data: []byte{}}})
	for reason, tc := range map[string]struct{ got, want any }{
		"a file that is not there":            {f.Get("none"), ""},
		"its lines":                           {f.Lines("none"), []string{}},
		"a last line without an end":          {f.Lines("b/y.txt"), []string{"no end"}},
		"the end of a line is none":           {f.Lines("a/x.txt"), []string{"one", "two"}},
		"a star stays in its folder":          {len(f.Glob("*.txt")), 0},
		"two go into all":                     {len(f.Glob("**.txt")), 2},
		"a pattern that is none matches all":  {len(f.Glob("[")), 3},
		"files without their folders":         {f.Glob("a/*").AsConfig(), "x.txt: |\n  one\n  two"},
		"the same encoded":                    {f.Glob("b/*").AsSecrets(), "y.txt: bm8gZW5k"},
		"nothing is matched":                  {f.Glob("none").AsConfig(), "{}"},
		"a chart without any files, as Helm:": {files(nil).AsConfig() + files(nil).AsSecrets(), ""},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s, -want +got:\n%s", reason, diff)
		}
	}
	f.GetBytes("a/x.txt")[0] = 'X'
	if f.Get("a/x.txt") != "one\ntwo\n" {
		t.Error("a template writes into the chart")
	}
}
