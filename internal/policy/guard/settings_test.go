package guard

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What one rule of an installation may be written as, over the default of 50 % and 5.
func TestRulesOfAnInstallation(t *testing.T) {
	cases := map[string]struct {
		reason, written string
		want            Rule
		says            string
	}{
		"Share":     {"a share with its sign", "{maxShare: 30%}", Rule{Share: 30, Least: 5}, ""},
		"Quoted":    {"as a text", `{maxShare: "30%"}`, Rule{Share: 30, Least: 5}, ""},
		"Bare":      {"or as a number", "{maxShare: 12.5}", Rule{Share: 12.5, Least: 5}, ""},
		"Least":     {"a least leaves the share", "{minCount: 2}", Rule{Share: 50, Least: 2}, ""},
		"Zero":      {"which may be nothing", "{minCount: 0}", Rule{Share: 50}, ""},
		"Most":      {"a most alone lets any share go", "{maxCount: 7}", Rule{Share: 100, Least: 5, Most: 7}, ""},
		"MostShare": {"with a share it does not", "{maxCount: 7, maxShare: 10}", Rule{Share: 10, Least: 5, Most: 7}, ""},
		"On":        {"what is on is as it is", "{enabled: true}", Rule{Share: 50, Least: 5}, ""},
		"Off":       {"what is off holds nothing, and has its numbers for who switches it on again", "{enabled: false, maxShare: 1}", Rule{Off: true, Share: 1, Least: 5}, ""},
		"Nothing":   {"a rule of nothing is the default", "{}", Rule{Share: 50, Least: 5}, ""},
		"Null":      {"and so is none", "null", Rule{Share: 50, Least: 5}, ""},
		"Text":      {"a text as in an annotation", `"20% min 1 max 3"`, Rule{Share: 20, Least: 1, Most: 3}, ""},
		"Beyond":    {"no share is above all", "{maxShare: 101}", Rule{}, `cannot read "101%" as a limit of deletions`},
		"Negative":  {"nor a least below nothing", "{minCount: -1}", Rule{}, `cannot read "min -1" as a limit`},
		"MostZero":  {"nothing may go is a share of nothing", "{maxCount: 0}", Rule{}, `cannot read "max 0" as a limit`},
		"Word":      {"a share is a number", "{maxShare: most}", Rule{}, `cannot read "most%" as a limit`},
		"Number":    {"a number alone may be either", "50", Rule{}, "cannot use the key causeway.guard"},
		"True":      {"that it is on says nothing of how", "true", Rule{}, "cannot use the key causeway.guard"},
		"Fraction":  {"a count is a whole number", "{minCount: 1.5}", Rule{}, "cannot use the key causeway.guard"},
		"Documents": {"a rule behind a mark would not count", "{maxShare: 1}\n---\nfleet: {maxShare: 1}", Rule{}, "another document begins, and one is read"},
		"List":      {"a rule is no list", "[50%]", Rule{}, "cannot use the key causeway.guard"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseSettings("window: 1h\nset: {maxShare: 1}\napplication: " + tc.written)
			if tc.says != "" {
				// Of settings of which a part cannot be read no other part counts either.
				if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "until then the default limits of deletions hold") || got != Defaults() {
					t.Errorf("%s: %+v, %v", tc.reason, got, err)
				}
				if got, err = ParseSettings("set: {maxShare: 1}\nfleet: " + tc.written); err == nil || got != Defaults() {
					t.Errorf("%s: of what was read before, something counts: %+v", tc.reason, got)
				}
				return
			}
			want := Defaults()
			want.Application, want.Set.Share, want.Window = tc.want, 1, time.Hour
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestLongSettings(t *testing.T) {
	padded := func(n int) string { return "window: 1h\n#" + strings.Repeat("x", n-len("window: 1h\n#")) }
	if got, err := ParseSettings(padded(maxSettings)); err != nil || got.Window != time.Hour {
		t.Errorf("as long as they may be: %v", err)
	}
	if got, err := ParseSettings(padded(maxSettings + 1)); err == nil || !strings.Contains(err.Error(), "longer than 10000 bytes") || got != Defaults() {
		t.Errorf("longer: %v", err)
	}
}

// A text of others that is no rule is told in part, and what to write instead.
func TestUnreadableRules(t *testing.T) {
	for name, text := range map[string]string{"Long": strings.Repeat("x", 5000), "Letters": "x" + strings.Repeat("é", 5000), "Short": "fifty", "Control": "50\x1b%"} {
		_, err := Parse(text, Rule{})
		if !gitops.IsProblem(err, gitops.Invalid) || len(err.Error()) > 300 || !strings.Contains(err.Error(), `write "off", or any of a share`) || strings.ContainsAny(err.Error(), "\x1b") || strings.Contains(err.Error(), `\xc3`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A rule is told as it may be written.
func TestRulesComeBack(t *testing.T) {
	for want, rule := range map[string]Rule{
		"off": {Off: true, Share: 7, Least: 7}, "50% min 5": {Share: 50, Least: 5}, "12.5% min 0 max 3": {Share: 12.5, Most: 3}, "0% min 1": {Least: 1}, "100% min 5 max 10": {Share: 100, Least: 5, Most: 10},
	} {
		again, err := Parse(rule.String(), Rule{Share: 7, Least: 7, Most: rule.Most})
		if rule.String() != want || err != nil || again != rule {
			t.Errorf("%+v is told as %q, and read as %+v (%v)", rule, rule, again, err)
		}
	}
}

// An approval is of one list: no two lists have one name.
func TestDigestsOfLists(t *testing.T) {
	seen := map[string][]string{}
	for _, names := range [][]string{nil, {""}, {"ab"}, {"a", "b"}, {"a b"}, {"a", "b", "c"}, {"a\x01b"}, {"A", "b"}, {"é"}} {
		digest := Digest(names)
		if other, known := seen[digest]; known || len(digest) != 32 {
			t.Errorf("%q and %q are both %s", names, other, digest)
		}
		seen[digest] = names
	}
	names := []string{"b", "a", "b"}
	if Digest(names) != Digest([]string{"a", "b"}) || !slices.Equal(names, []string{"b", "a", "b"}) {
		t.Errorf("the list became %q", names)
	}
	l := List{{Name: "b", Weight: 3, With: "x"}, {Name: "a"}}
	if l.Digest() != Digest([]string{"a", "b"}) || !slices.Equal(l.Names(), []string{"b", "a"}) || l.String() != "b (x), a" {
		t.Errorf("what counts and what goes with it is no part of a name: %q, %q", l.Names(), l)
	}
	if none := (List{}); none.String() != "" || none.Weight() != 0 || none.Digest() != Digest(nil) {
		t.Errorf("a list of nothing is told as %q", none)
	}
}

// What is written is read again, in whatever zone somebody wrote it.
func TestApprovalsComeBack(t *testing.T) {
	digest := Digest([]string{"a"})
	until := time.Date(2026, 5, 4, 12, 0, 0, 0, time.FixedZone("", 2*60*60))
	for name, tc := range map[string]struct {
		reason, text string
		want         Approval
		fails        bool
	}{
		"Written":  {"as the engine writes it", Approval{Digest: digest, Until: until, By: " ann "}.String(), Approval{Digest: digest, By: "ann"}, false},
		"Zone":     {"with the zone of who writes it", digest + ";until=2026-05-04T12:00:00+02:00", Approval{Digest: digest}, false},
		"Spaces":   {"with spaces", " " + digest + " ; until= 2026-05-04T10:00:00Z ; by= ann", Approval{Digest: digest, By: "ann"}, false},
		"Short":    {"a part of a name is none", digest[:16] + ";until=2026-05-04T10:00:00Z", Approval{}, true},
		"Day":      {"a day has no end", digest + ";until=2026-05-04", Approval{}, true},
		"Order":    {"the order counts", digest + ";by=ann;until=2026-05-04T10:00:00Z", Approval{}, true},
		"Empty":    {"nothing approves nothing", "", Approval{}, true},
		"NoDigest": {"nor does a time alone", ";until=2026-05-04T10:00:00Z", Approval{}, true},
	} {
		got, err := ParseApproval(tc.text)
		if (err != nil) != tc.fails || err != nil && !strings.Contains(err.Error(), "write DIGEST;until=TIME") {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
			continue
		}
		if !tc.fails && !got.Until.Equal(until) {
			t.Errorf("%s: %s: it ends at %s", name, tc.reason, got.Until)
		}
		if got.Until = (time.Time{}); got != tc.want {
			t.Errorf("%s: %s: %+v", name, tc.reason, got)
		}
	}
}

// What is deleted by Clusters, by projects and by sets never counts for one another, whatever they are called.
func TestAccountsAreApart(t *testing.T) {
	if OfProject("clusters/") == OfClusters || OfProject("") == OfClusters {
		t.Error("a project has the account of Clusters")
	}
	l, s := NewLedger(), Settings{Fleet: Rule{Share: 10, Least: 1}, Window: time.Minute}
	l.Note(OfClusters, []string{"a", "b", "c"}, at)
	if ok, gone, of := l.Would(s, OfProject("red"), []string{"d"}, nil, 97, at); !ok || gone != 2 || of != 98 {
		t.Errorf("what Clusters took counts up to as much: %v, %d of %d", ok, gone, of)
	}
	if ok, _, _ := l.Would(s, OfClusters, []string{"a", "c"}, nil, 2, at); !ok {
		t.Error("what went already is held when it is asked for again")
	}
	if ok, gone, of := l.Would(s, OfProject("red"), nil, nil, 97, at); !ok || gone != 0 || of != 97 {
		t.Errorf("who deletes nothing is held by nobody: %v, %d of %d", ok, gone, of)
	}
}
