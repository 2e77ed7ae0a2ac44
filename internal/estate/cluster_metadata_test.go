package estate

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

func TestMetadataThatDoesNotFitIsNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		reason      string
		labels      map[string]string
		annotations map[string]string
		want        []string // what each message begins with, in order
	}{
		"Fits": {
			reason: "names with a prefix, empty values and annotations of any text are metadata as any",
			labels: map[string]string{"example.com/tier": "a.b-c_1", "empty": ""}, annotations: map[string]string{"note": "any text, of any kind"},
		},
		"Value": {
			reason: "a value that does not fit is the value's fault, and is shown",
			labels: map[string]string{"region": "eu west"}, want: []string{`labels: the value "eu west" of region is none for a label: use up to 63`},
		},
		"Name": {
			reason: "a name that does not fit is the name's, whatever its value is",
			labels: map[string]string{"my region": "eu west"}, want: []string{`labels: "my region" is no name of a label: use up to 63`},
		},
		"Each": {
			reason:      "each has a message of its own, in the order of names",
			labels:      map[string]string{"b": "1 2", "a": "1 2", "fits": "yes"},
			annotations: map[string]string{"a b": ""},
			want:        []string{`labels: the value "1 2" of a `, `labels: the value "1 2" of b `, `annotations: "a b" is no name of an annotation: `},
		},
		"Long": {
			reason: "a value without end is not repeated whole",
			labels: map[string]string{"a": strings.Repeat("x", 5000)}, want: []string{`labels: the value "` + strings.Repeat("x", mostShown) + `…" of a `},
		},
		"Reserved": {
			reason: "what makes a Secret a cluster is not the cluster's metadata",
			labels: map[string]string{"argocd.argoproj.io/secret-type": "repository"}, want: []string{`labels: "argocd.argoproj.io/secret-type" `},
		},
		"Whose": {
			reason:      "nor is whose the Secret is",
			labels:      map[string]string{"causeway.io/cluster-source": "x"},
			annotations: map[string]string{"causeway.io/declared-by": "x", "causeway.io/found-in": "x"},
			want:        []string{`labels: "causeway.io/cluster-source" `, `annotations: "causeway.io/declared-by" `, `annotations: "causeway.io/found-in" `},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var unfit api.Unfit
			checkMetadata(&api.MemberWish{MemberFields: api.MemberFields{Labels: tc.labels, Annotations: tc.annotations}}, &unfit)
			if len(unfit.Fields) != len(tc.want) {
				t.Fatalf("%s: got %v, want %d messages", tc.reason, unfit.Fields, len(tc.want))
			}
			for i, f := range unfit.Fields {
				if got := f.Field + ": " + f.Message; !strings.HasPrefix(got, tc.want[i]) {
					t.Errorf("%s: got %q, want it to begin with %q", tc.reason, got, tc.want[i])
				}
			}
		})
	}
}
