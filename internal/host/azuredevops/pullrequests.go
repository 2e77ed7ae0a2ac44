package azuredevops

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/microsoft/azure-devops-go-api/azuredevops/v7"
	"github.com/microsoft/azure-devops-go-api/azuredevops/v7/git"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

const pageSize = 100

// PullRequests implements host.Reviews. The project is asked for all that are
// active: a repository that does not exist in it has none.
func (r *Reviews) PullRequests(ctx context.Context) ([]gitops.PullRequest, error) {
	return wire.Pages(r.subject, 0, func(skip int) ([]gitops.PullRequest, int, error) {
		items, err := r.page(ctx, skip)
		if err != nil {
			return nil, 0, err
		}
		kept, err := wire.Convert(items, r.convert)
		if len(items) < pageSize {
			return kept, 0, err
		}
		return kept, skip + pageSize, err
	})
}

func (r *Reviews) convert(p git.GitPullRequest) (_ gitops.PullRequest, keep bool, _ error) {
	if !complete(p) || *p.Repository.Name != r.o.Repo {
		return gitops.PullRequest{}, false, nil
	}
	one := pullRequest(p)
	return one, has(one.Labels, r.o.Labels), nil
}

func (r *Reviews) page(ctx context.Context, skip int) ([]git.GitPullRequest, error) {
	top := pageSize
	return list(r.subject, func() (*[]git.GitPullRequest, error) {
		return r.api.GetPullRequestsByProject(ctx, git.GetPullRequestsByProjectArgs{
			Project: &r.o.Project, SearchCriteria: &git.GitPullRequestSearchCriteria{Status: &git.PullRequestStatusValues.Active},
			Skip: &skip, Top: &top,
		})
	})
}

// complete is false while the service still looks for the newest commit.
func complete(p git.GitPullRequest) bool {
	return p.Repository != nil && p.Repository.Name != nil && p.PullRequestId != nil && p.SourceRefName != nil && p.TargetRefName != nil &&
		p.LastMergeSourceCommit != nil && p.LastMergeSourceCommit.CommitId != nil
}

func pullRequest(p git.GitPullRequest) gitops.PullRequest {
	var labels []string
	for _, l := range value(p.Labels) {
		labels = append(labels, value(l.Name))
	}
	var author string
	if p.CreatedBy != nil {
		author, _, _ = strings.Cut(value(p.CreatedBy.UniqueName), "@")
	}
	return gitops.PullRequest{
		Number: int64(*p.PullRequestId), Title: value(p.Title), Author: author, Labels: labels,
		Branch: branchName(*p.SourceRefName), TargetBranch: branchName(*p.TargetRefName), HeadSHA: *p.LastMergeSourceCommit.CommitId,
		Created: value[sdk.Time](p.CreationDate).Time,
	}
}

func has(labels, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(labels, w) })
}
