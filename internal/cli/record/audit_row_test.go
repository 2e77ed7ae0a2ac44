package record

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// TestEntriesTellWhatWasDoneToWhat, in as few words as tell it.
func TestEntriesTellWhatWasDoneToWhat(t *testing.T) {
	cases := map[string]struct {
		reason    string
		entry     audit.Entry
		what, why string
	}{
		"application": {"of most entries it needs no kind", audit.Entry{Resource: "applications", Namespace: "argocd", Name: "shop"}, "argocd/shop", ""},
		"another":     {"others have theirs", audit.Entry{Resource: "clusters", Name: "dev"}, "clusters dev", ""},
		"no kind":     {"some have none", audit.Entry{Name: "dev"}, "dev", ""},
		"no name":     {"and some no name", audit.Entry{Resource: "sessions"}, "sessions", ""},
		"all of them": {"nor do those that are of all of a namespace", audit.Entry{Resource: "applications", Namespace: "team"}, "team", ""},
		"nothing":     {"a sign-in is of nothing", audit.Entry{}, "-", ""},
		"reason":      {"somebody gave one", audit.Entry{Reason: "ticket\n4711"}, "-", "ticket 4711"},
		"message":     {"it was refused", audit.Entry{Message: "no right"}, "-", "no right"},
		"both":        {"one after the other", audit.Entry{Reason: "ticket 4711", Message: "no right"}, "-", "ticket 4711; no right"},
		"often":       {"an entry may stand for many", audit.Entry{Count: 12, Message: "no right"}, "-", "12 times: no right"},
		"once":        {"and for one", audit.Entry{Count: 1, Message: "no right"}, "-", "no right"},
	}
	for name, c := range cases {
		row := auditRow(&c.entry, clitest.Noon)
		if row[5] != c.what || row[7] != c.why || row[1] != "-" || row[2] != "-" || row[3] != "-" {
			t.Errorf("%s: %s: %q", name, c.reason, row)
		}
	}
}

// TestEntriesArePickedFromNowOn: what is not older than a time is told by the clock, and a list has an end.
func TestEntriesArePickedFromNowOn(t *testing.T) {
	p := auditPick{query: store.AuditQuery{Who: "ann"}, since: time.Hour}
	q := p.picked(7)
	if age := time.Since(q.From); age < time.Hour || q.Who != "ann" || q.Limit != 7 || !p.query.From.IsZero() {
		t.Errorf("got %+v", q)
	}
	p.since = 0
	if diff := cmp.Diff(store.AuditQuery{Who: "ann"}, p.picked(0)); diff != "" {
		t.Errorf("without a time all of it is: %s", diff)
	}
}

// TestExportsAreVerifiedLineByLine: whatever it is that is read, it ends, and is told by its line.
func TestExportsAreVerifiedLineByLine(t *testing.T) {
	cases := map[string]struct{ reason, text, expect, want string }{
		"nothing":       {"nothing was done yet", "", "", ""},
		"expected":      {"of nothing there is no hash", "", "abc", "one with the hash abc is expected"},
		"blank":         {"a line of nothing is no entry", "\n", "", "line 1 of the export: "},
		"no entry":      {"nor is other JSON", `{"a": 1}` + "\n", "", "broken at entry 0: it is not what was written"},
		"no JSON":       {"nor is text", "hello", "", "line 1 of the export: "},
		"list":          {"nor a list of them", `[{"sequence": 1}]`, "", "line 1 of the export: "},
		"without hash":  {"nor one that nothing vouches for", `{"sequence":1,"verb":"sync"}`, "", "broken at entry 1: it is not what was written"},
		"hash of other": {"nor one that another hash does", `{"sequence":1,"verb":"sync","hash":"00"}`, "", "and it has 00"},
	}
	for name, c := range cases {
		report, err := verifyLines(strings.NewReader(c.text), c.expect)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && report.Entries != 0 {
			t.Errorf("%s: %s: %+v, %v", name, c.reason, report, err)
		}
	}
	if _, err := verifyLines(broken{}, ""); !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "cannot read the export: ") {
		t.Errorf("a disk that fails is no end of the audit: %v", err)
	}
}

var errBroken = errors.New("broken pipe")

// broken is a file of which the end cannot be read.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }

// TestExportsGoOnBehindAnEntry, so that a log of it is kept elsewhere bit by bit.
func TestExportsGoOnBehindAnEntry(t *testing.T) {
	file, _ := audited(t)
	for after, want := range map[string]string{"0": "1 2 3", "2": "3", "3": "", "-5": "1 2 3"} {
		got := clitest.Run(t, NewAudit, "export", "--store", file, "--after", after)
		var sequences []string
		for line := range bytes.Lines([]byte(got.Out)) {
			_, rest, _ := strings.Cut(string(line), `"sequence":`)
			sequence, _, _ := strings.Cut(rest, ",")
			sequences = append(sequences, sequence)
		}
		if all := strings.Join(sequences, " "); got.Code != 0 || all != want {
			t.Errorf("after %s: %d, %s%s", after, got.Code, all, got.Errors)
		}
	}
}
