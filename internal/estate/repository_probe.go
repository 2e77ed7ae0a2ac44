package estate

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Probe implements api.Repositories.
func (r *Repositories) Probe(ctx context.Context, u *auth.User, old *api.Repository, want api.RepositoryProbe) (*api.Probed, error) {
	if u == nil {
		return nil, errNobody
	}
	before, err := r.stored(ctx, old)
	if err != nil {
		return nil, err
	}
	asked, err := r.asked(before, &want)
	if err != nil {
		return nil, err
	}
	shown := gitops.PublicAddress(asked.URL)
	if err := r.Tries.Take(u.Person()); err != nil {
		return nil, fmt.Errorf("cannot ask repository %s: %w", shown, err)
	}
	e := &audit.Entry{Verb: "test", Resource: "repositories", Project: want.Project, Name: shown, Namespace: r.Namespace}
	if err := r.Trail.Begin(ctx, u, e); err != nil {
		return nil, err
	}
	begun := r.Now()
	found, failure := r.Opener.Probe(ctx, asked.URL, r.Credentials.Of(asked))
	out := &api.Probed{OK: failure == nil, Milliseconds: r.Now().Sub(begun).Milliseconds()}
	switch {
	case errors.Is(failure, context.Canceled):
		return nil, failure
	case failure != nil:
		out.Message = failure.Error()
	default:
		out.Message = probed(&found)
	}
	return out, nil
}

// asked is the repository to ask, as it would be stored.
func (r *Repositories) asked(before *corev1.Secret, want *api.RepositoryProbe) (source.Repository, error) {
	unfit := &api.Unfit{}
	checkRepository(&want.RepositoryWish, unfit)
	s := r.wished(before, &want.RepositoryWish)
	if before != nil {
		checkMoved(before, s, &want.RepositoryWish, unfit)
	}
	r.checkWay(before, s, unfit)
	if want.Template {
		checkTry(want, unfit)
	}
	if len(unfit.Fields) == 0 {
		checkSecrets(s, &want.RepositoryWish, unfit)
	}
	if err := unfit.Err(); err != nil {
		return source.Repository{}, err
	}
	out, err := source.ParseRepository(s)
	if want.Template {
		out.URL = want.Try
	}
	return out, err
}

func checkTry(want *api.RepositoryProbe, unfit *api.Unfit) {
	of, known := access.PlaceOf(want.URL)
	at, ok := access.PlaceOf(want.Try)
	switch {
	case want.Try == "":
		unfit.Add("try", "name a repository to try the credentials with")
	case !ok || known && !of.Covers(at):
		unfit.Add("try", "name a repository whose address begins with the one above")
	}
}

// probed says what was found.
func probed(p *source.Probe) string {
	switch {
	case p.Protocol == source.Mirrored:
		return "A local folder stands for this repository, so it was not asked."
	case p.Much:
		return "The repository answers, with more branches and tags than are read to try it."
	case p.Protocol == source.GitProtocol && p.Branch == "":
		return "The repository answers. It has no commits yet."
	case p.Protocol == source.GitProtocol:
		return fmt.Sprintf("The repository answers. Its default branch is %s.", p.Branch)
	case p.Protocol == source.HelmProtocol:
		return "The repository answers with its index of charts."
	case p.SignedIn:
		return "The registry answers and lets this sign in."
	}
	return fmt.Sprintf("The repository answers with %d tags.", p.Tags)
}

// ProbeEvery and ProbeBurst are how often somebody may ask repositories.
const (
	ProbeEvery = 2 * time.Second
	ProbeBurst = 10
)
