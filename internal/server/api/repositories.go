package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Repositories are those that Secrets describe. That somebody may is settled
// before.
type Repositories interface {
	// All are in no order, without what opens them and without use.
	All(ctx context.Context) ([]Repository, error)
	// Put writes what is wished for to the repository that there is, unless it
	// has changed since it was read; nil makes one.
	Put(ctx context.Context, u *auth.User, old *Repository, want RepositoryWish) (*Repository, error)
	Remove(ctx context.Context, u *auth.User, old *Repository) error
	// Probe asks the repository. Credentials that the wish leaves out are those
	// of the one that there is.
	Probe(ctx context.Context, u *auth.User, old *Repository, want RepositoryProbe) (*Probed, error)
}

// RepositoryUse knows what becomes of the repositories that Secrets describe.
type RepositoryUse interface {
	// Look adds how the engine's last looks went, of those for projects of which
	// somebody may know.
	Look(all []Repository, may func(one *Repository, project string) bool)
	// Count counts, for each, those who use one of its addresses, and returns
	// those of the used ones that are none of these: without passwords that
	// somebody wrote into an address.
	Count(all, used []Repository) (others []Repository)
}

// RepositoryFields are what is said of a repository that is no secret.
type RepositoryFields struct {
	Template       bool   `json:"template,omitempty" doc:"It is no repository: its credentials are for all whose address begins with url."`
	URL            string `json:"url" maxLength:"4096"`
	Name           string `json:"name,omitempty" maxLength:"253"`
	Project        string `json:"project,omitempty" maxLength:"253" doc:"The only project that may use it; all may without it."`
	Type           string `json:"type,omitempty" enum:"git,helm,oci" doc:"Git without one."`
	Username       string `json:"username,omitempty" maxLength:"1024"`
	Insecure       bool   `json:"insecure,omitempty" doc:"Certificates and host keys are not checked."`
	ForceBasicAuth bool   `json:"forceBasicAuth,omitempty" doc:"The password is sent before the server asks for it."`
	EnableOCI      bool   `json:"enableOCI,omitempty" doc:"A repository of type helm is an OCI registry."`
	PlainHTTP      bool   `json:"plainHTTP,omitempty" doc:"An OCI registry is spoken to without TLS."`
	NoProxy        string `json:"noProxy,omitempty" maxLength:"4096"`
	Depth          int64  `json:"depth,omitempty" minimum:"0" maximum:"1000000"`
	AppID          int64  `json:"githubAppID,omitempty" minimum:"0"`
	AppInstall     int64  `json:"githubAppInstallationID,omitempty" minimum:"0"`
	AppBaseURL     string `json:"githubAppBaseURL,omitempty" maxLength:"4096" doc:"The API of a GitHub Enterprise server."`
}

// Repository is what a Secret says of a repository, without what opens it.
type Repository struct {
	RepositoryFields

	// Written is the address as the Secret has it, of which a part may be a
	// secret: rules and other addresses are held against it, and it is never told.
	Written     string   `json:"-"`
	ID          string   `json:"id" doc:"Name of its Secret; empty for one that is used alone."`
	Used        bool     `json:"used,omitempty" doc:"No Secret that you may read describes it: Applications that you may read use it, as anybody may or by a template of credentials."`
	Credentials []string `json:"credentials" nullable:"false" doc:"What is set of: password, bearerToken, sshPrivateKey, tlsClientCertData, tlsClientCertKey, githubAppPrivateKey, gcpServiceAccountKey, proxy."`
	Version     string   `json:"version" doc:"Changes with each write; for If-Match, which takes it and no ETag."`
	ManagedBy   string   `json:"managedBy,omitempty" doc:"What writes the Secret besides people: a change is to be made there."`
	Problem     string   `json:"problem,omitempty" doc:"Why the Secret cannot be used."`
	// Looked is when the engine looked at it last; absent while nothing uses it.
	Looked       *time.Time `json:"looked,omitempty"`
	LookProblem  string     `json:"lookProblem,omitempty" doc:"Why the last look failed."`
	Applications int        `json:"applications" doc:"Those that use it, of those that you may read."`
	Can          []string   `json:"can" nullable:"false" doc:"What you may of: update, delete; create (connect it) of one that is used alone."`
}

// RepositorySecrets are what opens a repository. They are written, and never read.
type RepositorySecrets struct {
	Password     *string `json:"password,omitempty" maxLength:"65536"`
	BearerToken  *string `json:"bearerToken,omitempty" maxLength:"65536"`
	SSHKey       *string `json:"sshPrivateKey,omitempty" maxLength:"65536"`
	TLSCert      *string `json:"tlsClientCertData,omitempty" maxLength:"65536"`
	TLSKey       *string `json:"tlsClientCertKey,omitempty" maxLength:"65536"`
	AppKey       *string `json:"githubAppPrivateKey,omitempty" maxLength:"65536"`
	GoogleSecret *string `json:"gcpServiceAccountKey,omitempty" maxLength:"65536"`
	Proxy        *string `json:"proxy,omitempty" maxLength:"4096" doc:"Its address, which may have a password."`
}

// RepositoryWish is a repository as it is to be.
type RepositoryWish struct {
	RepositoryFields

	Secrets RepositorySecrets `json:"secrets,omitempty" doc:"What is left out stays as it is stored; an empty text takes it away."`
}

// RepositoryProbe is a repository to ask.
type RepositoryProbe struct {
	RepositoryWish

	ID  string `json:"id,omitempty" maxLength:"253" doc:"The stored one whose credentials are used where none are given."`
	Try string `json:"try,omitempty" maxLength:"4096" doc:"For a template: the address of a repository to try its credentials with."`
}

// Probed is what came of asking.
type Probed struct {
	OK           bool   `json:"ok"`
	Message      string `json:"message"`
	Milliseconds int64  `json:"milliseconds"`
}

// RepositoryInput names one. It is exported for the reflection that reads what is
// embedded.
type RepositoryInput struct {
	ID      string `path:"id" maxLength:"253"`
	IfMatch string `header:"If-Match" maxLength:"256" doc:"The version that the change was made for, as the answer's body has it in version. An ETag is refused: it names the answer, and not what is stored."`
}

type putRepository struct {
	RepositoryInput

	Body RepositoryWish
}

func (s *server) repositories(a huma.API) {
	handle(a, operation("list-repositories", http.MethodGet, "/repositories", "repositories", "The repositories and templates of credentials that Secrets describe, and the repositories that Applications use beside them"), s.listRepositories)
	handle(a, operation("get-repository", http.MethodGet, "/repositories/{id}", "repositories", "A repository"), s.getRepository)
	made := change("create-repository", http.MethodPost, "/repositories", "repositories", "Connect a repository, or add a template of credentials")
	made.DefaultStatus = http.StatusCreated
	handle(a, made, s.createRepository)
	handle(a, change("put-repository", http.MethodPut, "/repositories/{id}", "repositories", "Change a repository; credentials that are left out stay"), s.putRepository)
	gone := change("delete-repository", http.MethodDelete, "/repositories/{id}", "repositories", "Forget a repository")
	gone.DefaultStatus = http.StatusNoContent
	handle(a, gone, s.deleteRepository)
	handle(a, change("test-repository", http.MethodPost, "/repositories/test", "repositories", "Ask a repository, with credentials that need not be stored"), s.testRepository)
}

// change describes an operation that writes what others may have written meanwhile.
func change(id, method, path, tag, summary string) huma.Operation {
	op := operation(id, method, path, tag, summary)
	op.Errors = append(op.Errors, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity)
	return op
}

// accessTo a repository in the words of policies.
func accessTo(action string, f *RepositoryFields) reach.Access {
	return reach.Repository(action, f.URL, f.Project)
}

// access is accessTo a repository that there is, whose address may be more than
// is told of it.
func (r *Repository) access(action string) reach.Access {
	return reach.Repository(action, cmp.Or(r.Written, r.URL), r.Project)
}

// readRepository is the access of who reads one.
func readRepository(r *Repository) reach.Access { return r.access("get") }

func (s *server) listRepositories(ctx context.Context, _ *struct{}) (*answer[[]Repository], error) {
	own, others, err := s.mayRepositories(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	for i := range others {
		others[i].Can = s.reach.Can(ctx, others[i].access(""), "create")
	}
	out := append(append([]Repository{}, own...), others...) // a list, with nothing in it too
	slices.SortFunc(out, func(a, b Repository) int { return strings.Compare(a.URL+" "+a.ID, b.URL+" "+b.ID) })
	return &answer[[]Repository]{out}, nil
}

// mayRepositories are those that somebody may read, with who uses them, and the
// others that Applications use which may be read. Of what Secrets say that may
// not be read nothing is told, nor that there are any; and of looks those that were
// made for a project whose repositories of that address may be read.
func (s *server) mayRepositories(ctx context.Context) (own, others []Repository, err error) {
	visible, err := s.reach.Visible(ctx) // nobody is told to sign in
	if err != nil {
		return nil, nil, err
	}
	all, err := s.Repositories.All(ctx)
	if err != nil {
		return nil, nil, err
	}
	own = reach.Only(ctx, s.reach, all, readRepository)
	s.RepositoryUse.Look(own, func(one *Repository, project string) bool {
		return project == one.Project || s.reach.Permits(ctx, reach.Repository("get", cmp.Or(one.Written, one.URL), project))
	})
	others = s.RepositoryUse.Count(own, s.usedRepositories(visible))
	for i := range own {
		own[i].Can = s.reach.Can(ctx, own[i].access(""), "update", "delete")
	}
	return own, others, nil
}

// usedRepositories are the addresses of the sources of Applications, in their
// order, each once, with what kind of repository it is asked for as.
func (s *server) usedRepositories(visible func(*view.Row) bool) []Repository {
	var out []Repository
	at := map[string]int{}
	for _, r := range s.Index.Now().Rows {
		if !visible(r) {
			continue
		}
		for i := range r.Sources {
			src := &r.Sources[i]
			if src.RepoURL == "" || slices.ContainsFunc(r.Sources[:i], func(o view.Source) bool { return o.RepoURL == src.RepoURL }) {
				continue
			}
			n, known := at[src.RepoURL]
			if !known {
				n = len(out)
				at[src.RepoURL] = n
				out = append(out, Repository{RepositoryFields: RepositoryFields{URL: src.RepoURL, Type: typeOf(src)}})
			}
			out[n].Applications++
		}
	}
	return out
}

// typeOf is what a source takes its repository for.
func typeOf(src *view.Source) string {
	switch {
	case strings.HasPrefix(src.RepoURL, "oci://"):
		return "oci"
	case src.Chart != "":
		return "helm"
	}
	return "git"
}

// repository finds one that somebody may read.
func (s *server) repository(ctx context.Context, id string) (*Repository, error) {
	all, _, err := s.mayRepositories(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, httpError(gitops.Problemf(gitops.NotFound, "there is no repository %s", id))
}

func (s *server) getRepository(ctx context.Context, in *struct {
	ID string `path:"id" maxLength:"253"`
},
) (*answer[*Repository], error) {
	r, err := s.repository(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[*Repository]{r}, nil
}

func (s *server) createRepository(ctx context.Context, in *struct{ Body RepositoryWish }) (*answer[*Repository], error) {
	u := auth.From(ctx)
	if err := s.reach.Permit(ctx, accessTo("create", &in.Body.RepositoryFields)); err != nil {
		return nil, httpError(err)
	}
	return s.written(s.Repositories.Put(ctx, u, nil, in.Body))
}

func (s *server) written(r *Repository, err error) (*answer[*Repository], error) {
	if err != nil {
		return nil, httpError(err)
	}
	r.Can = []string{}
	return &answer[*Repository]{r}, nil
}

// mayChange finds what is to be changed, unless it is another version than the
// change was made for.
func (s *server) mayChange(ctx context.Context, in *RepositoryInput, action string) (*Repository, error) {
	r, err := s.repository(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.reach.Permit(ctx, r.access(action)); err != nil {
		return nil, httpError(err)
	}
	return r, matches(in.IfMatch, r.Version, "repository "+r.URL)
}

// matches compares what If-Match says with a version.
func matches(ifMatch, version, what string) error {
	if session.IsTag(ifMatch) {
		return huma.NewError(http.StatusPreconditionFailed, "If-Match has the ETag of an answer, which does not tell whether "+what+" was changed; send what the answer's body has in version")
	}
	if ifMatch == "" || ifMatch == "*" || strings.Trim(strings.TrimPrefix(ifMatch, "W/"), `"`) == version {
		return nil
	}
	return huma.NewError(http.StatusPreconditionFailed, what+" was changed by somebody else since it was read; load it again and make the change there")
}

func (s *server) putRepository(ctx context.Context, in *putRepository) (*answer[*Repository], error) {
	r, err := s.mayChange(ctx, &in.RepositoryInput, "update")
	if err != nil {
		return nil, err
	}
	u, want := auth.From(ctx), &in.Body
	if want.URL != r.URL || want.Project != r.Project {
		// It becomes another one, in the words of policies.
		if err := s.reach.Permit(ctx, accessTo("create", &want.RepositoryFields)); err != nil {
			return nil, httpError(err)
		}
	}
	return s.written(s.Repositories.Put(ctx, u, r, *want))
}

func (s *server) deleteRepository(ctx context.Context, in *RepositoryInput) (*struct{}, error) {
	r, err := s.mayChange(ctx, in, "delete")
	if err != nil {
		return nil, err
	}
	return nil, httpError(s.Repositories.Remove(ctx, auth.From(ctx), r))
}

func (s *server) testRepository(ctx context.Context, in *struct{ Body RepositoryProbe }) (*answer[*Probed], error) {
	u, want := auth.From(ctx), &in.Body
	var old *Repository
	if want.ID != "" {
		var err error
		if old, err = s.mayChange(ctx, &RepositoryInput{ID: want.ID}, "update"); err != nil {
			return nil, err
		}
	}
	if old == nil || want.URL != old.URL || want.Project != old.Project {
		if err := s.reach.Permit(ctx, accessTo("create", &want.RepositoryFields)); err != nil {
			return nil, httpError(err)
		}
	}
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	found, err := s.Repositories.Probe(ctx, u, old, *want)
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[*Probed]{found}, nil
}
