package codecommit

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/codecommit"
	tagging "github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi"
	"github.com/aws/aws-sdk-go-v2/service/resourcegroupstaggingapi/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

// Repositories implements host.Forge. The organisation is the AWS account.
// There are no commits, here and in Branches: they take a permission that
// Argo CD does not ask for.
func (c *Client) Repositories(ctx context.Context) ([]gitops.HostRepository, error) {
	names, err := c.names(ctx)
	if err != nil {
		return nil, err
	}
	return wire.Map(ctx, c.subject, names, c.repository)
}

// repository is false where nothing was ever pushed.
func (c *Client) repository(ctx context.Context, name string) (r gitops.HostRepository, ok bool, err error) {
	out, err := c.api.GetRepository(ctx, &codecommit.GetRepositoryInput{RepositoryName: &name})
	if err != nil {
		return r, false, c.explain(err)
	}
	m := out.RepositoryMetadata
	if m == nil || m.RepositoryName == nil {
		return r, false, c.malformed()
	}
	if aws.ToString(m.DefaultBranch) == "" {
		return r, false, nil
	}
	address, err := c.cloneURL(aws.ToString(m.CloneUrlHttp), aws.ToString(m.CloneUrlSsh))
	if err != nil {
		return r, false, err
	}
	return gitops.HostRepository{
		Organization: aws.ToString(m.AccountId), Repository: *m.RepositoryName, ID: aws.ToString(m.RepositoryId),
		URL: address, Branch: *m.DefaultBranch,
	}, true, nil
}

func (c *Client) names(ctx context.Context) ([]string, error) {
	if len(c.o.TagFilters) > 0 {
		return c.tagged(ctx)
	}
	return wire.Pages(c.subject, "", func(token string) ([]string, string, error) {
		out, err := c.api.ListRepositories(ctx, &codecommit.ListRepositoriesInput{NextToken: page(token)})
		if err != nil {
			return nil, "", c.explain(err)
		}
		if out.Repositories == nil {
			return nil, "", c.malformed()
		}
		var names []string
		for _, r := range out.Repositories {
			names = append(names, aws.ToString(r.RepositoryName))
		}
		return names, aws.ToString(out.NextToken), nil
	})
}

// tagged lists the names that have the tags, by the API for resources of all kinds.
func (c *Client) tagged(ctx context.Context) ([]string, error) {
	filters := merge(c.o.TagFilters)
	return wire.Pages(c.subject, "", func(token string) ([]string, string, error) {
		out, err := c.tags.GetResources(ctx, &tagging.GetResourcesInput{
			ResourceTypeFilters: []string{"codecommit:repository"}, TagFilters: filters, PaginationToken: page(token),
		})
		if err != nil {
			return nil, "", c.explain(err)
		}
		if out.ResourceTagMappingList == nil {
			return nil, "", c.malformed()
		}
		var names []string
		for _, r := range out.ResourceTagMappingList {
			// arn:aws:codecommit:region:account:name
			a, err := arn.Parse(aws.ToString(r.ResourceARN))
			if err != nil {
				return nil, "", c.malformed()
			}
			names = append(names, a.Resource)
		}
		return names, aws.ToString(out.PaginationToken), nil
	})
}

// merge makes one filter for each key, in the order of the keys.
func merge(filters []TagFilter) []types.TagFilter {
	var merged []types.TagFilter
	at := map[string]int{}
	for _, f := range filters {
		i, ok := at[f.Key]
		if !ok {
			i = len(merged)
			at[f.Key] = i
			merged = append(merged, types.TagFilter{Key: &f.Key})
		}
		if f.Value != "" {
			merged[i].Values = append(merged[i].Values, f.Value)
		}
	}
	return merged
}

// Branches implements host.Forge.
func (c *Client) Branches(ctx context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	names, err := wire.Pages(c.subject, "", func(token string) ([]string, string, error) {
		out, err := c.api.ListBranches(ctx, &codecommit.ListBranchesInput{RepositoryName: &r.Repository, NextToken: page(token)})
		if err != nil {
			return nil, "", c.explain(err)
		}
		if out.Branches == nil {
			return nil, "", c.malformed()
		}
		return out.Branches, aws.ToString(out.NextToken), nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]gitops.HostRepository, 0, len(names))
	for _, name := range names {
		r.Branch, r.SHA = name, ""
		out = append(out, r)
	}
	return out, nil
}

// page is absent for the first one.
func page(token string) *string {
	if token == "" {
		return nil
	}
	return &token
}
