package aws

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

var _ provider.Writer = (*parameters)(nil)

// ParameterMetadata is what a PushSecret says of a parameter.
type ParameterMetadata struct {
	// SecretType is String, which is what an empty one means, StringList or SecureString.
	SecretType  string            `json:"secretType,omitempty"`
	KMSKeyID    string            `json:"kmsKeyID,omitempty"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
}

// Put makes a parameter, or gives one that a PushSecret made another value.
func (p *parameters) Put(ctx context.Context, push provider.Push) error {
	var said ParameterMetadata
	if err := provider.ReadMetadata(push.Metadata, &said); err != nil {
		return err
	}
	kind := types.ParameterType(said.SecretType)
	switch kind {
	case "": // of one that is there, its own
	case types.ParameterTypeString, types.ParameterTypeStringList, types.ParameterTypeSecureString:
	default:
		return fmt.Errorf("metadata.secretType %q; there are String, StringList and SecureString", said.SecretType)
	}
	name, err := p.key(push.Key)
	if err != nil {
		return err
	}
	now, err := p.held(ctx, name)
	if err != nil {
		return err
	}
	if now.there && !now.managed {
		return notManaged(name)
	}
	if kind == "" {
		kind = cmp.Or(now.kind, types.ParameterTypeString)
	}
	value, err := content(push, now.value)
	if err != nil {
		return err
	}
	if now.there && sameContent(push, now.value, value) {
		return p.retag(ctx, name, now.tags, said.Tags)
	}
	if err := p.put(ctx, name, value, kind, said, now); err != nil {
		return err
	}
	if !now.there {
		return nil
	}
	return p.retag(ctx, name, now.tags, said.Tags)
}

// put writes a value. Tags are set with a new parameter alone: AWS takes none with another
// value.
func (p *parameters) put(ctx context.Context, name string, value []byte, kind types.ParameterType, said ParameterMetadata, now held) error {
	text, key := string(value), said.KMSKeyID
	if kind == now.kind && key == "" {
		var err error
		if key, err = p.encryptedWith(ctx, name, now); err != nil {
			return err
		}
	}
	in := &ssm.PutParameterInput{Name: &name, Value: &text, Type: kind, KeyId: given(key), Description: given(said.Description), Overwrite: &now.there}
	if !now.there {
		in.Tags = tagsOf(marked(said.Tags), func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
	}
	_, err := ask(ctx, p.asker, "write parameter "+name, func(ctx context.Context) (*ssm.PutParameterOutput, error) { return p.client.PutParameter(ctx, in) })
	return err
}

// encryptedWith is the key of a parameter that is there; empty of one that is not encrypted.
// AWS takes its own key where a write names none, and everybody in the account may read with
// that one.
func (p *parameters) encryptedWith(ctx context.Context, name string, now held) (string, error) {
	if now.kind != types.ParameterTypeSecureString {
		return "", nil
	}
	in := &ssm.DescribeParametersInput{ParameterFilters: []types.ParameterStringFilter{filter("Name", "Equals", name)}}
	for pages := (&provider.Search{}); ; {
		out, err := ask(ctx, p.asker, "read which key parameter "+name+" is encrypted with", func(ctx context.Context) (*ssm.DescribeParametersOutput, error) {
			return p.client.DescribeParameters(ctx, in)
		})
		if err != nil {
			return "", fmt.Errorf("%w: the role needs ssm:DescribeParameters, or set metadata.kmsKeyID", err)
		}
		for _, one := range out.Parameters {
			if text(one.Name) == name && text(one.KeyId) != "" {
				return *one.KeyId, nil
			}
		}
		if in.NextToken = out.NextToken; text(in.NextToken) == "" {
			return "", fmt.Errorf("cannot write parameter %s: AWS does not say which key it is encrypted with: set metadata.kmsKeyID", name)
		}
		if err := pages.Next(*in.NextToken); err != nil {
			return "", err
		}
	}
}

func (p *parameters) retag(ctx context.Context, name string, now, said map[string]string) error {
	set, gone := retag(now, said)
	const kind = types.ResourceTypeForTaggingParameter
	if len(set) > 0 {
		in := &ssm.AddTagsToResourceInput{ResourceId: &name, ResourceType: kind, Tags: tagsOf(set, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })}
		if _, err := ask(ctx, p.asker, "tag parameter "+name, func(ctx context.Context) (*ssm.AddTagsToResourceOutput, error) {
			return p.client.AddTagsToResource(ctx, in)
		}); err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	in := &ssm.RemoveTagsFromResourceInput{ResourceId: &name, ResourceType: kind, TagKeys: gone}
	_, err := ask(ctx, p.asker, "untag parameter "+name, func(ctx context.Context) (*ssm.RemoveTagsFromResourceOutput, error) {
		return p.client.RemoveTagsFromResource(ctx, in)
	})
	return err
}

// held is a parameter as it is.
func (p *parameters) held(ctx context.Context, name string) (now held, err error) {
	out, err := ask(ctx, p.asker, "read parameter "+name, func(ctx context.Context) (*ssm.GetParameterOutput, error) {
		return p.client.GetParameter(ctx, &ssm.GetParameterInput{Name: &name, WithDecryption: &decrypted})
	})
	if code, _ := answered(err); code == "ParameterNotFound" {
		return now, nil
	}
	if err != nil {
		return now, err
	}
	if out.Parameter == nil || out.Parameter.Value == nil {
		return now, fmt.Errorf("cannot read parameter %s: the answer has no value", name)
	}
	now.kind = out.Parameter.Type
	now.there, now.value, now.tags = true, []byte(*out.Parameter.Value), map[string]string{}
	tags, err := ask(ctx, p.asker, "read the tags of parameter "+name, func(ctx context.Context) (*ssm.ListTagsForResourceOutput, error) {
		return p.client.ListTagsForResource(ctx, &ssm.ListTagsForResourceInput{ResourceId: &name, ResourceType: types.ResourceTypeForTaggingParameter})
	})
	if err != nil {
		return now, err
	}
	for _, tag := range tags.TagList {
		now.tags[text(tag.Key)] = text(tag.Value)
	}
	now.managed = now.tags[provider.ManagedBy] == provider.Manager
	return now, nil
}

// Delete takes a field out of a parameter, and deletes it with its last field.
func (p *parameters) Delete(ctx context.Context, target provider.Target) error {
	name, err := p.key(target.Key)
	if err != nil {
		return err
	}
	now, err := p.held(ctx, name)
	if err != nil || !now.managed {
		return err
	}
	if target.Property != "" {
		object, err := fieldsOf(name, now.value)
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
			return p.put(ctx, name, value, now.kind, ParameterMetadata{}, now)
		}
	}
	_, err = ask(ctx, p.asker, "delete parameter "+name, func(ctx context.Context) (*ssm.DeleteParameterOutput, error) {
		return p.client.DeleteParameter(ctx, &ssm.DeleteParameterInput{Name: &name})
	})
	if code, _ := answered(err); code == "ParameterNotFound" {
		return nil
	}
	return err
}

// Exists implements provider.Writer.
func (p *parameters) Exists(ctx context.Context, target provider.Target) (bool, error) {
	one, err := p.Read(ctx, provider.Ref{Key: target.Key})
	return exists(one, target, err)
}
