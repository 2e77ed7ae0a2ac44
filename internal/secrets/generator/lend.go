package generator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Lender makes values of one kind of generator that count for a time.
type Lender interface {
	// Lend makes values; without a lease where they do not end.
	Lend(ctx context.Context, spec json.RawMessage, around store.Around) (map[string][]byte, *lease.Lease, error)
	// Renew has them count for longer, as far as the server lets them; lease.ErrOver of
	// those that have ended.
	Renew(ctx context.Context, spec json.RawMessage, around store.Around, l lease.Lease) (lease.Lease, error)
	// Revoke ends them. Without a spec, it is as whoever made or renewed them.
	Revoke(ctx context.Context, spec json.RawMessage, around store.Around, l lease.Lease) error
}

// longestCall is how long a server may take to make, renew or revoke.
const longestCall = 30 * time.Second

// Lend is Generate, with the lease of values that end.
func (g Generators) Lend(ctx context.Context, namespace string, ref esv1.GeneratorRef) (map[string][]byte, *lease.Lease, error) {
	one, err := g.find(ctx, namespace, ref)
	if err != nil {
		return nil, nil, err
	}
	lender := g.Lenders[one.kind]
	if lender == nil {
		values, err := g.Makers[one.kind](ctx, one.spec, g.Around(namespace))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", one.name, err)
		}
		return values, nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	values, l, err := lender.Lend(ctx, one.spec, g.Around(namespace))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", one.name, err)
	}
	if l != nil {
		l.Generator = ref.Kind + "/" + ref.Name
	}
	return values, l, nil
}

// Renew has credentials count for longer that somebody in a namespace has.
func (g Generators) Renew(ctx context.Context, namespace string, l lease.Lease) (lease.Lease, error) {
	one, err := g.find(ctx, namespace, refOf(l))
	if err != nil {
		return l, err
	}
	lender := g.Lenders[one.kind]
	if lender == nil {
		return l, fmt.Errorf("%w: %s makes none that end", lease.ErrOver, one.name)
	}
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	renewed, err := lender.Renew(ctx, one.spec, g.Around(namespace), l)
	if err != nil {
		return l, fmt.Errorf("%s: %w", one.name, err)
	}
	return renewed, nil
}

// Revoke ends credentials that somebody in a namespace had. Their generator may be gone,
// as it often is deleted together with who used it.
func (g Generators) Revoke(ctx context.Context, namespace string, l lease.Lease) error {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	one, err := g.find(ctx, namespace, refOf(l))
	if err == nil && g.Lenders[one.kind] != nil {
		if err := g.Lenders[one.kind].Revoke(ctx, one.spec, g.Around(namespace), l); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		return nil
	}
	if errors.Is(err, ErrKind) {
		return fmt.Errorf("%w: %w", lease.ErrRefused, err)
	}
	if err != nil && !errors.Is(err, ErrAbsent) {
		return err
	}
	for _, lender := range g.Lenders {
		if err = lender.Revoke(ctx, nil, g.Around(namespace), l); err == nil {
			return nil
		}
	}
	return err
}

// refOf is the reference that a lease was made by.
func refOf(l lease.Lease) esv1.GeneratorRef {
	kind, name, _ := strings.Cut(l.Generator, "/")
	return esv1.GeneratorRef{Kind: kind, Name: name}
}
