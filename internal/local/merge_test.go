package local

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerged(t *testing.T) {
	type labels = map[string]string
	tests := map[string]struct {
		reason           string
		last, file, live labels
		want             labels
	}{
		"First":          {reason: "nothing was written yet", file: labels{"a": "1"}, want: labels{"a": "1"}},
		"FileChanged":    {reason: "what is new in the file wins", last: labels{"a": "1"}, file: labels{"a": "2"}, live: labels{"a": "1"}, want: labels{"a": "2"}},
		"ClusterChanged": {reason: "a label that a person flipped stays flipped", last: labels{"a": "1"}, file: labels{"a": "1"}, live: labels{"a": "9"}, want: labels{"a": "9"}},
		"ClusterRemoved": {reason: "a label that a person removed stays away", last: labels{"a": "1"}, file: labels{"a": "1"}, live: labels{}, want: labels{}},
		"BothChanged":    {reason: "the file is the newer word", last: labels{"a": "1"}, file: labels{"a": "2"}, live: labels{"a": "9"}, want: labels{"a": "2"}},
		"FileRemoved":    {reason: "what left the file leaves the cluster", last: labels{"a": "1"}, live: labels{"a": "1"}, want: labels{}},
		"RemovedChanged": {reason: "unless a person has changed it there", last: labels{"a": "1"}, live: labels{"a": "9"}, want: labels{"a": "9"}},
		"Foreign":        {reason: "what others wrote is not lost", last: labels{"a": "1"}, file: labels{"a": "1"}, live: labels{"a": "1", "b": "2"}, want: labels{"a": "1", "b": "2"}},
		"LostMemory":     {reason: "without a memory the file wins, and nothing else is lost", file: labels{"a": "1"}, live: labels{"a": "9", "b": "2"}, want: labels{"a": "1", "b": "2"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, merged(tc.last, tc.file, tc.live)); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
		})
	}
}
