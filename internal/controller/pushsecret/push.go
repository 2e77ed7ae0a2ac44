package pushsecret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// synced are the entries that were written, by their stores and their names.
type synced map[string]map[string]v1alpha1.PushSecretData

func (s synced) note(in string, id string, note v1alpha1.PushSecretData) {
	if s[in] == nil {
		s[in] = map[string]v1alpha1.PushSecretData{}
	}
	s[in][id] = note
}

func (s synced) drop(in, id string) {
	delete(s[in], id)
	if len(s[in]) == 0 {
		delete(s, in)
	}
}

// turn is one time that values are written.
type turn struct {
	r  *Reconciler
	of *v1alpha1.PushSecret
	// synced is what is in stores of what was written, now.
	synced synced
	// version is that of the Secret that was read.
	version string
	// secrets are values that no error may show.
	secrets [][]byte
	// room is what may still be kept of values and entries, in bytes.
	room int
}

const (
	// mostBytes is what one PushSecret may have the engine keep: values, what is made of
	// them, and the entries that they are written to.
	mostBytes = 16 << 20
	// perEntry is about what an entry takes besides its value.
	perEntry = 256
)

var errTooMuch = fmt.Errorf("the values, and what is made of them for all entries, have more than %d MiB: push fewer of them with one PushSecret", mostBytes>>20)

// take is an error where there is no room for so many bytes.
func (t *turn) take(bytes int) error {
	if t.room -= bytes; t.room < 0 {
		return errTooMuch
	}
	return nil
}

func (r *Reconciler) turn(of *v1alpha1.PushSecret) *turn {
	t := &turn{r: r, of: of, synced: synced{}, room: mostBytes}
	now := synced(of.Status.SyncedPushSecrets)
	r.mu.Lock()
	defer r.mu.Unlock()
	if unnoted := r.unnoted[of.UID]; unnoted != nil {
		now = unnoted
	}
	for in, all := range now {
		t.synced[in] = maps.Clone(all)
	}
	return t
}

func compare(a, b string) int { return strings.Compare(a, b) }

// all writes what is named, and then takes out what is not any more.
func (t *turn) all(ctx context.Context) error {
	if err := t.known(); err != nil {
		return err
	}
	stores, err := t.stores(ctx)
	if err != nil {
		return err
	}
	if err := t.r.hold(ctx, t.of); err != nil {
		return err
	}
	done, err := t.generatedBefore(ctx, stores)
	if err != nil {
		return err
	}
	if done {
		return t.tidy(ctx, t.named(stores))
	}
	from, err := t.sources(ctx)
	if errors.Is(err, errNoSource) && t.of.Spec.DeletionPolicy == v1alpha1.DeletionDelete {
		return errors.Join(err, t.deleteAll(ctx))
	}
	if err != nil {
		return err
	}
	plan, err := t.plan(ctx, stores, from)
	if err != nil {
		return err
	}
	var failures []error
	for _, one := range stores {
		if err := t.write(ctx, one, plan[one.id]); err != nil {
			failures = append(failures, err)
		}
	}
	if len(failures) > 0 {
		return errors.Join(failures...)
	}
	return t.tidy(ctx, plan)
}

// known is an error where a policy is one of a later release.
func (t *turn) known() error {
	spec := t.of.Spec
	switch {
	case spec.UpdatePolicy != "" && spec.UpdatePolicy != "Replace" && spec.UpdatePolicy != v1alpha1.UpdateIfNotExists:
		return fmt.Errorf("updatePolicy %q; there are Replace and IfNotExists", spec.UpdatePolicy)
	case spec.DeletionPolicy != "" && spec.DeletionPolicy != "None" && spec.DeletionPolicy != v1alpha1.DeletionDelete:
		return fmt.Errorf("deletionPolicy %q; there are None and Delete", spec.DeletionPolicy)
	}
	return nil
}

// generatedBefore reports whether all that a generator would make is in the stores
// already, where that is to stay: then none is asked for another value.
func (t *turn) generatedBefore(ctx context.Context, stores []opened) (bool, error) {
	spec := t.of.Spec
	if spec.Selector.GeneratorRef == nil || spec.UpdatePolicy != v1alpha1.UpdateIfNotExists || len(spec.DataTo) > 0 || len(spec.Data) == 0 {
		return false, nil
	}
	for _, one := range stores {
		for _, d := range spec.Data {
			is, err := one.Exists(ctx, targetOf(d))
			if err != nil {
				return false, fmt.Errorf("cannot look for %s in %s: %w", targetOf(d), one.found, err)
			}
			if !is {
				return false, nil
			}
		}
	}
	return true, nil
}

// write writes to one store, as much as can be written.
func (t *turn) write(ctx context.Context, to opened, plan []planned) error {
	var failures []error
	for _, one := range plan {
		if ctx.Err() != nil {
			return errors.Join(append(failures, context.Cause(ctx))...)
		}
		_, before := t.synced[to.id][idOf(one.note)]
		if t.of.Spec.UpdatePolicy == v1alpha1.UpdateIfNotExists {
			is, err := to.Exists(ctx, one.push.Target)
			if err != nil {
				failures = append(failures, fmt.Errorf("cannot look for %s in %s: %w", one.push.Target, to.found, err))
			}
			if is && before {
				t.synced.note(to.id, idOf(one.note), one.note)
			}
			if err != nil || is {
				continue // what somebody else wrote is not noted: it would be deleted later
			}
		}
		if err := to.Put(ctx, one.push); err != nil {
			failures = append(failures, fmt.Errorf("cannot write %s to %s as %s: %w", orWhole(one.from), to.found, one.push.Target, err))
			continue
		}
		t.synced.note(to.id, idOf(one.note), one.note)
	}
	return errors.Join(failures...)
}

// hide masks values in an error: a server may repeat what it was told.
func (t *turn) hide(err error) error {
	if err == nil || len(t.secrets) == 0 {
		return err
	}
	text := redact.Repeated(err.Error(), t.secrets)
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

var _ provider.Writer = (*store.Opened)(nil)
