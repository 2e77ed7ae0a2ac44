package aws

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
	"github.com/aws/smithy-go"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

// What Secrets Manager takes at a time.
const (
	perList    = 100
	perBatch   = 20
	perRequest = 10 // filters
)

// Find takes the secrets whose name begins with a path, matches, and which have these
// tags. What is marked for deletion is not there.
func (m *manager) Find(ctx context.Context, find esv1.Find) (map[string][]byte, error) {
	s, err := newSearch(find, m.config.Prefix)
	if err != nil {
		return nil, err
	}
	names, err := m.list(ctx, s)
	if err != nil {
		return nil, err
	}
	one := false
	for batch := range slices.Chunk(names, perBatch) {
		if !one {
			batch, err = m.batch(ctx, s, batch)
			if one = lacksRight(err); err != nil && !one {
				return nil, err
			}
		}
		for _, name := range batch {
			if err := m.single(ctx, s, name); err != nil {
				return nil, err
			}
		}
	}
	return s.Out, nil
}

// list are the names of all that match.
func (m *manager) list(ctx context.Context, s *search) (names []string, err error) {
	most := int32(perList)
	in := &secretsmanager.ListSecretsInput{MaxResults: &most, Filters: filters(s)}
	for {
		out, err := ask(ctx, m.asker, "list secrets", func(ctx context.Context) (*secretsmanager.ListSecretsOutput, error) {
			return m.client.ListSecrets(ctx, in)
		})
		if err != nil {
			return nil, err
		}
		if out.SecretList == nil {
			return nil, errors.New("cannot list secrets: the answer has no SecretList")
		}
		for _, one := range out.SecretList {
			name := text(one.Name)
			matches, err := s.matches(name)
			if err != nil {
				return nil, err
			}
			if matches && one.DeletedDate == nil && strings.HasPrefix(name, s.Path) && tagged(one.Tags, s.Tags) {
				names = append(names, name)
			}
		}
		if in.NextToken, err = s.next(out.NextToken); err != nil || in.NextToken == nil {
			return names, err
		}
	}
}

// tagged reports whether a secret has all these tags: filters compare but beginnings.
func tagged(has []types.Tag, want map[string]string) bool {
	for key, value := range want {
		if !slices.ContainsFunc(has, func(tag types.Tag) bool { return text(tag.Key) == key && text(tag.Value) == value }) {
			return false
		}
	}
	return true
}

// filterable is what a filter may hold. One that begins with an exclamation mark means
// the opposite.
var filterable = regexp.MustCompile(`^[a-zA-Z0-9 :_@/+=.\-][a-zA-Z0-9 :_@/+=.\-!]*$`)

// filters have AWS leave out most of what does not match.
func filters(s *search) (all []types.Filter) {
	add := func(key types.FilterNameStringType, value string) {
		if len(all) < perRequest && filterable.MatchString(value) {
			all = append(all, types.Filter{Key: key, Values: []string{value}})
		}
	}
	if s.Path != "" {
		add(types.FilterNameStringTypeName, s.Path)
	} else {
		add(types.FilterNameStringTypeName, s.prefix)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		add(types.FilterNameStringTypeTagKey, key)
		add(types.FilterNameStringTypeTagValue, s.Tags[key])
	}
	return all
}

// batch reads some secrets at a time, and returns those that it was told nothing of: of
// all, where the right to do so is missing, which one has that may read each.
func (m *manager) batch(ctx context.Context, s *search, names []string) (left []string, err error) {
	out, err := ask(ctx, m.asker, "read secrets", func(ctx context.Context) (*secretsmanager.BatchGetSecretValueOutput, error) {
		return m.client.BatchGetSecretValue(ctx, &secretsmanager.BatchGetSecretValueInput{SecretIdList: names})
	})
	if err != nil {
		return names, err
	}
	left = slices.Clone(names)
	done := func(name string) {
		left = slices.DeleteFunc(left, func(one string) bool { return one == name })
	}
	for _, one := range out.SecretValues {
		name := text(one.Name)
		if !slices.Contains(left, name) {
			continue
		}
		value, err := valueOf(name, one.SecretString, one.SecretBinary)
		if err != nil {
			return nil, err
		}
		if err := s.Found(name, value); err != nil {
			return nil, err
		}
		done(name)
	}
	for _, wrong := range out.Errors {
		why := &smithy.GenericAPIError{Code: text(wrong.ErrorCode), Message: text(wrong.Message)}
		if !isAbsent(why.Code, why.Message) {
			return nil, m.explain(ctx, "read secret "+text(wrong.SecretId), why)
		}
		done(text(wrong.SecretId))
	}
	return left, nil
}

func (m *manager) single(ctx context.Context, s *search, name string) error {
	out, err := ask(ctx, m.asker, "read secret "+name, func(ctx context.Context) (*secretsmanager.GetSecretValueOutput, error) {
		return m.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &name})
	})
	if err != nil {
		if err = absent(err); errors.Is(err, entry.ErrNotFound) {
			return nil // it went since it was listed
		}
		return err
	}
	value, err := valueOf(name, out.SecretString, out.SecretBinary)
	if err != nil {
		return err
	}
	return s.Found(name, value)
}
