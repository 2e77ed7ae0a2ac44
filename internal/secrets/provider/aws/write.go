package aws

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// marked are the tags of an entry that is made: those of the PushSecret, and the mark.
func marked(tags map[string]string) map[string]string {
	out := maps.Clone(tags)
	if out == nil {
		out = map[string]string{}
	}
	out[provider.ManagedBy] = provider.Manager
	return out
}

func notManaged(key string) error {
	return fmt.Errorf("%w: %s has not the tag %s=%s", provider.ErrNotManaged, key, provider.ManagedBy, provider.Manager)
}

// tagsOf makes the tags of one of the services.
func tagsOf[T any](tags map[string]string, tag func(key, value *string) T) (out []T) {
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, tag(aws.String(key), aws.String(tags[key])))
	}
	return out
}

// retag is which tags are set and which go, where a PushSecret names some: these are all
// that there are to be, as External Secrets documents it. Those of AWS itself, as of the
// stack that an entry is of, stay: to remove one is refused, with all others.
func retag(now, said map[string]string) (set map[string]string, gone []string) {
	if said == nil {
		return nil, nil
	}
	wanted := marked(said)
	set = map[string]string{}
	for key, value := range wanted {
		if has, is := now[key]; !is || has != value {
			set[key] = value
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if _, is := wanted[key]; !is && !strings.HasPrefix(key, "aws:") {
			gone = append(gone, key)
		}
	}
	return set, gone
}

// content is what an entry holds after a push, beside what it holds now.
func content(push provider.Push, now []byte) ([]byte, error) {
	if push.Property == "" {
		return push.Value, nil
	}
	object, err := fieldsOf(push.Key, now)
	if err != nil {
		return nil, err
	}
	return textOf(provider.With(object, push.Property, push.Value))
}

func fieldsOf(key string, now []byte) (map[string]any, error) {
	if len(now) == 0 {
		return map[string]any{}, nil
	}
	object, err := provider.Object(now)
	if err != nil {
		return nil, fmt.Errorf("%s cannot have a property: %w", key, err)
	}
	return object, nil
}

func textOf(object map[string]any) ([]byte, error) {
	text, err := provider.Text(object)
	if err != nil {
		return nil, errors.New("the fields are no JSON")
	}
	return text, nil
}

// sameContent reports whether an entry need not be written.
func sameContent(push provider.Push, now, wanted []byte) bool {
	if string(now) == string(wanted) {
		return true
	}
	if push.Property == "" {
		return false
	}
	a, errA := provider.Object(now)
	b, errB := provider.Object(wanted)
	return errA == nil && errB == nil && provider.Same(a, b)
}
