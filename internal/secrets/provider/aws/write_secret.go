package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

var _ provider.Writer = (*manager)(nil)

// SecretMetadata is what a PushSecret says of a secret.
type SecretMetadata struct {
	// SecretPushFormat is binary, which is what an empty one means, or string.
	SecretPushFormat string `json:"secretPushFormat,omitempty"`
	// KMSKeyID and Description are of a secret that is made.
	KMSKeyID    string            `json:"kmsKeyID,omitempty"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
}

const formatString = "string"

// held is a secret as it is.
type held struct {
	there, managed bool
	// leaving is that it is marked for deletion.
	leaving bool
	tags    map[string]string
	value   []byte
	// format is how a secret is kept, and kind is that of a parameter.
	format string
	kind   ssmtypes.ParameterType
}

// Put makes a secret, or gives one that a PushSecret made another value.
func (m *manager) Put(ctx context.Context, push provider.Push) error {
	var said SecretMetadata
	if err := provider.ReadMetadata(push.Metadata, &said); err != nil {
		return err
	}
	if f := said.SecretPushFormat; f != "" && f != "binary" && f != formatString {
		return fmt.Errorf("metadata.secretPushFormat %q; there are binary and string", f)
	}
	key, err := m.key(push.Key)
	if err != nil {
		return err
	}
	now, err := m.held(ctx, key)
	if err != nil {
		return err
	}
	if now.there && !now.managed {
		return notManaged(key)
	}
	if now.leaving {
		if now, err = m.takenBack(ctx, key); err != nil {
			return err
		}
	}
	value, err := content(push, now.value)
	if err != nil {
		return err
	}
	if !now.there {
		return m.create(ctx, key, value, said)
	}
	if !sameContent(push, now.value, value) {
		if err := m.set(ctx, key, value, said); err != nil {
			return err
		}
	}
	return m.retag(ctx, key, now.tags, said.Tags)
}

func (m *manager) create(ctx context.Context, key string, value []byte, said SecretMetadata) error {
	in := &secretsmanager.CreateSecretInput{Name: &key, KmsKeyId: given(said.KMSKeyID), Description: given(said.Description)}
	in.Tags = tagsOf(marked(said.Tags), func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
	in.SecretString, in.SecretBinary = said.as(value)
	_, err := ask(ctx, m.asker, "create secret "+key, func(ctx context.Context) (*secretsmanager.CreateSecretOutput, error) {
		return m.client.CreateSecret(ctx, in)
	})
	return err
}

func (m *manager) set(ctx context.Context, key string, value []byte, said SecretMetadata) error {
	in := &secretsmanager.PutSecretValueInput{SecretId: &key}
	in.SecretString, in.SecretBinary = said.as(value)
	_, err := ask(ctx, m.asker, "write secret "+key, func(ctx context.Context) (*secretsmanager.PutSecretValueOutput, error) {
		return m.client.PutSecretValue(ctx, in)
	})
	return err
}

func (s SecretMetadata) as(value []byte) (*string, []byte) {
	if s.SecretPushFormat != formatString {
		return nil, value
	}
	text := string(value)
	return &text, nil
}

func (m *manager) retag(ctx context.Context, key string, now, said map[string]string) error {
	set, gone := retag(now, said)
	if len(set) > 0 {
		in := &secretsmanager.TagResourceInput{SecretId: &key, Tags: tagsOf(set, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })}
		if _, err := ask(ctx, m.asker, "tag secret "+key, func(ctx context.Context) (*secretsmanager.TagResourceOutput, error) {
			return m.client.TagResource(ctx, in)
		}); err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	in := &secretsmanager.UntagResourceInput{SecretId: &key, TagKeys: gone}
	_, err := ask(ctx, m.asker, "untag secret "+key, func(ctx context.Context) (*secretsmanager.UntagResourceOutput, error) {
		return m.client.UntagResource(ctx, in)
	})
	return err
}

// held is a secret as it is. One that is marked for deletion is there, so that none is made
// in its place, which AWS refuses.
func (m *manager) held(ctx context.Context, key string) (now held, err error) {
	out, err := ask(ctx, m.asker, "describe secret "+key, func(ctx context.Context) (*secretsmanager.DescribeSecretOutput, error) {
		return m.client.DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: &key})
	})
	if code, _ := answered(err); code == "ResourceNotFoundException" {
		return now, nil
	}
	if err != nil {
		return now, err
	}
	now.there, now.leaving, now.tags = true, out.DeletedDate != nil, map[string]string{}
	for _, tag := range out.Tags {
		now.tags[text(tag.Key)] = text(tag.Value)
	}
	now.managed = now.tags[provider.ManagedBy] == provider.Manager
	if !now.managed || now.leaving {
		return now, nil // its value is nobody's here, or cannot be read
	}
	got, err := ask(ctx, m.asker, "read secret "+key, func(ctx context.Context) (*secretsmanager.GetSecretValueOutput, error) {
		return m.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &key})
	})
	if err := absent(err); errors.Is(err, entry.ErrNotFound) {
		return now, nil // it was made without a value
	}
	if err != nil {
		return now, err
	}
	if got.SecretString != nil {
		now.format = formatString
	}
	now.value, err = valueOf(key, got.SecretString, got.SecretBinary)
	return now, err
}

// takenBack is a secret that was marked for deletion, and is not any more: a PushSecret
// made it, and writes it again.
func (m *manager) takenBack(ctx context.Context, key string) (held, error) {
	_, err := ask(ctx, m.asker, "restore secret "+key+", which is marked for deletion,", func(ctx context.Context) (*secretsmanager.RestoreSecretOutput, error) {
		return m.client.RestoreSecret(ctx, &secretsmanager.RestoreSecretInput{SecretId: &key})
	})
	if err != nil {
		return held{}, err
	}
	return m.held(ctx, key)
}

// Delete takes a field out of a secret, and deletes one with its last field. AWS keeps it
// for the recovery window, unless the store says otherwise.
func (m *manager) Delete(ctx context.Context, target provider.Target) error {
	key, err := m.key(target.Key)
	if err != nil {
		return err
	}
	now, err := m.held(ctx, key)
	if err != nil || !now.managed || now.leaving {
		return err
	}
	if target.Property != "" {
		object, err := fieldsOf(key, now.value)
		if err != nil {
			return err
		}
		if _, is := object[target.Property]; !is {
			return nil
		}
		left := maps.Clone(object)
		if delete(left, target.Property); len(left) > 0 {
			value, err := textOf(left)
			if err != nil {
				return err
			}
			return m.set(ctx, key, value, SecretMetadata{SecretPushFormat: now.format})
		}
	}
	in := &secretsmanager.DeleteSecretInput{SecretId: &key}
	if set := m.config.SecretsManager; set != nil {
		if set.ForceDeleteWithoutRecovery {
			in.ForceDeleteWithoutRecovery = &set.ForceDeleteWithoutRecovery
		} else if set.RecoveryWindowInDays > 0 {
			in.RecoveryWindowInDays = &set.RecoveryWindowInDays
		}
	}
	_, err = ask(ctx, m.asker, "delete secret "+key, func(ctx context.Context) (*secretsmanager.DeleteSecretOutput, error) {
		return m.client.DeleteSecret(ctx, in)
	})
	return err
}

// Exists implements provider.Writer.
func (m *manager) Exists(ctx context.Context, target provider.Target) (bool, error) {
	one, err := m.Read(ctx, provider.Ref{Key: target.Key})
	return exists(one, target, err)
}

func exists(one entry.Entry, target provider.Target, err error) (bool, error) {
	if errors.Is(err, entry.ErrNotFound) {
		return false, nil
	}
	if err != nil || target.Property == "" {
		return err == nil, err
	}
	object, _ := provider.Object(one.Text) // what is none has no field
	_, is := object[target.Property]
	return is, nil
}
