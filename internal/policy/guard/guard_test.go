package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

var at = time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)

func TestHolds(t *testing.T) {
	base := Defaults().Application
	cases := map[string]struct {
		reason   string
		rule     Rule
		gone, of int
		want     bool
	}{
		"few":        {"below the least nothing is held, be it all", base, 4, 4, false},
		"half":       {"the share itself may go", base, 5, 10, false},
		"more":       {"more than the share is held", base, 6, 10, true},
		"off":        {"a guard that is off holds nothing", Rule{Off: true, Most: 1}, 100, 100, false},
		"none":       {"nothing is no mass", Rule{}, 0, 0, false},
		"most":       {"above the most the share does not matter", Rule{Share: 100, Most: 10}, 11, 1000, true},
		"up to most": {"up to the most it may be all", Rule{Share: 100, Most: 10}, 10, 10, false},
		"zero":       {"a share of nothing holds all from the least on", Rule{Share: 0, Least: 1}, 1, 1000, true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := c.rule.Holds(c.gone, c.of); got != c.want {
				t.Errorf("%s: %s holds %d of %d: %t, want %t", c.reason, c.rule, c.gone, c.of, got, c.want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	base := Rule{Share: 50, Least: 5}
	cases := map[string]struct {
		reason string
		text   string
		want   Rule
		fails  bool
	}{
		"share":       {"what is not said is as before", "30%", Rule{Share: 30, Least: 5}, false},
		"fraction":    {"shares may have a fraction", "12.5%", Rule{Share: 12.5, Least: 5}, false},
		"off":         {"off is a word of its own", " OFF ", Rule{Off: true, Share: 50, Least: 5}, false},
		"most":        {"a most alone lets any share go", "max 10", Rule{Share: 100, Least: 5, Most: 10}, false},
		"all":         {"all parts in one", "20% min 3, max 40", Rule{Share: 20, Least: 3, Most: 40}, false},
		"empty":       {"nothing says nothing", "", base, true},
		"no unit":     {"a number alone might be either", "50", base, true},
		"too much":    {"there is no share above all", "150%", base, true},
		"negative":    {"nor below nothing", "-1%", base, true},
		"not a share": {"nor one that is no number", "NaN%", base, true},
		"unknown":     {"unknown words are told of", "most 5", base, true},
		"half":        {"a word needs its number", "min", base, true},
		"max 0":       {"use 0% to hold everything", "max 0", base, true},
		"mixed off":   {"off and a limit contradict each other", "off 50%", base, true},
		"long":        {"texts are bounded", strings.Repeat("50% ", 100), base, true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			got, err := Parse(c.text, base)
			if (err != nil) != c.fails {
				t.Fatalf("%s: error %v, want one: %t", c.reason, err, c.fails)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"50%", "off", "max 10", "30% min 5 max 9", "%", "min", "1e9%", "min 99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := Parse(text, Defaults().Set)
		if err != nil {
			return
		}
		again, err := Parse(rule.String(), Rule{})
		if rule.Off {
			rule = Rule{Off: true} // what one below goes by is not told
		}
		if err != nil || again != rule {
			t.Errorf("%q is read as %s, which is read as %s (%v)", text, rule, again, err)
		}
	})
}

func TestNearest(t *testing.T) {
	got, err := Nearest(Rule{Share: 50, Least: 5}, "30%", "", "nonsense", "min 2")
	if want := (Rule{Share: 30, Least: 2}); got != want {
		t.Errorf("the most specific texts give %s, want %s", got, want)
	}
	if err == nil {
		t.Error("a text that cannot be read is not told of")
	}
}

// TestOnAgain: a limit below one that is off has of the more general limits what it does not
// say itself, and does not hold each deletion for want of a share.
func TestOnAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, settings string
		texts            []string
		want             string
		holds            bool
	}{
		"Installation": {"the defaults are behind one that is off for all", "application: off", []string{"", "min 3"}, "50% min 3", false},
		"Mapping":      {"whichever way that is written", "application: {enabled: false}", []string{"min 3"}, "50% min 3", false},
		"Numbers":      {"the installation's own share counts where an annotation switches it on again", "application: {enabled: false, maxShare: 10%}", []string{"min 3"}, "10% min 3", true},
		"Project":      {"what the installation says is behind a project that is off", "application: 20% min 4", []string{"off", "min 3"}, "20% min 3", true},
		"Share":        {"a share needs its least", "application: off", []string{"30%"}, "30% min 5", true},
		"Most":         {"a most alone lets any share go", "application: off", []string{"max 10"}, "100% min 5 max 10", false},
		"Off":          {"and it may be off again", "application: off", []string{"30%", "off"}, "off", false},
		"Unreadable":   {"what cannot be read turns nothing on", "application: off", []string{"30"}, "off", false},
	} {
		settings, err := ParseSettings(tc.settings)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := Nearest(settings.Application, tc.texts...)
		if got.String() != tc.want || got.Holds(5, 12) != tc.holds {
			t.Errorf("%s: %s: the limit is %s, want %s; it holds 5 of 12: %t", name, tc.reason, got, tc.want, got.Holds(5, 12))
		}
	}
}

func TestParseSettings(t *testing.T) {
	d := Defaults()
	cases := map[string]struct {
		reason string
		text   string
		want   func(Settings) Settings
		fails  bool
	}{
		"empty":   {"nothing said is the defaults", " \n", func(s Settings) Settings { return s }, false},
		"mapping": {"shares with or without a sign", "application: {maxShare: 30%, minCount: 2}\nset: {maxShare: 10}", func(s Settings) Settings { s.Application = Rule{Share: 30, Least: 2}; s.Set.Share = 10; return s }, false},
		"text": {"the form of the annotations", "fleet: max 7\nwindow: 1h", func(s Settings) Settings {
			s.Fleet = Rule{Share: 100, Least: 20, Most: 7}
			s.Window = time.Hour
			return s
		}, false},
		"off":     {"YAML reads off as false", "set: off\napplication: {enabled: false}", func(s Settings) Settings { s.Set.Off, s.Application.Off = true, true; return s }, false},
		"unknown": {"a key that nobody knows is a mistake", "sets: 30%", func(s Settings) Settings { return s }, true},
		"inner":   {"inside of a rule, too", "set: {share: 30%}", func(s Settings) Settings { return s }, true},
		"window":  {"a window is a duration", "window: soon", func(s Settings) Settings { return s }, true},
		"past":    {"which is not below zero", "window: -10m", func(s Settings) Settings { return s }, true},
		"none":    {"and not zero", "window: 0s", func(s Settings) Settings { return s }, true},
		"no YAML": {"nor is it anything else", "{", func(s Settings) Settings { return s }, true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			got, err := ParseSettings(c.text)
			if (err != nil) != c.fails {
				t.Fatalf("%s: error %v, want one: %t", c.reason, err, c.fails)
			}
			if diff := cmp.Diff(c.want(d), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestApproves(t *testing.T) {
	digest := Digest([]string{"b", "a"})
	if digest != Digest([]string{"a", "b", "a"}) {
		t.Error("the order of a list changes its digest")
	}
	good := Approval{Digest: digest, Until: at.Add(time.Hour)}.String()
	signed := Approval{Digest: digest, Until: at.Add(time.Hour), By: "ann; until=2099-01-01T00:00:00Z\n"}.String()
	cases := map[string]struct {
		reason, annotation string
		list               []string
		now                time.Time
		want               bool
		why                string
	}{
		"good":     {"the very list, in time", good, []string{"a", "b"}, at, true, ""},
		"named":    {"who approves stands beside it", signed, []string{"a", "b"}, at, true, ""},
		"named on": {"a name changes nothing of the time", signed, []string{"a", "b"}, at.Add(time.Hour), false, "expired at 2026-05-04T11:30:00Z"},
		"more":     {"what else stands there is not understood", good + ";for=ever", []string{"a", "b"}, at, false, "until="},
		"none":     {"nothing given is nothing to explain", "", []string{"a", "b"}, at, false, ""},
		"expired":  {"an approval has its time", good, []string{"a", "b"}, at.Add(time.Hour), false, "expired at 2026-05-04T11:30:00Z"},
		"added":    {"a list that has grown is another list", good, []string{"a", "b", "c"}, at, false, "another list"},
		"shrunk":   {"so is one that has become shorter", good, []string{"a"}, at, false, "another list"},
		"no until": {"an approval without an end is none", digest, []string{"a", "b"}, at, false, "until="},
		"garbage":  {"what cannot be read is told of", "yes", []string{"a", "b"}, at, false, "until="},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			ok, why := Approves(c.annotation, Digest(c.list), c.now)
			if ok != c.want || !strings.Contains(why, c.why) || c.why == "" && why != "" {
				t.Errorf("%s: got %t %q, want %t %q", c.reason, ok, why, c.want, c.why)
			}
		})
	}
}

func TestApprovedBy(t *testing.T) {
	written := strings.Repeat("a", 2*digestBytes) + ";until=2099-01-01T00:00:00Z"
	cases := map[string]struct {
		reason, annotation, want string
	}{
		"named":     {"what anybody may write is no proof", written + ";by=ann", " by ann (unverified)"},
		"claims":    {"also where it claims to be one", written + ";by=ann (verified)", " by ann (verified) (unverified)"},
		"unnamed":   {"nobody has to say who they are", written, " by somebody who is not named"},
		"blank":     {"what shows nothing names nobody", written + ";by=\x00 \u202e \x1b", " by somebody who is not named"},
		"unsightly": {"what steers a terminal, or turns text around, is left out", written + ";by=a\x1b[31mn\u202en\nx;y", " by a[31mnnxy (unverified)"},
		"long":      {"a name is bounded", written + ";by=" + strings.Repeat("é", mostOfName), " by " + strings.Repeat("é", mostOfName/len("é")) + " (unverified)"},
		"cut":       {"whole characters are kept", written + ";by=a" + strings.Repeat("é", mostOfName), " by a" + strings.Repeat("é", mostOfName/len("é")-1) + " (unverified)"},
		"garbage":   {"what cannot be read approves nothing", "yes;by=ann", " by somebody who is not named"},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := ApprovedBy(c.annotation); got != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

func TestListTellsTheHeaviestFirst(t *testing.T) {
	l := List{{Name: "b", Weight: 1}, {Name: "z", Weight: 40, With: "39 objects in it"}, {Name: "a", Weight: 1}}
	for i := range 20 {
		l = append(l, Deletion{Name: fmt.Sprintf("c%02d", i), Weight: 1})
	}
	text := l.String()
	if !strings.HasPrefix(text, "z (39 objects in it), a, b, c00") || !strings.HasSuffix(text, "and 13 more") {
		t.Errorf("the list is told as %q", text)
	}
	if l.Weight() != 62 {
		t.Errorf("the weight is %d", l.Weight())
	}
}

func TestLedger(t *testing.T) {
	l, s := NewLedger(), Settings{Fleet: Rule{Share: 40, Least: 3}, Window: 10 * time.Minute}
	names := func(from, to int) (out []string) {
		for i := from; i < to; i++ {
			out = append(out, strconv.Itoa(i))
		}
		return out
	}
	if ok, _, _ := l.Admit(s, "p", names(0, 4), 10, at); !ok {
		t.Error("4 of 10 are no more than 40 %")
	}
	for range 2 { // who only asks changes nothing
		if ok, gone, of := l.Would(s, "p", names(3, 5), nil, 7, at.Add(time.Minute)); ok || gone != 5 || of != 10 {
			t.Errorf("one that went and the fifth of ten, asked before: got %t, %d of %d", ok, gone, of)
		}
		if ok, _, _ := l.Would(s, "p", names(0, 4), nil, 10, at.Add(time.Minute)); !ok {
			t.Error("deletions that were counted already would be held")
		}
	}
	if ok, gone, of := l.Admit(s, "p", names(4, 5), 6, at.Add(time.Minute)); ok || gone != 5 || of != 10 {
		t.Errorf("the fifth of ten within the window: got %t, %d of %d", ok, gone, of)
	}
	if ok, _, _ := l.Admit(s, "p", names(0, 4), 10, at.Add(2*time.Minute)); !ok {
		t.Error("deletions that were counted already are counted again")
	}
	if ok, _, _ := l.Admit(s, "p", names(4, 5), 6, at.Add(13*time.Minute)); !ok {
		t.Error("deletions from before the window count")
	}
	l.Hold("Application", "a", 12)
	l.Hold("Application", "b", 3)
	l.Hold("ApplicationSet", "a", 5)
	l.Hold("Application", "b", 0)
	if got := []int{l.Held("Application"), l.Held("ApplicationSet")}; !slices.Equal(got, []int{12, 5}) {
		t.Errorf("held are %v", got)
	}
}

// TestAccounts is about who is held where several delete of one fleet.
func TestAccounts(t *testing.T) {
	s := Settings{Fleet: Rule{Share: 40, Least: 5}, Window: 10 * time.Minute}
	type step struct {
		by           string
		count, exist int
		ok           bool
	}
	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Root":     {"one that has the whole fleet is held as one", []step{{"root", 40, 100, true}, {"root", 1, 60, false}}},
		"Whole":    {"also when all goes at once", []step{{"root", 100, 100, false}}},
		"Another":  {"what one has used up holds nobody else", []step{{"red", 40, 100, true}, {"blue", 10, 60, true}, {"red", 1, 50, false}}},
		"Much":     {"but who deletes as much is added to it", []step{{"red", 30, 100, true}, {"blue", 30, 70, false}}},
		"Everyone": {"an accident that meets all of them is one", []step{{"a", 10, 100, true}, {"b", 10, 90, true}, {"c", 10, 80, true}, {"d", 10, 70, true}, {"e", 10, 60, false}}},
		"Ones":     {"also when each has but one", []step{{"a", 1, 10, true}, {"b", 1, 9, true}, {"c", 1, 8, true}, {"d", 1, 7, true}, {"e", 1, 6, false}}},
		"Churn":    {"who makes and deletes without end makes the fleet no larger", []step{{"red", 4, 10, true}, {"blue", 2, 6, true}, {"blue", 3, 4, false}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l, n := NewLedger(), 0
			for i, step := range tc.steps {
				var names []string
				for range step.count {
					n++
					names = append(names, strconv.Itoa(n))
				}
				would, _, _ := l.Would(s, step.by, names, nil, step.exist, at)
				ok, gone, of := l.Admit(s, step.by, names, step.exist, at)
				if ok != step.ok || would != ok {
					t.Errorf("%s: step %d is %t, and would be %t: %d of %d", tc.reason, i, ok, would, gone, of)
				}
			}
		})
	}
}

// TestApprovedHoldsNobodyElse has one approve more than the fleet would let go.
func TestApprovedHoldsNobodyElse(t *testing.T) {
	l, s := NewLedger(), Settings{Fleet: Rule{Share: 40, Least: 2}, Window: 10 * time.Minute}
	l.Note("red", []string{"1", "2", "3", "4", "5", "6", "7", "8"}, at)
	if ok, gone, of := l.Admit(s, "blue", []string{"9"}, 9, at); !ok || gone != 2 || of != 10 {
		t.Errorf("got %t, %d of %d", ok, gone, of)
	}
	if ok, gone, of := l.Would(s, "blue", []string{"10", "11"}, map[string][]string{"green": {"12", "13"}}, 8, at); ok || gone != 8 || of != 12 {
		t.Errorf("beside another one's: got %t, %d of %d", ok, gone, of)
	}
}

func TestOfSet(t *testing.T) {
	for project, want := range map[string]string{"": "project/default", "red": "project/red", "{{path.basename}}": "set/argocd/teams"} {
		set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "teams"}}
		set.Spec.Template.Spec.Project = project
		if got := OfSet(set); got != want {
			t.Errorf("project %q: got %s, want %s", project, got, want)
		}
	}
}

func TestLedgerTellsWhatIsHeld(t *testing.T) {
	l := NewLedger()
	var told []string
	l.Watch(func(kind, subject string, count int, by string) {
		told = append(told, fmt.Sprint(kind, " ", subject, " ", count, by))
	})
	for _, count := range []int{0, 3, 3, 2, 0, 0} {
		l.Hold("set", "addons", count)
	}
	l.Hold("set", "addons", 4)
	for range 2 {
		l.Release("set", "addons", " by ann")
	}
	if diff := cmp.Diff([]string{"set addons 3", "set addons 2", "set addons 0", "set addons 4", "set addons 0 by ann"}, told); diff != "" {
		t.Errorf("what is told (-want +got):\n%s", diff)
	}
}

// The limit of the fleet is told without how many there are: whose deletion is
// held need not know what others have.
func TestPastFleet(t *testing.T) {
	s := Settings{Fleet: Rule{Share: 40, Least: 20}, Window: 10 * time.Minute}
	const want = "together with what else is deleted it is more than the fleet lets go within 10m0s, where the limit is 40% min 20"
	if got := s.PastFleet(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
