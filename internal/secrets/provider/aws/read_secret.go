package aws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// manager reads Secrets Manager.
type manager struct {
	*asker

	client *secretsmanager.Client
}

var _ provider.Reader = (*manager)(nil)

// byID begins a version that is an ID, and no label.
const byID = "uuid/"

// Read is the value of a secret: that with the label AWSCURRENT, or of the version that
// is asked for.
func (m *manager) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	key, err := m.key(ref.Key)
	if err != nil {
		return entry.Entry{}, err
	}
	if ref.Metadata {
		return m.tags(ctx, key)
	}
	in := &secretsmanager.GetSecretValueInput{SecretId: &key}
	if id, ok := strings.CutPrefix(ref.Version, byID); ok {
		in.VersionId = &id
	} else if ref.Version != "" {
		in.VersionStage = &ref.Version
	}
	out, err := ask(ctx, m.asker, "read secret "+key, func(ctx context.Context) (*secretsmanager.GetSecretValueOutput, error) {
		return m.client.GetSecretValue(ctx, in)
	})
	if err != nil {
		return entry.Entry{}, absent(err)
	}
	value, err := valueOf(key, out.SecretString, out.SecretBinary)
	if err != nil {
		return entry.Entry{}, err
	}
	return entry.Object(value).At(aws.ToString(out.VersionId)), nil
}

// valueOf is a text or bytes. Of a field that is not there, half an answer is as good as
// a whole one.
func valueOf(key string, text *string, binary []byte) ([]byte, error) {
	switch {
	case text != nil:
		return []byte(*text), nil
	case binary != nil:
		return binary, nil
	default:
		return nil, fmt.Errorf("cannot read secret %s: the answer has neither SecretString nor SecretBinary", key)
	}
}

// absent is an error of a secret that is not there any more.
func absent(err error) error {
	if isAbsent(answered(err)) {
		return fmt.Errorf("%w: %w", entry.ErrNotFound, err)
	}
	return err
}

// isAbsent reports whether Secrets Manager says that there is no such secret or version.
// One that is marked for deletion is gone, although it can still be taken back.
func isAbsent(code, message string) bool {
	switch code {
	case "ResourceNotFoundException":
		return true
	case "InvalidRequestException", "InvalidParameterException":
		return strings.Contains(message, "was marked for deletion")
	}
	return false
}

// tags are those of a secret.
func (m *manager) tags(ctx context.Context, key string) (entry.Entry, error) {
	out, err := ask(ctx, m.asker, "read the tags of secret "+key, func(ctx context.Context) (*secretsmanager.DescribeSecretOutput, error) {
		return m.client.DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: &key})
	})
	switch {
	case err != nil:
		return entry.Entry{}, absent(err)
	case out.DeletedDate != nil:
		return entry.Entry{}, fmt.Errorf("%w: secret %s is marked for deletion", entry.ErrNotFound, key)
	case out.Name == nil:
		return entry.Entry{}, fmt.Errorf("cannot read the tags of secret %s: the answer has no name", key)
	}
	all := map[string]string{}
	for _, tag := range out.Tags {
		all[text(tag.Key)] = text(tag.Value)
	}
	return objectOf(all)
}

func objectOf(all map[string]string) (entry.Entry, error) {
	object, err := json.Marshal(all)
	if err != nil {
		return entry.Entry{}, errors.New("the tags are no JSON")
	}
	return entry.Object(object), nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// key is the name of an entry, or its ARN. A store with a prefix is one of some entries
// alone, which an ARN would lead out of.
func (a *asker) key(key string) (string, error) {
	switch {
	case key == "":
		return "", errors.New("the key is empty")
	case a.config.Prefix != "" && strings.HasPrefix(key, "arn:"):
		return "", fmt.Errorf("the store has the prefix %q: the key is the rest of a name, and no ARN", a.config.Prefix)
	}
	return a.config.Prefix + key, nil
}
