package local

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// later knows a kind once it was asked to look again so many times.
type later struct {
	meta.ResettableRESTMapper

	looks, after int
	fails        error
}

func (l *later) Reset() { l.looks++ }

func (l *later) RESTMapping(kind schema.GroupKind, _ ...string) (*meta.RESTMapping, error) {
	switch {
	case l.looks < l.after:
		return nil, &meta.NoKindMatchError{GroupKind: kind}
	case l.fails != nil:
		return nil, l.fails
	}
	return &meta.RESTMapping{}, nil
}

// TestAKindIsWaitedForWhereItWasDefined: a file may have a definition and objects
// of it; what nobody defined is a typing error.
func TestAKindIsWaitedForWhereItWasDefined(t *testing.T) {
	away := errors.New("connection refused")
	tests := map[string]struct {
		reason  string
		mapper  later
		defined string
		looks   int
		fails   func(error) bool
	}{
		"Known":   {reason: "nothing is waited for", mapper: later{}, defined: "Shop"},
		"Defined": {reason: "a server serves it a moment later", mapper: later{after: 3}, defined: "Shop", looks: 3},
		"Typo":    {reason: "it will never be served", mapper: later{after: 1}, fails: meta.IsNoMatchError},
		"Other":   {reason: "another definition is none of it", mapper: later{after: 1}, defined: "Market", fails: meta.IsNoMatchError},
		"Away":    {reason: "the hub is not asked again by this", mapper: later{fails: away}, defined: "Shop", fails: func(err error) bool { return errors.Is(err, away) }},
		"Lost":    {reason: "nor while it is waited for", mapper: later{after: 2, fails: away}, defined: "Shop", looks: 2, fails: func(err error) bool { return errors.Is(err, away) }},
		"Never":   {reason: "a definition may be refused", mapper: later{after: 1 << 30}, defined: "Shop", looks: int(servedWithin / servedPoll), fails: meta.IsNoMatchError},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &kinds{mapper: &tc.mapper}
				if tc.defined != "" {
					k.note(definitionOf(tc.defined))
				}
				got, err := k.mapping(t.Context(), schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"})
				if tc.fails == nil && (err != nil || got == nil) || tc.fails != nil && !tc.fails(err) || tc.mapper.looks < tc.looks {
					t.Errorf("%s: %v, %v after %d looks", tc.reason, got, err, tc.mapper.looks)
				}
			})
		})
	}
}

func TestWaitingForAKindEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kinds{mapper: &later{after: 1 << 30}}
		k.note(definitionOf("Shop"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := k.mapping(ctx, schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shop"})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Second {
			t.Errorf("who goes away waits on: %v after %s", err, time.Since(began))
		}
	})
}

func definitionOf(kind string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"spec": map[string]any{"group": "example.com", "names": map[string]any{"kind": kind}},
	}}
}
