package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/secrets/lint"
)

const stringData = `
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: %s}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: beside}
data: {token: %[1]s}
`

func TestStringDataFollowsGitAndIsHealed(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": fmt.Sprintf(stringData, "first")})
	e.app("app", "app")
	e.until("app", "Synced and Healthy", good)
	token := func(want string) {
		t.Helper()
		embeddedtest.Eventually(t, func(ctx context.Context) error {
			secret := &corev1.Secret{}
			err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "token"}, secret)
			if err == nil && string(secret.Data["token"]) != want {
				err = fmt.Errorf("the token is %q, want %q", secret.Data["token"], want)
			}
			return err
		})
	}
	token("first")
	e.write("app/a.yaml", fmt.Sprintf(stringData, "second"))
	token("second")

	secret := &corev1.Secret{}
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "token"}, secret); err != nil {
		t.Fatal(err)
	}
	drifted := secret.DeepCopy()
	drifted.Data["token"] = []byte("by hand")
	if err := e.Patch(t.Context(), drifted, client.MergeFrom(secret)); err != nil {
		t.Fatal(err)
	}
	token("second")
}

// TestLintKnowsTheProviders: lint tells of a store whose provider the engine does not have.
func TestLintKnowsTheProviders(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(providers())), slices.Sorted(slices.Values(lint.Providers))); diff != "" {
		t.Errorf("lint.Providers in internal/secrets/lint/alone.go are not those of the engine (-engine +lint):\n%s", diff)
	}
}

// TestChartReadsTheGenerators: who installs the chart has each generator without another right.
func TestChartReadsTheGenerators(t *testing.T) {
	chart, err := os.ReadFile("../../deploy/charts/causeway/templates/externalsecrets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, rule, _ := strings.Cut(string(chart), "apiGroups: [generators.external-secrets.io]")
	rule, _, _ = strings.Cut(rule, "verbs:")
	kinds := slices.Concat([]string{"ClusterGenerator"}, slices.Collect(maps.Keys(makers())), slices.Collect(maps.Keys(lenders(nil))))
	for _, kind := range kinds {
		if !strings.Contains(rule, strings.ToLower(kind)+"s") {
			t.Errorf("the chart does not let the engine read %s:%s", kind, rule)
		}
	}
}
