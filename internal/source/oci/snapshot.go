package oci

import (
	"context"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/chart"
)

// Chart gives a chart at a version, range, tag or digest; nothing means the
// newest stable version. It is unpacked in the turn of the projects that ask, see
// slots.Slots.
func (v *View) Chart(ctx context.Context, name, revision string, by func() []string) (*gitops.Snapshot, error) {
	tag, err := v.choose(name, revision)
	if err != nil {
		return nil, err
	}
	desc, err := v.resolve(ctx, name, tag)
	if err != nil {
		return nil, err
	}
	tree, err := v.repo.tree(ctx, desc, by)
	if err != nil {
		return nil, err
	}
	return &gitops.Snapshot{Revision: versionOf(tag), Tree: tree}, nil
}

// Artifact gives any artifact at a tag, range or digest; nothing means the
// tag latest. Its revision is the digest.
func (v *View) Artifact(ctx context.Context, revision string, by func() []string) (*gitops.Snapshot, error) {
	if revision == "" {
		revision = "latest"
	}
	tag, err := v.choose(v.repo.name, revision)
	if err != nil {
		return nil, err
	}
	desc, err := v.resolve(ctx, v.repo.name, tag)
	if err != nil {
		return nil, err
	}
	tree, err := v.repo.tree(ctx, desc, by)
	if err != nil {
		return nil, err
	}
	return &gitops.Snapshot{Revision: desc.Digest.String(), Tree: tree}, nil
}

func key(r *Repo, sum string) string { return "oci" + r.Dir + sum }

func (v *View) resolve(ctx context.Context, name, tag string) (ocispec.Descriptor, error) {
	desc, err := v.repo.remote.Resolve(ctx, tag)
	if err == nil {
		return desc, nil
	}
	err = v.repo.explain("cannot find "+tag, err)
	if gitops.IsProblem(err, gitops.NotFound) && len(v.tags) > 0 {
		return desc, chart.UnknownVersion(name, tag, slices.Clone(v.tags))
	}
	return desc, err
}
