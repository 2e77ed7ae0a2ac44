package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 5, 1, 12, 0, 0, 123_456_789, time.UTC)

func entry(name string) *Entry {
	return &Entry{
		Time: at, Who: Who{Name: "ann", Via: "local"}, From: Origin{Address: "10.0.0.7", Agent: "curl/8"}, Verb: "sync", Resource: "applications",
		Namespace: "argocd", Name: name, Outcome: Allowed, Reason: `a "reason" <&>`, Changes: []Change{{Path: "/operation", New: `{"sync":{}}`}},
	}
}

type kept struct {
	sequence int64
	text     []byte
	hash     string
}

// chain links entries one after the other.
func chain(t *testing.T, entries ...*Entry) []kept {
	t.Helper()
	var out []kept
	var last Entry
	for _, e := range entries {
		next, text, err := Link(e, last.Sequence, last.Hash)
		if err != nil {
			t.Fatal(err)
		}
		last, out = next, append(out, kept{next.Sequence, text, next.Hash})
	}
	return out
}

func verify(all []kept, expect string) (Report, error) {
	v := NewVerifier(expect)
	for _, k := range all {
		if _, err := v.Take(k.sequence, k.text, k.hash); err != nil {
			return Report{}, err
		}
	}
	return v.End()
}

func TestChainTellsWhatWasDoneToIt(t *testing.T) {
	five := func() []kept { return chain(t, entry("a"), entry("b"), entry("c"), entry("d"), entry("e")) }
	point := func(through int64) []kept {
		all := five()
		p := entry("")
		p.Checkpoint = &Checkpoint{Through: through, Hash: all[1].hash, Count: 2}
		e, text, err := Link(p, 5, all[4].hash)
		if err != nil {
			t.Fatal(err)
		}
		return append(all[2:], kept{6, text, e.Hash})
	}
	// gap is a chain whose entries 3 to 5 are gone, by what vouches for them.
	gap := func(change func(*Gap)) []kept {
		all := chain(t, entry("a"), entry("b"), entry("c"), entry("d"), entry("e"), entry("f"))
		g := Gap{From: 3, Through: 5, Hash: all[4].hash}
		change(&g)
		e, text, err := Link(&Entry{Who: Who{Name: Engine}, Verb: "prune", Gaps: []Gap{g}}, 6, all[5].hash)
		if err != nil {
			t.Fatal(err)
		}
		return append(all[:2:2], all[5], kept{7, text, e.Hash})
	}
	// gaps is one whose entries 3 to 5 went one after the other.
	gaps := func(from ...int64) []kept {
		all := chain(t, entry("a"), entry("b"), entry("c"), entry("d"), entry("e"), entry("f"))
		vouches := &Entry{Who: Who{Name: Engine}, Verb: "prune"}
		for _, at := range from {
			vouches.Gaps = append(vouches.Gaps, Gap{From: at, Through: at, Hash: all[at-1].hash})
		}
		e, text, err := Link(vouches, 6, all[5].hash)
		if err != nil {
			t.Fatal(err)
		}
		return append(all[:2:2], all[5], kept{7, text, e.Hash})
	}
	cases := map[string]struct {
		reason string
		chain  []kept
		do     func([]kept) []kept
		broken int64
	}{
		"whole":   {"what nobody touched holds", five(), nil, 0},
		"none":    {"so does one without entries", nil, nil, 0},
		"changed": {"a text is not another", five(), func(k []kept) []kept { k[2].text = bytes.Replace(k[2].text, []byte("ann"), []byte("bob"), 1); return k }, 3},
		"hashed": {"with a hash that fits, the next entry tells", five(), func(k []kept) []kept {
			k[2].text = bytes.Replace(k[2].text, []byte("ann"), []byte("bob"), 1)
			k[2].hash = Hash(k[2].text)
			return k
		}, 4},
		"deleted": {"an entry is missing", five(), func(k []kept) []kept { return append(k[:2:2], k[3:]...) }, 3},
		"swapped": {"two have changed places", five(), func(k []kept) []kept {
			k[1].text, k[1].hash, k[3].text, k[3].hash = k[3].text, k[3].hash, k[1].text, k[1].hash
			return k
		}, 2},
		"again":     {"one comes twice", five(), func(k []kept) []kept { return append(k[:2:2], k[1:]...) }, 2},
		"beheaded":  {"the beginning is missing, and nothing vouches for it", five(), func(k []kept) []kept { return k[2:] }, 1},
		"gap":       {"an entry vouches for what is gone from the middle", gap(func(*Gap) {}), nil, 0},
		"gap less":  {"and for no more than it says", gap(func(g *Gap) { g.From = 4 }), nil, 3},
		"gap late":  {"nor for what came later", gap(func(g *Gap) { g.Through = 7 }), nil, 3},
		"gap long":  {"nor for what is there", gap(func(g *Gap) { g.Through = 6 }), nil, 3},
		"gap other": {"nor for other entries", gap(func(g *Gap) { g.Hash = Hash([]byte("x")) }), nil, 6},
		"gap more":  {"nor is it enough where more is gone", gap(func(*Gap) {}), func(k []kept) []kept { return append(k[:1:1], k[2:]...) }, 2},
		"gap of it": {"nor where it is gone itself", gap(func(*Gap) {}), func(k []kept) []kept { return k[:3] }, 3},
		"gaps":      {"several vouch for what is gone side by side", gaps(3, 4, 5), nil, 0},
		"gaps less": {"and not for what none of them names", gaps(3, 5), nil, 4},
		"pruned":    {"a checkpoint vouches for the beginning", point(2), nil, 0},
		"more gone": {"and for no more than it says", point(2), func(k []kept) []kept { return k[1:] }, 3},
		"other":     {"nor for another end", point(1), nil, 2},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if c.do != nil {
				c.chain = c.do(c.chain)
			}
			report, err := verify(c.chain, "")
			var broken *Broken
			if errors.As(err, &broken); (broken == nil) != (c.broken == 0) || broken != nil && broken.Sequence != c.broken {
				t.Errorf("%s: got %v, %+v, want it broken at %d", c.reason, err, report, c.broken)
			}
		})
	}
}

func TestWhatIsExpectedIsThere(t *testing.T) {
	all := chain(t, entry("a"), entry("b"), entry("c"))
	if report, err := verify(all, all[1].hash); err != nil || report.Hash != all[2].hash || report.Entries != 3 {
		t.Errorf("an entry of the chain is not found: %+v, %v", report, err)
	}
	// The chain alone cannot tell that its end is gone.
	if _, err := verify(all[:2], ""); err != nil {
		t.Errorf("a chain without its end is %v", err)
	}
	if _, err := verify(all[:2], all[2].hash); err == nil {
		t.Error("an end that was cut off is not missed")
	}
}

func TestEntriesAreBounded(t *testing.T) {
	long := entry(strings.Repeat("ä", 5000))
	long.Reason, long.Message, long.From.Agent = strings.Repeat("r", 5000), strings.Repeat("m", 5000), "one\nline\x7f\u2028only\xff"
	for range 200 {
		long.Changes = append(long.Changes, Change{Path: strings.Repeat("p", 5000), Old: strings.Repeat("o", 5000), New: strings.Repeat("n", 5000)})
	}
	e, text, err := Link(long, 0, "")
	if err != nil || len(text) > 64<<10 || len(e.Changes) != mostChanges || e.More != int64(len(long.Changes)-mostChanges) {
		t.Errorf("the entry has %d bytes, %d changes and %d more: %v", len(text), len(e.Changes), e.More, err)
	}
	if e.From.Agent != "one line  only\uFFFD" {
		t.Errorf("the text is %q", e.From.Agent)
	}
}

func TestAccounts(t *testing.T) {
	for want, e := range map[string]*Entry{
		"person/local/ann":       {Who: Who{Name: "ann", Via: "local", Key: "ci"}, Outcome: Denied},
		"person/oidc/1":          {Who: Who{Name: "ann", Via: "oidc", Subject: "1"}},
		"person/local/bob":       {Who: Who{Name: "bob", Via: "local"}, Verb: "sign-in", Outcome: Allowed},
		"nobody":                 {Who: Who{Name: "ann", Via: "local"}, Verb: "sign-in", Outcome: Denied},
		"engine/shop":            {Who: Who{Name: Engine}, Project: "shop"},
		"person/local/" + Engine: {Who: Who{Name: Engine, Via: "local"}},
		"":                       {Who: Who{Name: Engine}, Gaps: []Gap{{From: 2, Through: 3}}},
	} {
		if got := e.Account(); got != want {
			t.Errorf("%+v is of %q, want %q", e.Who, got, want)
		}
	}
	if got := (&Entry{}).Account(); got != "nobody" {
		t.Errorf("nobody is %q", got)
	}
	if got := (&Entry{Who: Who{Name: Engine}, Checkpoint: &Checkpoint{}}).Account(); got != "" {
		t.Errorf("a checkpoint is of %q", got)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("ann", "why", "{}")
	f.Add("\u2028", `"<>&\`, "\x00\xff\U0001F600")
	f.Fuzz(func(t *testing.T, name, reason, value string) {
		in := entry(name)
		in.Reason, in.Changes[0].New = reason, value
		e, text, err := Link(in, 41, "00")
		if err != nil {
			t.Fatal(err)
		}
		line := Line(text, e.Hash)
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, line, "", "  "); err != nil {
			t.Fatalf("the line is no JSON: %v\n%s", err, line)
		}
		back, hash, err := Split(spaced.Bytes())
		if err != nil || hash != e.Hash || Hash(back) != e.Hash {
			t.Fatalf("the line has another hash: %v\n%s\n%s", err, text, back)
		}
		read, err := Parse(back, hash)
		if diff := cmp.Diff(&e, read); err != nil || diff != "" {
			t.Errorf("the entry is another one (-want +got): %v\n%s", err, diff)
		}
	})
}
