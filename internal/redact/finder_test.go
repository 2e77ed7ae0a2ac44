package redact

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// replacer finds the longest of texts that begin alike, with a tree of their letters.
func replacer(texts []string) *strings.Replacer {
	longest := slices.Clone(texts)
	slices.SortStableFunc(longest, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, text := range longest {
		pairs = append(pairs, text, Mask)
	}
	return strings.NewReplacer(pairs...)
}

// TestFinder holds what is found against what a replacer of the standard library finds,
// in texts of few letters, in which much begins alike.
func TestFinder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(least, most int) string {
		out := make([]byte, least+random.IntN(most-least+1))
		for i := range out {
			out[i] = "ab"[random.IntN(2)]
		}
		return string(out)
	}
	for range 3000 {
		least := 1 + random.IntN(10)
		var texts []string
		for range 1 + random.IntN(12) {
			texts = append(texts, word(least, least+8))
		}
		text := word(0, 60)
		if got, want := NewKnown(texts).Text(text), replacer(texts).Replace(text); got != want {
			t.Fatalf("%q in %q: got %q, want %q", texts, text, got, want)
		}
	}
}

// TestKnownTakesLittle: many values of Secrets take some times their size, not
// thousands of bytes each.
func TestKnownTakesLittle(t *testing.T) {
	const n = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	data := map[string]any{}
	for i := range n {
		data[fmt.Sprint("k", i)] = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%016x", random.Uint64()))
	}
	secret := gitops.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "data": data}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	known := NewKnown(nil, []gitops.Manifest{secret})
	known.Text("some text")
	runtime.ReadMemStats(&after)
	if made := (after.TotalAlloc - before.TotalAlloc) / n; made > 1024 {
		t.Errorf("a value takes %d bytes", made)
	}
	if text := data["k7"].(string); known.Text(text) != Mask {
		t.Errorf("%s is shown", text)
	}
}

// TestKnownIsBounded: of more than can be looked for nothing is shown.
func TestKnownIsBounded(t *testing.T) {
	var numbers strings.Builder
	for i := range maxTexts + 1 {
		fmt.Fprintf(&numbers, "%08d", i)
	}
	var many, large []string
	for i := range maxTexts + 1 {
		many = append(many, numbers.String()[8*i:8*i+8])
	}
	for i := range maxBytes >> 20 {
		large = append(large, numbers.String()[:1<<20+i])
	}
	again := append(slices.Clone(many[:maxTexts]), many[:maxTexts]...)
	for name, tc := range map[string]struct {
		reason string
		texts  []string
		want   bool
	}{
		"Many":  {"one text more than the bound", many, true},
		"Large": {"more bytes than the bound", large, true},
		"Again": {"as many as the bound, each twice", again, false},
	} {
		t.Run(name, func(t *testing.T) {
			known := NewKnown(tc.texts)
			if known.Opaque() != tc.want {
				t.Fatalf("%s: opaque is %t", tc.reason, known.Opaque())
			}
			if !tc.want {
				return
			}
			object := configured("Secret", env("A", "plain"))
			shown, _ := known.Sides(object, nil)
			value, _ := NewMasker(known).At(Place{}, object.Object)
			if text := fmt.Sprint(known.Text("plain"), shown.Object["spec"], shown.Object["metadata"], value); strings.Contains(text, "plain") || strings.Contains(text, "web") {
				t.Errorf("%s: shown is %s", tc.reason, text)
			}
			if shown.GetKind() != "Secret" || !known.Within(int64(1)) || !known.Within(map[string]any{}) || known.Within(nil) || known.Text("") != "" {
				t.Errorf("%s: it is %v", tc.reason, shown)
			}
		})
	}
}

// TestWorkIsBounded: a text that is made to be compared at length is masked as a whole.
func TestWorkIsBounded(t *testing.T) {
	same := strings.Repeat("a", 1<<20)
	known := NewKnown([]string{same[:100_000] + "b"})
	if got := known.Text(same); got != Mask {
		t.Errorf("%d bytes are shown", len(got))
	}
	if text := "is " + same[:100]; known.Text(text) != text {
		t.Error("a short text is masked")
	}
}

// TestKindStays: a word that somebody encrypted does not take from a Secret what it is
// known by, as its values would then be shown.
func TestKindStays(t *testing.T) {
	known := NewKnown([]string{"Secret"})
	live := configured("Secret")
	live.Object["stringData"] = map[string]any{"password": "hunter2!"}
	_, seen := known.Sides(nil, live)
	_, seen, err := Marks(nil, seen, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(seen); seen.GetKind() != "Secret" || strings.Contains(text, "hunter2!") || strings.Contains(text, "swordfish") {
		t.Errorf("shown is %s", text)
	}
}
