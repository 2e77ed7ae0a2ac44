package history

import (
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What became of an object is counted once, by what the last try says.
func TestCountsOfASync(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		waves  []Wave
		left   Counts
		want   Counts
	}{
		"Each":      {"each kind of outcome", []Wave{tried(0, "a created", "b configured", "c unchanged", "d pruned", "e refused")}, Counts{}, Counts{Created: 1, Changed: 1, Pruned: 1, Failed: 1, Total: 5}},
		"Remarks":   {"a remark is no part of the outcome", []Wave{tried(0, "a created; with a warning", "b configured;x", "c createdish")}, Counts{}, Counts{Created: 1, Changed: 1, Total: 3}},
		"Last":      {"a later try says what became of it", []Wave{tried(0, "a refused"), tried(1, "a created")}, Counts{}, Counts{Created: 1, Total: 1}},
		"Then":      {"whether or not that is better", []Wave{tried(0, "a created"), tried(1, "a refused")}, Counts{}, Counts{Failed: 1, Total: 1}},
		"Left out":  {"what is not told is counted", []Wave{tried(0, "a created")}, Counts{Created: 2, Failed: 1, Total: 9}, Counts{Created: 3, Failed: 1, Total: 10}},
		"Nothing":   {"there is none", nil, Counts{}, Counts{}},
		"Only word": {"where nothing is said, the status is the outcome", []Wave{{Objects: []Object{{Name: "a", Status: gitops.Created}}}}, Counts{}, Counts{Created: 1, Total: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Sync{Waves: tc.waves, Omitted: tc.left}
			if got := s.Count(); got != tc.want {
				t.Errorf("%s: got %+v, want %+v", tc.reason, got, tc.want)
			}
		})
	}
}

// A sync has the same name in an engine that starts again: what that reads from the
// Application has whole seconds, in whatever zone.
func TestNamesOfSyncs(t *testing.T) {
	name := ID("uid", noon)
	for reason, same := range map[string]string{
		"a part of a second is not kept": ID("uid", noon.Add(999*time.Millisecond)),
		"a zone is no other time":        ID("uid", noon.In(time.FixedZone("east", 7200))),
	} {
		if same != name {
			t.Errorf("%s: %s is not %s", reason, same, name)
		}
	}
	for reason, other := range map[string]string{
		"another second is another sync": ID("uid", noon.Add(time.Second)),
		"so is that of another one":      ID("uid2", noon),
	} {
		if other == name {
			t.Errorf("%s: both are %s", reason, name)
		}
	}
	if len(name) != 32 || strings.Trim(name, "0123456789abcdef") != "" {
		t.Errorf("%q is no trace id", name)
	}
}

// What records take is counted with the texts that others write, so that a bound on it
// bounds memory.
func TestWeightsHaveTextsOfOthers(t *testing.T) {
	const long = 10_000
	text := strings.Repeat("x", long)
	object := Object{Kind: "ConfigMap", Message: text}
	for name, weight := range map[string]int64{
		"who asked":          (&Sync{By: text}).Weight(),
		"a request":          (&Sync{Request: text}).Weight(),
		"sources":            (&Sync{Sources: []byte(text)}).Weight(),
		"a subject":          (&Sync{Commits: []Commit{{Subject: text}}}).Weight(),
		"an author":          (&Step{Commits: []Commit{{Author: text}}}).Weight(),
		"why a step failed":  (&Step{Message: text}).Weight(),
		"an object":          (&Sync{Waves: []Wave{{Objects: []Object{object}}}}).Weight(),
		"a remote base":      (&Sync{Origin: &Origin{Besides: []Beside{{RepoURL: text}}}}).Weight(),
		"a chart":            (&Sync{Origin: &Origin{Besides: []Beside{{Chart: text}}}}).Weight(),
		"a change of health": ChangesWeight([]Change{{Message: text}}),
	} {
		if weight < long || weight > 2*long {
			t.Errorf("%s of %d bytes weighs %d", name, long, weight)
		}
	}
	if one, two := ChangesWeight(make([]Change, 1)), ChangesWeight(make([]Change, 2)); one <= 0 || two != 2*one || ChangesWeight(nil) != 0 {
		t.Errorf("changes without texts weigh %d and %d", one, two)
	}
}
