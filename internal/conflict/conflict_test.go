package conflict

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRetry(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "applications"}, "web", errors.New("it has changed"))
	late, no := fmt.Errorf("cannot get: %w", context.DeadlineExceeded), errors.New("no")
	cases := map[string]struct {
		reason string
		says   []error // the last one from then on
		want   error
		tries  int
	}{
		"Done":      {"what is done is not done again", []error{nil}, nil, 1},
		"Conflict":  {"who was faster is taken into account", []error{conflict, conflict, nil}, nil, 3},
		"Conflicts": {"others may be faster each time", []error{conflict}, conflict, 4},
		"Fails":     {"another error is none of others'", []error{no}, no, 1},
		"Late":      {"that there was no time is no success", []error{late}, late, 1},
		"LateAgain": {"nor is it another one's conflict", []error{conflict, late}, late, 2},
		"Gone":      {"who went away has done nothing", []error{context.Canceled}, context.Canceled, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := Retry(func() error {
					tries++
					return tc.says[min(tries, len(tc.says))-1]
				})
				if !errors.Is(err, tc.want) || tries != tc.tries {
					t.Errorf("%s: %v after %d tries", tc.reason, err, tries)
				}
			})
		})
	}
}
