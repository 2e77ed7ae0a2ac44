package generator

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// lender notes what it is asked for, with the spec.
type lender struct{ asked []string }

func (l *lender) Lend(_ context.Context, spec json.RawMessage, _ store.Around) (map[string][]byte, *lease.Lease, error) {
	l.asked = append(l.asked, "lend "+string(spec))
	return map[string][]byte{"a": []byte("b")}, &lease.Lease{ID: "1"}, nil
}

func (l *lender) Renew(_ context.Context, spec json.RawMessage, _ store.Around, one lease.Lease) (lease.Lease, error) {
	l.asked = append(l.asked, "renew "+string(spec))
	one.Final = true
	return one, nil
}

func (l *lender) Revoke(_ context.Context, spec json.RawMessage, _ store.Around, _ lease.Lease) error {
	l.asked = append(l.asked, "revoke "+string(spec))
	return nil
}

func TestLeasesAreKeptByWhoMadeThem(t *testing.T) {
	server := &lender{}
	g := Generators{
		Objects: objects{
			"VaultDynamicSecret ns/db": {"path": "x"},
			"Fake ns/values":           {"data": map[string]any{"a": "b"}},
			"ClusterGenerator /db":     {"kind": "VaultDynamicSecret", "generator": map[string]any{"vaultDynamicSecretSpec": map[string]any{"path": "y"}}},
		},
		Makers: map[string]Maker{"Fake": Fake}, Lenders: map[string]Lender{"VaultDynamicSecret": server},
		Around: func(string) store.Around { return store.Around{} },
	}
	for _, ref := range []esv1.GeneratorRef{{Kind: "VaultDynamicSecret", Name: "db"}, {Kind: "ClusterGenerator", Name: "db"}} {
		values, l, err := g.Lend(t.Context(), "ns", ref)
		if err != nil || len(values) != 1 || l.Generator != ref.Kind+"/"+ref.Name {
			t.Fatalf("%v: %v, %v, %v", ref, values, l, err)
		}
		if renewed, err := g.Renew(t.Context(), "ns", *l); err != nil || !renewed.Final {
			t.Errorf("%v: %v, %v", ref, renewed, err)
		}
		if err := g.Revoke(t.Context(), "ns", *l); err != nil {
			t.Error(err)
		}
	}
	if _, l, err := g.Lend(t.Context(), "ns", esv1.GeneratorRef{Kind: "Fake", Name: "values"}); err != nil || l != nil {
		t.Errorf("values that do not end: %v, %v", l, err)
	}
	if _, err := g.Renew(t.Context(), "ns", lease.Lease{Generator: "Fake/values"}); !errors.Is(err, lease.ErrOver) {
		t.Errorf("a generator that makes none any more: %v", err)
	}
	if _, err := g.Renew(t.Context(), "ns", lease.Lease{Generator: "VaultDynamicSecret/gone"}); !errors.Is(err, ErrAbsent) {
		t.Errorf("a generator that is gone: %v", err)
	}
	if err := g.Revoke(t.Context(), "ns", lease.Lease{Generator: "VaultDynamicSecret/gone"}); err != nil {
		t.Errorf("it is revoked as who made it: %v", err)
	}
	if err := g.Revoke(t.Context(), "ns", lease.Lease{Generator: "VaultDynamicSecret/away"}); !errors.Is(err, errAway) {
		t.Errorf("the API server is away: %v", err)
	}
	if err := g.Revoke(t.Context(), "ns", lease.Lease{Generator: "Grafana/x"}); !errors.Is(err, lease.ErrRefused) {
		t.Errorf("a kind that nobody has: %v", err)
	}
	want := `lend {"path":"x"} renew {"path":"x"} revoke {"path":"x"} lend {"path":"y"} renew {"path":"y"} revoke {"path":"y"} revoke`
	if got := strings.TrimSpace(strings.Join(server.asked, " ")); got != want {
		t.Errorf("asked\n%s, want\n%s", got, want)
	}
}
