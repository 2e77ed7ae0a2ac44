package fetch

import (
	"context"
	"errors"
	"fmt"
	"time"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/lease"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Store is one that values are read of.
type Store interface {
	Read(ctx context.Context, ref provider.Ref, since time.Time) (entry.Entry, error)
	Find(ctx context.Context, find esv1.Find) (map[string][]byte, error)
}

// Stores opens the store that a reference names, for a namespace.
type Stores func(ctx context.Context, namespace string, ref esv1.SecretStoreRef) (Store, error)

// Generate makes the values of a generator, for a namespace.
type Generate func(ctx context.Context, namespace string, ref esv1.GeneratorRef) (map[string][]byte, error)

// Lend is Generate, with the lease of values that end.
type Lend func(ctx context.Context, namespace string, ref esv1.GeneratorRef) (map[string][]byte, *lease.Lease, error)

// Sources are where values come from.
type Sources struct {
	Stores   Stores
	Generate Generate
	// Lend counts in place of Generate, for who keeps leases.
	Lend Lend
	// Patience is how long an order may take; for ever when zero. Each entry may take
	// half a minute, and there may be a thousand.
	Patience time.Duration
}

// Order is what to fetch.
type Order struct {
	Namespace string
	Spec      esv1.ExternalSecretSpec
	// Since is how old an entry may be that was read for others.
	Since time.Time
}

// Fetched is what came of it.
type Fetched struct {
	From   []compute.Set
	Values []compute.Value
	// Missing are the places of the spec whose entries the store does not have.
	Missing []string
	// Leases are those of values that end; also of what failed after they were made.
	Leases []lease.Lease
	// Versions are those that providers told, by the keys of entries. Of a key that is
	// read more than once the last one counts, as with values.
	Versions map[string]string
}

// errOne is of a generator that a single value names: what it makes has keys of its own.
var errOne = errors.New("a generator makes a set of values: name it in dataFrom")

// Fetch reads all that an order names. What a store does not have is an error,
// unless the DeletionPolicy says what is to happen then.
func Fetch(ctx context.Context, o Order, sources Sources) (Fetched, error) {
	f := fetcher{Order: o, sources: sources}
	limited := ctx
	if sources.Patience > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, sources.Patience)
		defer cancel()
	}
	err := f.all(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("fetching all values took more than %s: %w", sources.Patience, err)
	}
	if err != nil {
		return Fetched{Leases: f.out.Leases}, err
	}
	return f.out, nil
}

type fetcher struct {
	Order

	sources Sources
	out     Fetched
	sum     provider.Sum
}

func (f *fetcher) all(ctx context.Context) error {
	for i, from := range f.Spec.DataFrom {
		if err := f.set(ctx, fmt.Sprintf("dataFrom[%d]", i), from); err != nil {
			return err
		}
	}
	for i, one := range f.Spec.Data {
		if err := f.value(ctx, fmt.Sprintf("data[%d] (%s)", i, one.SecretKey), one); err != nil {
			return err
		}
	}
	return nil
}

func (f *fetcher) set(ctx context.Context, place string, from esv1.ExternalSecretDataFrom) error {
	set := compute.Set{Place: place, Rewrite: from.Rewrite}
	ref := f.Spec.SecretStoreRef
	if s := from.SourceRef; s != nil {
		if s.GeneratorRef != nil {
			return f.made(ctx, set, *s.GeneratorRef)
		}
		if s.SecretStoreRef != nil {
			ref = *s.SecretStoreRef
		}
	}
	store, err := f.sources.Stores(ctx, f.Namespace, ref)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	switch {
	case from.Find != nil:
		set.Found, set.Conversion, set.Decoding = true, from.Find.ConversionStrategy, from.Find.DecodingStrategy
		set.Data, err = store.Find(ctx, *from.Find)
	case from.Extract != nil:
		set.Conversion, set.Decoding = from.Extract.ConversionStrategy, from.Extract.DecodingStrategy
		set.Property = from.Extract.Property
		var one entry.Entry
		one, err = store.Read(ctx, refOf(*from.Extract), f.Since)
		set.Entry = &one
	default:
		return fmt.Errorf("%s names nothing: set extract, find or sourceRef.generatorRef", place)
	}
	if f.missing(place, err) {
		return nil
	}
	if err == nil {
		err = f.sum.Add(sizeOf(set))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	f.out.From = append(f.out.From, set)
	if set.Entry != nil {
		f.told(from.Extract.Key, *set.Entry)
	}
	return nil
}

// told notes the version of an entry.
func (f *fetcher) told(key string, one entry.Entry) {
	if one.Version == "" {
		return
	}
	if f.out.Versions == nil {
		f.out.Versions = map[string]string{}
	}
	f.out.Versions[key] = one.Version
}

func sizeOf(set compute.Set) (size int) {
	for name, value := range set.Data {
		size += len(name) + len(value)
	}
	if set.Entry != nil {
		size += set.Entry.Size()
	}
	return size
}

// made takes what a generator makes.
func (f *fetcher) made(ctx context.Context, set compute.Set, ref esv1.GeneratorRef) (err error) {
	var lent *lease.Lease
	if f.sources.Lend != nil {
		set.Data, lent, err = f.sources.Lend(ctx, f.Namespace, ref)
	} else {
		set.Data, err = f.sources.Generate(ctx, f.Namespace, ref)
	}
	if lent != nil {
		f.out.Leases = append(f.out.Leases, *lent)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", set.Place, err)
	}
	f.out.From = append(f.out.From, set)
	return nil
}

func (f *fetcher) value(ctx context.Context, place string, one esv1.ExternalSecretData) error {
	ref := f.Spec.SecretStoreRef
	if s := one.SourceRef; s != nil {
		if s.GeneratorRef != nil {
			return fmt.Errorf("%s: %s %s: %w", place, s.GeneratorRef.Kind, s.GeneratorRef.Name, errOne)
		}
		if s.SecretStoreRef.Name != "" {
			ref = s.SecretStoreRef
		}
	}
	store, err := f.sources.Stores(ctx, f.Namespace, ref)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	found, err := store.Read(ctx, refOf(one.RemoteRef), f.Since)
	if f.missing(place, err) {
		return nil
	}
	if err == nil {
		err = f.sum.Add(found.Size()) // also of an entry that was there before: each value is sent with its own
	}
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	f.out.Values = append(f.out.Values, compute.Value{
		Place: place, Key: one.SecretKey, Entry: found, Property: one.RemoteRef.Property, Decoding: one.RemoteRef.DecodingStrategy,
	})
	f.told(one.RemoteRef.Key, found)
	return nil
}

// Lenient reports whether a DeletionPolicy says what happens without values.
func Lenient(policy esv1.DeletionPolicy) bool { return policy != "" && policy != esv1.DeleteNothing }

// missing reports whether an error is that the store does not have something, for
// which the DeletionPolicy is there.
func (f *fetcher) missing(place string, err error) bool {
	if !errors.Is(err, entry.ErrNotFound) || !Lenient(f.Spec.Target.DeletionPolicy) {
		return false
	}
	f.out.Missing = append(f.out.Missing, place)
	return true
}

func refOf(ref esv1.RemoteRef) provider.Ref {
	return provider.Ref{Key: ref.Key, Version: ref.Version, Metadata: ref.MetadataPolicy == "Fetch", Property: ref.Property}
}
