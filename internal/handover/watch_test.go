package handover

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/hub"
)

func lease(holder string) *coordinationv1.Lease {
	now, lasts := metav1.NowMicro(), int32(15)
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: hub.LeaseName},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &now, LeaseDurationSeconds: &lasts},
	}
}

// renew renews the lease every ten seconds until ctx ends.
func (t *Takeover) renew(ctx context.Context, holder string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Second):
		}
		_, _ = t.clients.CoordinationV1().Leases("argocd").Update(ctx, lease(holder), metav1.UpdateOptions{})
	}
}

// TestLeaseOfTheDead holds that an engine leads when it renews its lease, and that
// one which is only left there is nobody's.
func TestLeaseOfTheDead(t *testing.T) {
	cases := map[string]struct {
		reason string
		renews bool
		leads  bool
		ended  time.Duration // until nobody leads; 0: never
	}{
		"Alive": {"it is renewed while it is watched", true, true, 0},
		"Dead":  {"a dead engine left it, and it lasts 15 seconds", false, false, 15 * time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, errors.New("too long"))
				defer cancel()
				to, _ := moved(lease("engine-1"))
				var renewing sync.WaitGroup
				if tc.renews {
					renewing.Go(func() { to.renew(ctx, "engine-1") })
				}
				within := func(step func(context.Context) error) error { return to.within(ctx, 5*time.Minute, step) }
				if err := within(to.untilLed); (err == nil) != tc.leads {
					t.Errorf("%s: does it lead? %v", tc.reason, err)
				}
				began := time.Now()
				err := within(to.untilNobodyLeads)
				if took := time.Since(began); err == nil && took != tc.ended || (err == nil) != (tc.ended > 0) {
					t.Errorf("%s: nobody leads after %s: %v", tc.reason, took, err)
				}
				if err != nil && !strings.Contains(err.Error(), "engine-1 still leads in namespace argocd") {
					t.Errorf("%s: it says %v", tc.reason, err)
				}
				cancel()
				renewing.Wait()
			})
		})
	}
}
