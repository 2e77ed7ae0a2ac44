package audit

import (
	"strings"
	"testing"
	"time"
)

// TestLinesThatAreNoEntry: what another reader would take for an entry is one that is
// proved, or the line is refused.
func TestLinesThatAreNoEntry(t *testing.T) {
	e, text, err := Link(entry("a"), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	line := string(Line(text, e.Hash))
	for name, tc := range map[string]struct{ reason, line, says string }{
		"Whole":   {"as it was exported", line, ""},
		"Ends":    {"another program ends lines in its way", " " + line + "\t\r\n", ""},
		"Order":   {"or writes the hash behind the rest", strings.TrimSuffix(string(text), "}") + `, "hash": "` + e.Hash + `"}`, ""},
		"Second":  {"jq reads a second entry of a line", line + line, "there is more behind the JSON"},
		"Rest":    {"and somebody may read anything else", line + " # approved", "there is more behind the JSON"},
		"Bracket": {"whatever it is", line + "}", "there is more behind the JSON"},
		"Cut":     {"half a line is none", line[:len(line)-1], "it is no JSON"},
		"Blank":   {"nor is nothing", " ", "it is no JSON"},
		"List":    {"nor are several in a list", "[" + line + "]", "it is no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			back, hash, err := Split([]byte(tc.line))
			if tc.says != "" {
				if err == nil || !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: got %v, want %q", tc.reason, err, tc.says)
				}
				return
			}
			if err != nil || hash != e.Hash || Hash(back) != e.Hash {
				t.Errorf("%s: %v, %s has the hash %s", tc.reason, err, back, hash)
			}
		})
	}
}

// TestLinesWithoutWhatTheyProve are broken, and nothing else is read into them.
func TestLinesWithoutWhatTheyProve(t *testing.T) {
	for name, line := range map[string]string{"Null": "null", "Empty": "{}", "NoHash": `{"sequence":1}`, "Number": `{"sequence":1,"hash":5}`} {
		text, hash, err := Split([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := NewVerifier("").Take(1, text, hash); err == nil || !strings.Contains(err.Error(), "the audit is broken at entry 1: it is not what was written") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestTextsDoNotDependOnTheMachine: where it stands, how exact its clock is, and what a
// number is to its reader.
func TestTextsDoNotDependOnTheMachine(t *testing.T) {
	written := func(change func(*Entry)) string {
		t.Helper()
		e := entry("a")
		change(e)
		_, text, err := Link(e, 0, "")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := written(func(*Entry) {})
	if !strings.Contains(want, `"time":"2026-05-01T12:00:00.123Z"`) {
		t.Errorf("the time is not that of readers with milliseconds: %s", want)
	}
	for name, change := range map[string]func(*Entry){
		"Zone":    func(e *Entry) { e.Time = e.Time.In(time.FixedZone("there", 5*3600)) },
		"Exact":   func(e *Entry) { e.Time = e.Time.Add(time.Microsecond) },
		"Nothing": func(e *Entry) { e.Gaps, e.Hash, e.Previous, e.Sequence = []Gap{}, "another", "another", 9 },
	} {
		if got := written(change); got != want {
			t.Errorf("%s: it is %s, want %s", name, got, want)
		}
	}
	// A reader that takes numbers for floats would write this one as another.
	const large = int64(1)<<53 + 1
	e := &Entry{Time: at, Count: large}
	_, text, err := Link(e, large-1, "")
	if err != nil || !strings.Contains(string(text), `"sequence":9007199254740993`) || !strings.Contains(string(text), `"count":9007199254740993`) {
		t.Errorf("a large number is %s: %v", text, err)
	}
	back, _, err := Split(Line(text, Hash(text)))
	if err != nil || string(back) != string(text) {
		t.Errorf("and in an export it is %s: %v", back, err)
	}
	if _, _, err := Link(&Entry{Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, 0, ""); err == nil || !strings.Contains(err.Error(), "cannot encode an entry of the audit") {
		t.Errorf("a time that no reader takes: %v", err)
	}
}
