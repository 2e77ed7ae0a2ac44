package opstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestRecord(t *testing.T) {
	cases := map[string]struct {
		reason string
		limit  *int64
		old    []int64
		want   []int64
	}{
		"first":     {"ids begin at 0", nil, nil, []int64{0}},
		"next":      {"an id is never used again", nil, []int64{4, 7}, []int64{4, 7, 8}},
		"full":      {"nothing said: ten entries, the oldest go", nil, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		"shortened": {"a lower limit drops several at once", ptr(int64(2)), []int64{1, 2, 3, 4}, []int64{4, 5}},
		"none":      {"limit 0 keeps nothing", ptr(int64(0)), []int64{1}, nil},
		"negative":  {"a limit below 0 is 0", ptr(int64(-3)), []int64{1}, nil},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Spec.RevisionHistoryLimit = c.limit
			for _, id := range c.old {
				app.Status.History = append(app.Status.History, v1alpha1.RevisionHistory{ID: id})
			}
			app.Status.OperationState = &v1alpha1.OperationState{StartedAt: Seconds(at), SyncResult: &v1alpha1.SyncOperationResult{Revision: "abc"}}
			Record(app, at.Add(time.Minute))
			var got []int64
			for _, h := range app.Status.History {
				got = append(got, h.ID)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			if n := len(app.Status.History); n > 0 && app.Status.History[n-1].Revision != "abc" {
				t.Errorf("%s: the newest entry is not what was synced: %+v", c.reason, app.Status.History[n-1])
			}
		})
	}
}
