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
	out, err := ask(ctx, p.asker, "read parameter "+name, func(ctx context.Context) (*ssm.GetParameterOutput, error) {
		return p.client.GetParameter(ctx, &ssm.GetParameterInput{Name: &name, WithDecryption: &decrypted})
	})
	if code(err) == "ParameterNotFound" {
		return entry.Entry{}, fmt.Errorf("%w: %w", entry.ErrNotFound, err)
	}
	if err != nil {
		return entry.Entry{}, err
	}
	if out.Parameter == nil || out.Parameter.Value == nil {
		return entry.Entry{}, fmt.Errorf("cannot read parameter %s: the answer has no value", name)
	}
	return entry.Object([]byte(*out.Parameter.Value)).At(strconv.FormatInt(out.Parameter.Version, 10)), nil
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
