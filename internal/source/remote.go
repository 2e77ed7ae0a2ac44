package source

import (
	"context"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/archive"
	"github.com/causeway-gitops/causeway/internal/source/helm"
	"github.com/causeway-gitops/causeway/internal/source/logins"
	"github.com/causeway-gitops/causeway/internal/source/oci"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

func (r *Registry) archiveLimits() archive.Limits {
	return archive.Limits{Bytes: r.opts.Limits.TreeBytes, Files: r.opts.Limits.Files}
}

// userinfo moves a user and password out of the address.
func userinfo(at address.Address, cred Credential) (address.Address, Credential) {
	if at.Password != "" && cred.Password == "" {
		cred.Username, cred.Password = at.User, Secret(at.Password)
	}
	at.User, at.Password = "", ""
	return at, cred
}

// broken is an origin that cannot be opened at all.
func broken(err error) origin {
	return origin{look: func(context.Context, account) (view, error) { return nil, err }}
}

func unsupported(cred Credential) error {
	if cred.Unsupported == "" {
		return nil
	}
	return gitops.Problemf(gitops.Refused, "%s is not supported yet", cred.Unsupported).Do("use a username and password, or a token, in the repository Secret")
}

type helmView struct{ *helm.View }

func (v helmView) snapshot(ctx context.Context, w want, by account) (*gitops.Snapshot, error) {
	return call(ctx, by, func() (*gitops.Snapshot, error) {
		return v.Snapshot(ctx, helm.Want{Chart: w.chart, Revision: w.revision, Beyond: web.Beyond{Rule: w.rule, Passing: w.passing}, By: by.projects})
	})
}

func (r *Registry) openHelm(at address.Address, cred Credential, own *logins.User) origin {
	if err := unsupported(cred); err != nil {
		return broken(err)
	}
	if own != nil {
		cred = merged(cred, own.Charts(at))
	}
	at, cred = userinfo(at, cred)
	client, err := web.New(at, cred, web.Settings{Timeout: r.opts.Limits.Operation, PrivateHosts: r.opts.PrivateHosts})
	if err != nil {
		return broken(err)
	}
	// What one credential may see is no other's business.
	dir := filepath.Join(r.dir, "helm", hash(at.String()+cred.Fingerprint()))
	repo := helm.New(at.String(), client, helm.Settings{Dir: dir, Room: r.room, Limits: r.archiveLimits()})
	return origin{folder: dir, look: func(ctx context.Context, by account) (view, error) {
		v, err := call(ctx, by, func() (*helm.View, error) { return repo.Look(ctx, by.projects) })
		if err != nil {
			return nil, err
		}
		return helmView{v}, nil
	}}
}

type ociView struct {
	*oci.View
	chart bool
}

func (v *ociView) snapshot(ctx context.Context, w want, by account) (*gitops.Snapshot, error) {
	return call(ctx, by, func() (*gitops.Snapshot, error) {
		if v.chart {
			return v.Chart(ctx, w.chart, w.revision, by.projects)
		}
		return v.Artifact(ctx, w.revision, by.projects)
	})
}

func (r *Registry) openOCI(name string, isChart bool, cred Credential, own *logins.User) origin {
	if err := unsupported(cred); err != nil {
		return broken(err)
	}
	settings := oci.Settings{
		Dir:  filepath.Join(r.dir, "oci", hash(name+cred.Fingerprint())),
		Room: r.room, Limits: r.archiveLimits(), Timeout: r.opts.Limits.Operation,
	}
	if own != nil {
		settings.Login = own.Registry
	}
	repo, err := oci.New(name, cred, settings)
	if err != nil {
		return broken(err)
	}
	return origin{folder: settings.Dir, look: func(ctx context.Context, by account) (view, error) {
		v, err := call(ctx, by, func() (*oci.View, error) { return repo.Look(ctx) })
		if err != nil {
			return nil, err
		}
		return &ociView{v, isChart}, nil
	}}
}
