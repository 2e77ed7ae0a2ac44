package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// ErrReadOnly is of a store that values cannot be written to.
var ErrReadOnly = errors.New("the provider cannot be written to")

// Writes reports whether the store can be written to.
func (o *Opened) Writes() bool {
	_, ok := o.reader.(provider.Writer)
	return ok
}

// Put writes an entry. Whoever reads it next reads it anew.
func (o *Opened) Put(ctx context.Context, push provider.Push) error {
	giveBack, err := o.turns.take(ctx, entryOf{o.UID, push.Key})
	if err != nil {
		return err
	}
	defer giveBack()
	err = o.write(ctx, func(ctx context.Context, w provider.Writer) error { return w.Put(ctx, push) })
	o.outdated(push.Key)
	return err
}

// Delete takes out what was written.
func (o *Opened) Delete(ctx context.Context, target provider.Target) error {
	giveBack, err := o.turns.take(ctx, entryOf{o.UID, target.Key})
	if err != nil {
		return err
	}
	defer giveBack()
	err = o.write(ctx, func(ctx context.Context, w provider.Writer) error { return w.Delete(ctx, target) })
	o.outdated(target.Key)
	return err
}

// Exists reports whether there is such an entry, with that field.
func (o *Opened) Exists(ctx context.Context, target provider.Target) (is bool, err error) {
	err = o.write(ctx, func(ctx context.Context, w provider.Writer) error {
		is, err = w.Exists(ctx, target)
		return err
	})
	return is, err
}

func (o *Opened) write(ctx context.Context, do func(context.Context, provider.Writer) error) error {
	w, ok := o.reader.(provider.Writer)
	if !ok {
		return fmt.Errorf("%w: %s is of the provider %s", ErrReadOnly, o, o.Provider)
	}
	ctx, done, err := o.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	began := o.now()
	err = crew.Safely(func() error { return do(ctx, w) })
	o.asked(o.Provider, o.now().Sub(began), err)
	o.heed(err)
	return err
}

// outdated drops what was read of an entry before it was written.
func (o *Opened) outdated(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for ref, one := range o.entries {
		if ref.Key == key {
			o.drop(ref, one)
		}
	}
}
