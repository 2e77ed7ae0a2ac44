package claims

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/operation"
)

// remembering is a history that may know what was asked for.
type remembering struct {
	began bool
	err   error
}

func (h remembering) Began(context.Context, *v1alpha1.Application, string, time.Time) (bool, error) {
	return h.began, h.err
}

// TestRequestsCountOnce shows an engine operations that were asked for under a seal.
func TestRequestsCountOnce(t *testing.T) {
	old := at.Add(-time.Hour) // when the engine began
	cases := map[string]struct {
		reason string
		began  time.Time
		then   remembering
		// looks have what the Application is asked for at a time after it was: with the
		// first request, another one, or nothing.
		looks []shown
	}{
		"Once":      {"somebody asked for it just now", old, remembering{}, []shown{{0, "one", true}}},
		"Waits":     {"it waits for long", old, remembering{}, []shown{{0, "one", true}, {time.Hour, "one", true}, {48 * time.Hour, "one", true}}},
		"Late":      {"nobody can have asked for it now", old, remembering{}, []shown{{time.Hour, "one", false}}},
		"Ahead":     {"nor in the future", old, remembering{}, []shown{{-time.Hour, "one", false}}},
		"Again":     {"it was begun, and somebody asks for the same", old, remembering{}, []shown{{0, "one", true}, {time.Second, "", false}, {time.Minute, "one", false}}},
		"Always":    {"however often", old, remembering{}, []shown{{0, "one", true}, {1, "", false}, {2, "one", false}, {3, "one", false}, {time.Hour, "one", false}}},
		"Replaced":  {"another one took its place", old, remembering{}, []shown{{0, "one", true}, {time.Second, "two", true}, {time.Minute, "one", false}}},
		"Restarted": {"an engine that has just started looks at the history", at, remembering{}, []shown{{time.Minute, "one", true}, {time.Hour, "one", true}}},
		"Known":     {"which has it", at, remembering{began: true}, []shown{{time.Minute, "one", false}}},
		"Away":      {"or does not answer", at, remembering{err: errors.New("away")}, []shown{{time.Minute, "one", false}}},
		"NotAsked":  {"which one that has looked for long need not", old, remembering{err: errors.New("away")}, []shown{{time.Minute, "one", true}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := tc.began
			j := judging(func() time.Time { return now })
			j.Began = tc.then.Began
			app := &v1alpha1.Application{}
			app.UID = "one"
			j.believed(t.Context(), app) // it begins to look
			asked := map[string]*v1alpha1.Operation{}
			for _, request := range []string{"one", "two"} {
				asked[request] = &v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"}, Sync: &v1alpha1.SyncOperation{}}
				j.Seal.Vouch(app.UID, asked[request], operation.NewRequest(at))
			}
			for i, l := range tc.looks {
				now = at.Add(l.after)
				app.Operation = asked[l.request].DeepCopy()
				if got := j.believed(t.Context(), app); got != l.want {
					t.Errorf("%s: look %d: believed: %t", tc.reason, i+1, got)
				}
			}
		})
	}
}

type shown struct {
	after   time.Duration
	request string
	want    bool
}

// TestRequestsAreForgotten holds that what nobody would believe any more is not kept.
func TestRequestsAreForgotten(t *testing.T) {
	q, name := newRequests(), types.NamespacedName{Name: "web"}
	for i := range 100 {
		now := at.Add(time.Duration(i) * time.Minute)
		q.judge(name, now.String(), now, now)
		q.judge(name, "", now, now)
	}
	if most := int(freshFor/time.Minute) + 1; len(q.seen) > most || len(q.current) > 0 {
		t.Errorf("%d are kept, and %d wait", len(q.seen), len(q.current))
	}
}
