package secretfleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// figures are those of metrics, by their names and labels.
func figures(t *testing.T, of prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := of.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			out[strings.TrimPrefix(f.GetName(), "causeway_")+" "+strings.Join(labels, " ")] = value
		}
	}
	return out
}

// TestFiguresOfACluster: what fails shows, until it is gone, and a cluster that is left alone has no figures.
func TestFiguresOfACluster(t *testing.T) {
	c, namespace := newClient(t), embeddedtest.Namespace(t, config)
	f, _ := newFleet(t)
	reg := prometheus.NewRegistry()
	f.Member.Metrics = NewMetrics(reg)
	f.Set(t.Context(), "https://one", "one", 1, config)
	embeddedtest.Eventually(t, served(c))
	embeddedtest.Eventually(t, made(c, wants(t, c, namespace, "made")))
	failing := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "fails"}, Spec: esv1.ExternalSecretSpec{
		SecretStoreRef: esv1.SecretStoreRef{Name: "s"}, Data: []esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "none"}}},
	}}
	if err := c.Create(t.Context(), failing); err != nil {
		t.Fatal(err)
	}
	const failed, fine = "external_secrets cluster=one ready=false", "external_secrets cluster=one ready=true"
	has := func(name string, want func(float64) bool) func(context.Context) error {
		return func(context.Context) error {
			if all := figures(t, reg); !want(all[name]) {
				return fmt.Errorf("%s: %v", name, all)
			}
			return nil
		}
	}
	some := func(n float64) bool { return n >= 1 }
	for _, name := range []string{failed, fine, "secret_refreshes_total cluster=one outcome=error", "secret_store_seconds outcome=error provider=fake", "secret_store_seconds outcome=ok provider=fake"} {
		embeddedtest.Eventually(t, has(name, some))
	}
	all := func(ctx context.Context) error { // other tests have left some
		var list esv1.ExternalSecretList
		if err := c.List(ctx, &list); err != nil {
			return err
		}
		if now := figures(t, reg); int(now[failed]+now[fine]) != len(list.Items) {
			return fmt.Errorf("there are %d: %v", len(list.Items), now)
		}
		return nil
	}
	embeddedtest.Eventually(t, all)
	before := figures(t, reg)[failed]
	if err := c.Delete(t.Context(), failing); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, has(failed, func(n float64) bool { return n == before-1 }))
	f.Set(t.Context(), "https://one", "uno", 2, config)
	embeddedtest.Eventually(t, has("external_secrets cluster=uno ready=true", some))
	f.Only(nil)
	embeddedtest.Eventually(t, func(context.Context) error {
		if all := figures(t, reg); slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(name string) bool { return strings.Contains(name, "cluster=") }) {
			return fmt.Errorf("it has figures: %v", all)
		}
		return nil
	})
}

// TestFiguresAreNotWanted: without metrics nothing is kept, and nothing fails.
func TestFiguresAreNotWanted(t *testing.T) {
	var none *Metrics
	none.called("vault", time.Second, errors.New("away"))
	none.forget("one")
	meter{none, "one"}.Refreshed(nil)
	meter{none, "one"}.Standing(1, 2)
	reg := prometheus.NewRegistry()
	kept := NewMetrics(reg)
	kept.called("vault", time.Second, errors.New("away"))
	meter{kept, "one"}.Refreshed(nil)
	meter{kept, "two"}.Standing(1, 2)
	kept.forget("one")
	want := map[string]float64{
		"external_secrets cluster=two ready=true": 1, "external_secrets cluster=two ready=false": 2, "secret_store_seconds outcome=error provider=vault": 1,
	}
	if diff := cmp.Diff(want, figures(t, reg)); diff != "" {
		t.Error(diff)
	}
}
