package difference

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// of is a Deployment with containers.
func of(containers ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "shop"},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": containers}}},
	}}
}

// items are things with names from 0 to n.
func items(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = map[string]any{"name": fmt.Sprintf("A%d", i)}
	}
	return out
}

func TestLongListsAreRefused(t *testing.T) {
	env := func(n int) any { return map[string]any{"name": "web", "env": items(n)} }
	twins := make([]any, 40)
	for i := range twins {
		twins[i] = env(30)
	}
	cases := map[string]struct {
		reason        string
		desired, live *unstructured.Unstructured
		want          string
	}{
		"Live":    {"whoever writes the live object makes it long", of(items(1)...), of(items(1001)...), `1001 entries in "containers"`},
		"Desired": {"so does Git", of(items(1001)...), of(items(1)...), `1001 entries in "containers"`},
		"Below":   {"lists of items are merged, too", of(env(1)), of(env(1001)), `1001 entries in "env"`},
		"Twins":   {"items with one key are merged into one", of(items(1)...), of(twins...), `1200 entries in "env"`},
		"Command": {"a list without keys is one value", of(map[string]any{"name": "web", "args": items(0)}), of(map[string]any{"name": "web", "args": texts(5000)}), ""},
		"Several": {"long lists of several items are matched each by itself", of(items(1)...), of(map[string]any{"name": "a", "env": items(300)}, map[string]any{"name": "b", "env": items(300)}), ""},
	}
	for name, tc := range cases {
		for _, serverSide := range []bool{false, true} {
			t.Run(fmt.Sprint(name, serverSide), func(t *testing.T) {
				_, err := Of(t.Context(), Input{Desired: tc.desired, Live: tc.live, ServerSide: serverSide, Manager: "m"})
				if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "ServerSideDiff")) {
					t.Errorf("%s: %v", tc.reason, err)
				}
			})
		}
	}
}

func texts(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = "x"
	}
	return out
}

// A kind without a schema has lists that are one value, however long they are.
func TestLongListsOfOtherKinds(t *testing.T) {
	other := func(n int) *unstructured.Unstructured {
		o := of(items(n)...)
		o.SetAPIVersion("example.com/v1")
		return o
	}
	got, err := Of(t.Context(), Input{Desired: other(5000), Live: other(5001)})
	if err != nil || !got.Modified {
		t.Error(got.Modified, err)
	}
	if found, err := Deviations(other(13_000), other(13_001), "m", gitops.Drift{}); err != nil || len(found) != 1 {
		t.Error(found, err)
	}
}

func TestWhatIsSortedIsBounded(t *testing.T) {
	wide := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "wide"}, "data": map[string]any{}}}
	for i := range 50_001 {
		wide.Object["data"].(map[string]any)[strconv.Itoa(i)] = ""
	}
	for name, o := range map[string]*unstructured.Unstructured{"List": of(items(12_501)...), "Map": wide} {
		t.Run(name, func(t *testing.T) {
			little := o.DeepCopy()
			delete(little.Object, "data")
			delete(little.Object, "spec")
			if _, err := Deviations(o, little, "m", gitops.Drift{}); err == nil || !strings.Contains(err.Error(), "ignoreDifferences") {
				t.Error(err)
			}
			if _, err := Foretell(t.Context(), little, o, "m"); err == nil {
				t.Error("foretold")
			}
			if _, err := Written(o, little); err == nil {
				t.Error("written")
			}
		})
	}
}

func TestComparingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, serverSide := range []bool{false, true} {
		_, err := Of(ctx, Input{Desired: of(items(1)...), Live: of(items(2)...), ServerSide: serverSide, Manager: "m"})
		if !errors.Is(err, context.Canceled) {
			t.Error(serverSide, err)
		}
	}
}
