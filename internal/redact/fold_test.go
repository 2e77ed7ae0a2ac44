package redact

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What an API server makes of data and stringData.
func TestFold(t *testing.T) {
	for name, tc := range map[string]struct {
		reason       string
		secret, want fields
	}{
		"Plain wins":  {"stringData is written over data", fields{"data": fields{"a": "b2xk", "b": "YmI="}, "stringData": fields{"a": "new"}}, fields{"data": fields{"a": "new", "b": "bb"}}},
		"Only plain":  {"there is no data", fields{"stringData": fields{"a": "x"}}, fields{"data": fields{"a": "x"}}},
		"Lines":       {"base64 may have breaks and blanks around it", fields{"data": fields{"a": " YW\nJj\n"}}, fields{"data": fields{"a": "abc"}}},
		"No base64":   {"it differs from the same text in stringData", fields{"data": fields{"a": "hunter2!"}}, fields{"data": fields{"a": "invalid base64: hunter2!"}}},
		"Other forms": {"no text is decoded that is none", fields{"data": fields{"a": int64(5), "b": nil}}, fields{"data": fields{"a": int64(5), "b": nil}}},
		"Nothing":     {"none becomes no empty one", fields{"type": "Opaque"}, fields{"type": "Opaque"}},
		"Empty":       {"an empty one stays", fields{"data": fields{}}, fields{"data": fields{}}},
		"No map":      {"what is no map is left to who refuses it", fields{"data": "x", "stringData": "y"}, fields{"data": "x", "stringData": "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			Fold(tc.secret)
			if diff := cmp.Diff(tc.want, tc.secret); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
