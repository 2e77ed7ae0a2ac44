package aws

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// parameters reads Parameter Store.
type parameters struct {
	*asker

	client *ssm.Client
}

var _ provider.Reader = (*parameters)(nil)

// decrypted is what a SecureString is without is not its value.
var decrypted = true

// Read is the value of a parameter: the latest one, or that of a version or label. A
// list is a text with commas.
func (p *parameters) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	name, err := p.key(ref.Key)
	if err != nil {
		return entry.Entry{}, err
	}
	if ref.Metadata {
		return p.tags(ctx, name)
	}
	if ref.Version != "" {
		name += ":" + ref.Version
	}
	one, err := p.one(ctx, name)
	if err != nil {
		return entry.Entry{}, err
	}
	return entry.Object([]byte(*one.Value)).At(strconv.FormatInt(one.Version, 10)), nil
}

// one is a parameter with its value.
func (p *parameters) one(ctx context.Context, name string) (*types.Parameter, error) {
	out, err := ask(ctx, p.asker, "read parameter "+name, func(ctx context.Context) (*ssm.GetParameterOutput, error) {
		return p.client.GetParameter(ctx, &ssm.GetParameterInput{Name: &name, WithDecryption: &decrypted})
	})
	if code, _ := answered(err); code == "ParameterNotFound" {
		return nil, fmt.Errorf("%w: %w", entry.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	if out.Parameter == nil || out.Parameter.Value == nil {
		return nil, fmt.Errorf("cannot read parameter %s: the answer has no value", name)
	}
	return out.Parameter, nil
}

// tags are those of a parameter.
func (p *parameters) tags(ctx context.Context, name string) (entry.Entry, error) {
	out, err := ask(ctx, p.asker, "read the tags of parameter "+name, func(ctx context.Context) (*ssm.ListTagsForResourceOutput, error) {
		return p.client.ListTagsForResource(ctx, &ssm.ListTagsForResourceInput{ResourceId: &name, ResourceType: types.ResourceTypeForTaggingParameter})
	})
	if err != nil {
		return entry.Entry{}, err
	}
	all := map[string]string{}
	for _, tag := range out.TagList {
		all[text(tag.Key)] = text(tag.Value)
	}
	return objectOf(all)
}
