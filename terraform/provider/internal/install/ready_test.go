package install

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
	"github.com/causeway-gitops/causeway/test/await"
)

// answers are what a cluster says of a Deployment, look after look. The last
// one stays; who goes on asking for it for ever is interrupted.
type answers struct {
	errs   []error // nil where the Deployment is available
	asked  int
	cancel context.CancelFunc
}

// most is how often what does not change is looked at.
const most = 10

func (a *answers) Read(_ context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	err := a.errs[min(a.asked, len(a.errs)-1)]
	if a.asked++; a.asked == most {
		a.cancel()
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// TestReadyEndsWhereItIsRefused: what the cluster refuses until somebody does
// something is told before the time is over, and not as an engine that does not
// start; what a server says that is starting is no reason to end.
func TestReadyEndsWhereItIsRefused(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "apps", Resource: "deployments"}, "causeway", errors.New("no rule"))
	for name, tc := range map[string]struct {
		reason string
		within time.Duration
		errs   []error
		want   string // part of the error; empty for none
	}{
		"Token":     {"it does not get valid again", await.Limit, []error{object.ErrCredentials}, "Deployment argocd/causeway is available: the cluster does not take the credentials"},
		"Right":     {"nobody gives it back for half a minute", await.Limit, []error{forbidden}, "no rule"},
		"Late":      {"the time is over before that", readyPoll, []error{forbidden}, "no rule"},
		"Restarted": {"the API server has not read its roles yet", await.Limit, []error{forbidden, forbidden, forbidden, nil}, ""},
		"Renewed":   {"after the first refusal credentials are read again", await.Limit, []error{object.ErrCredentials, nil}, ""},
		"NotInARow": {"it begins anew", await.Limit, []error{forbidden, forbidden, forbidden, errors.New("cut off"), forbidden, forbidden, nil}, ""},
		"Down":      {"the API server restarts", await.Limit, []error{errors.New("refused"), errors.New("refused"), errors.New("refused"), nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d := &unstructured.Unstructured{Object: map[string]any{"kind": "Deployment", "spec": map[string]any{"replicas": int64(1)}, "status": map[string]any{
				"replicas": int64(1), "updatedReplicas": int64(1), "availableReplicas": int64(1),
			}}}
			d.SetNamespace("argocd")
			d.SetName("causeway")
			now := time.Now()
			ticking := func() time.Time {
				now = now.Add(12 * time.Second)
				return now
			}
			err := ready(ctx, &answers{errs: tc.errs, cancel: cancel}, []*unstructured.Unstructured{d}, tc.within, ticking)
			if tc.want == "" && err != nil {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
