package application

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestAtomicTime(t *testing.T) {
	cases := map[string]struct {
		reason       string
		atomic, time string
		want         time.Duration
		fails        bool
	}{
		"not said":   {"syncs are not atomic", "", "", 0, false},
		"said":       {"five minutes a wave", "true", "", waveTime, false},
		"with time":  {"as long as is said", "true", "30s", 30 * time.Second, false},
		"refused":    {"as if it were not said", "false", "30s", 0, false},
		"misspelt":   {"a safety net that is not there must not look like one", "maybe", "", 0, true},
		"no time":    {"neither must one without a time", "true", "5 minutes", 0, true},
		"past times": {"nor one that has no time", "true", "-5m", 0, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{gitops.AnnotationAtomic: tc.atomic, gitops.AnnotationAtomicTimeout: tc.time}}}
			got, err := atomicTime(app)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s: got %s, %v", tc.reason, got, err)
			}
		})
	}
}

// TestUndoOfWhatIsNoSync: an operation that somebody wrote may lack what every sync has.
func TestUndoOfWhatIsNoSync(t *testing.T) {
	began := metav1.NewTime(time.Unix(100, 0))
	op := undo(&v1alpha1.Application{}, &v1alpha1.OperationState{StartedAt: began}, &v1alpha1.RevisionHistory{DeployStartedAt: &began}, "digest")
	if !op.Sync.Prune || info(op.Info, gitops.InfoSince) != "1970-01-01T00:01:40Z" || info(op.Info, gitops.InfoUndoes) != info(op.Info, gitops.InfoSince) {
		t.Errorf("it is undone by %+v", op)
	}
}
