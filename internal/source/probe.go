package source

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/chart"
	"github.com/causeway-gitops/causeway/internal/source/git"
	"github.com/causeway-gitops/causeway/internal/source/oci"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// probeTime bounds a probe: somebody waits for it.
const probeTime = 20 * time.Second

// probeIndex bounds what is read of an index.
const probeIndex = 32 << 20

// Protocol is how a repository was spoken to.
type Protocol string

// The protocols; Mirrored is none: a local folder stands for the repository.
const (
	GitProtocol  Protocol = "git"
	HelmProtocol Protocol = "helm"
	OCIProtocol  Protocol = "oci"
	Mirrored     Protocol = "mirror"
)

// Probe is what a repository answered to a question that changes nothing.
type Probe struct {
	Protocol Protocol
	// Branch is the default one of a Git repository; empty without commits.
	Branch string
	// Much tells that it lists more than is read to find out.
	Much bool
	// Tags counts the first page of an OCI repository's.
	Tags int
	// SignedIn tells that a registry took the credential, and was asked no more.
	SignedIn bool
}

// Probe asks whether a repository opens with a credential, as the engine would
// open it. Nothing of the answer is kept. Errors are Problems without secrets.
func (r *Registry) Probe(ctx context.Context, repoURL string, cred Credential) (Probe, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	p, err := r.probe(ctx, repoURL, cred)
	if err == nil {
		return p, nil
	}
	var known *gitops.Problem
	if !errors.As(err, &known) {
		known = gitops.Problemf(gitops.Unreachable, "%w", err)
	}
	out := *known
	out.What, out.Fix, out.Near = cred.Redact(out.What), cred.Redact(out.Advice()), nil
	return p, &out
}

func (r *Registry) probe(ctx context.Context, repoURL string, cred Credential) (Probe, error) {
	at, err := address.Parse(repoURL)
	if err != nil {
		return Probe{}, gitops.Problemf(gitops.Invalid, "cannot use repository: %w", err).Do("correct the address")
	}
	if err := unsupported(cred); err != nil {
		return Probe{}, err
	}
	registry := at.Scheme == "oci" || cred.IsOCI()
	charts := cred.Type == "helm" && !registry
	if _, ok, err := r.mirrored(at, "", registry); ok || err != nil {
		return Probe{Protocol: Mirrored}, err
	}
	if err := r.closed(at, gitops.SourceRef{RepoURL: repoURL}, cred); err != nil {
		return Probe{}, err
	}
	if r.opts.Offline && at.Scheme != "file" {
		return Probe{}, gitops.Problemf(gitops.NotMirrored, "the engine is offline: it fetches nothing").Do("run it without --offline, or name a mirror of the repository")
	}
	switch {
	case registry:
		return r.probeRegistry(ctx, at, cred)
	case charts && (at.Scheme == "http" || at.Scheme == "https"):
		return r.probeCharts(ctx, at, cred)
	case charts || at.Scheme == "":
		return Probe{}, gitops.Problemf(gitops.Invalid, "the address begins with none of https://, http:// and oci://").Do("correct the address, or its type")
	}
	return r.probeGit(ctx, at, cred)
}

func (r *Registry) probeGit(ctx context.Context, at address.Address, cred Credential) (Probe, error) {
	branch, err := r.command.Probe(ctx, at, r.session(cred), probeTime)
	if errors.Is(err, git.ErrMuch) {
		return Probe{Protocol: GitProtocol, Much: true}, nil
	}
	return Probe{Protocol: GitProtocol, Branch: branch}, err
}

// probeRegistry lists tags of a repository of artifacts. Of charts the address
// is a prefix, which has none.
func (r *Registry) probeRegistry(ctx context.Context, at address.Address, cred Credential) (Probe, error) {
	settings := oci.Settings{Timeout: probeTime}
	if cred.Type == "oci" && at.Path != "" {
		repo, err := oci.New(registryName(at, ""), cred, settings)
		if err != nil {
			return Probe{}, err
		}
		tags, err := repo.Probe(ctx)
		return Probe{Protocol: OCIProtocol, Tags: tags}, err
	}
	return Probe{Protocol: OCIProtocol, SignedIn: true}, oci.Ping(ctx, at.Host, cred, settings)
}

// probeCharts reads the index of a repository of charts.
func (r *Registry) probeCharts(ctx context.Context, at address.Address, cred Credential) (Probe, error) {
	at, cred = userinfo(at, cred)
	client, err := web.New(at, cred, web.Settings{Timeout: probeTime, PrivateHosts: r.opts.PrivateHosts})
	if err != nil {
		return Probe{}, err
	}
	defer client.Close()
	res, err := client.Get(ctx, strings.TrimSuffix(at.String(), "/")+"/index.yaml", nil)
	if err != nil {
		return Probe{}, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, probeIndex+1))
	if err != nil {
		return Probe{}, gitops.Problemf(gitops.Unreachable, "cannot read the index: %w", err)
	}
	if len(data) > probeIndex {
		return Probe{Protocol: HelmProtocol}, nil // it answers; what it says is read when it is used
	}
	err = r.room.Work(ctx, nil, chart.Weight(int64(len(data))), func() error {
		_, err := chart.ParseIndex(data)
		return err
	})
	if ctx.Err() != nil {
		return Probe{}, gitops.Problemf(gitops.Unreachable, "cannot read the index: %w", ctx.Err()).Do("try again")
	}
	if err != nil {
		// What stands there instead is not told: it may be anything that the
		// engine can reach.
		return Probe{}, gitops.Problemf(gitops.Invalid, "index.yaml is no index of charts").Do("check that the address is a Helm repository")
	}
	return Probe{Protocol: HelmProtocol}, nil
}
