package chronicle

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/history"
)

// TestSyncsOfAnApplicationAreForgotten with it, and those to another place as soon as it leaves that.
func TestSyncsOfAnApplicationAreForgotten(t *testing.T) {
	a, registry := newAppCounter(), prometheus.NewRegistry()
	registry.MustRegister(a.syncs)
	series := func() (n int) {
		all, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			n += len(f.GetMetric())
		}
		return n
	}
	sync := func(name, server string) {
		a.count(&history.Sync{App: history.App{Namespace: "argocd", Name: name}, Project: "p\xff", Server: server, Phase: "Succeeded"})
	}
	sync("other", "https://a")
	for i := range 100 {
		sync("shop", fmt.Sprint("https://", i))
	}
	if got := series(); got != 2 {
		t.Errorf("two applications have %d series", got)
	}
	a.forget(types.NamespacedName{Namespace: "argocd", Name: "shop"})
	if got := series(); got != 1 || len(a.last) != 1 {
		t.Errorf("of one that is left there are %d series, %d places", got, len(a.last))
	}
}
