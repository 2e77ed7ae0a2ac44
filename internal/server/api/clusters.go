package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// Members are the clusters that Secrets describe. That somebody may is settled
// before.
type Members interface {
	// All are in no order, without what opens them.
	All(ctx context.Context) ([]Member, error)
	// Put writes what is wished for to the cluster that there is, unless it has
	// changed since it was read; nil makes one.
	Put(ctx context.Context, u *auth.User, old *Member, want MemberWish) (*Member, error)
	Remove(ctx context.Context, u *auth.User, old *Member) error
	// Probe asks the cluster. Credentials that the wish leaves out are those of
	// the one that there is.
	Probe(ctx context.Context, u *auth.User, old *Member, want MemberWish) (*MemberProbed, error)
	// Check tells all that does not fit of a wish, as Put and Probe do, and asks
	// no cluster.
	Check(ctx context.Context, old *Member, want MemberWish) error
}

// MemberFields are what is said of a cluster that is no secret.
type MemberFields struct {
	Name               string            `json:"name" minLength:"1" maxLength:"253"`
	Server             string            `json:"server" minLength:"1" maxLength:"4096"`
	Project            string            `json:"project,omitempty" maxLength:"253" doc:"The project that may use it whatever its destinations are. Others may that permit its address or name, and generators of ApplicationSets choose it for whatever project, as in Argo CD."`
	Labels             map[string]string `json:"labels,omitempty" doc:"ApplicationSets choose clusters by them."`
	Annotations        map[string]string `json:"annotations,omitempty"`
	Namespaces         []string          `json:"namespaces,omitempty" maxItems:"1000" nullable:"false" doc:"The only ones that are managed; all are without it."`
	ClusterResources   bool              `json:"clusterResources,omitempty" doc:"With namespaces: objects that are in none are managed, too."`
	Username           string            `json:"username,omitempty" maxLength:"1024"`
	Insecure           bool              `json:"insecure,omitempty" doc:"The certificate of the cluster is not checked."`
	ServerName         string            `json:"serverName,omitempty" maxLength:"253" doc:"The name in the certificate, where it is another than the address has."`
	CA                 string            `json:"ca,omitempty" maxLength:"262144" doc:"Certificates to trust, in PEM form."`
	DisableCompression bool              `json:"disableCompression,omitempty"`
	AWS                *MemberAWS        `json:"aws,omitempty" doc:"A token of EKS is got for each request, by the identity of the engine; refused with a project."`
	Command            string            `json:"command,omitempty" maxLength:"1024" doc:"Program that prints credentials; the installation says which ones may. Refused with a project."`
	CommandVersion     string            `json:"commandVersion,omitempty" maxLength:"253" doc:"Version of the API that it speaks."`
}

// MemberAWS names a cluster of EKS.
type MemberAWS struct {
	ClusterName string `json:"clusterName,omitempty" maxLength:"253"`
	RoleARN     string `json:"roleARN,omitempty" maxLength:"2048"`
	Profile     string `json:"profile,omitempty" maxLength:"253"`
}

// MemberSecrets are what opens a cluster. They are written, and never read.
type MemberSecrets struct {
	Password    *string            `json:"password,omitempty" maxLength:"65536"`
	BearerToken *string            `json:"bearerToken,omitempty" maxLength:"65536"`
	Cert        *string            `json:"certData,omitempty" maxLength:"262144" doc:"Client certificate in PEM form."`
	Key         *string            `json:"keyData,omitempty" maxLength:"262144" doc:"Its key in PEM form."`
	Args        *[]string          `json:"args,omitempty" maxItems:"64" doc:"Arguments of the program."`
	Env         *map[string]string `json:"env,omitempty" doc:"Variables of the program."`
	Proxy       *string            `json:"proxyUrl,omitempty" maxLength:"4096"`
}

// MemberWish is a cluster as it is to be.
type MemberWish struct {
	MemberFields

	Secrets MemberSecrets `json:"secrets,omitempty" doc:"What is left out stays as it is stored; what is empty is taken away."`
}

// Member is what a Secret says of a cluster, without what opens it.
type Member struct {
	MemberFields

	ID           string           `json:"id" doc:"Name of its Secret."`
	Credentials  []string         `json:"credentials" nullable:"false" doc:"What is set of: password, bearerToken, certData, keyData, args, env, proxyUrl."`
	Version      string           `json:"version" doc:"Changes with each write; for If-Match, which takes it and no ETag."`
	ManagedBy    string           `json:"managedBy,omitempty" doc:"What writes the Secret besides people: a change is to be made there."`
	Problem      string           `json:"problem,omitempty" doc:"Why the Secret cannot be used."`
	Health       *clusters.Health `json:"health,omitempty" doc:"How the engine fares with it."`
	Applications int              `json:"applications" doc:"Those that go there, of those that you may read."`
	Can          []string         `json:"can" nullable:"false" doc:"What you may of: update, delete."`
}

// MemberProbe is a cluster to ask.
type MemberProbe struct {
	MemberWish

	ID    string `json:"id,omitempty" maxLength:"253" doc:"The stored one whose credentials are used where none are given."`
	Check bool   `json:"check,omitempty" doc:"Look at the fields alone, and ask no cluster."`
}

// MemberProbed is what came of asking.
type MemberProbed struct {
	Probed

	Version string `json:"version,omitempty" doc:"Of Kubernetes."`
	User    string `json:"user,omitempty" doc:"Who the cluster takes the engine for."`
}

// MemberInput names one. It is exported for the reflection that reads what is
// embedded.
type MemberInput struct {
	ID      string `path:"id" maxLength:"253"`
	IfMatch string `header:"If-Match" maxLength:"256" doc:"The version that the change was made for, as the answer's body has it in version. An ETag is refused: it names the answer, and not what is stored."`
}

type putMember struct {
	MemberInput

	Body MemberWish
}

func (s *server) members(a huma.API) {
	handle(a, operation("get-cluster", http.MethodGet, "/clusters/{id}", "clusters", "What is stored of a cluster, and how it fares"), s.getMember)
	handle(a, operation("get-cluster-deletion", http.MethodGet, "/clusters/{id}/deletion", "clusters", "What forgetting a cluster leads to"), s.memberDeletion)
	made := change("create-cluster", http.MethodPost, "/clusters", "clusters", "Connect a cluster")
	made.DefaultStatus = http.StatusCreated
	handle(a, made, s.createMember)
	handle(a, change("put-cluster", http.MethodPut, "/clusters/{id}", "clusters", "Change a cluster; credentials that are left out stay"), s.putMember)
	gone := change("delete-cluster", http.MethodDelete, "/clusters/{id}", "clusters", "Forget a cluster")
	gone.DefaultStatus = http.StatusNoContent
	handle(a, gone, s.deleteMember)
	handle(a, change("test-cluster", http.MethodPost, "/clusters/test", "clusters", "Ask a cluster, with credentials that need not be stored"), s.testMember)
}

func accessToMember(action string, f *MemberFields) reach.Access {
	return reach.Cluster(action, f.Server, f.Project)
}

// member finds one that somebody may read.
func (s *server) member(ctx context.Context, id string) (*Member, error) {
	visible, err := s.reach.Visible(ctx) // nobody is told to sign in
	if err != nil {
		return nil, httpError(err)
	}
	all, err := s.Members.All(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	for i := range all {
		m := &all[i]
		if m.ID != id || !s.reach.Permits(ctx, accessToMember("get", &m.MemberFields)) {
			continue
		}
		for _, h := range s.Clusters() {
			if h.Secret == m.ID {
				m.Health = &h
			}
		}
		for _, r := range s.Index.Now().Rows {
			if r.Cluster == m.Name && visible(r) {
				m.Applications++
			}
		}
		m.Can = s.reach.Can(ctx, accessToMember("", &m.MemberFields), "update", "delete")
		return m, nil
	}
	return nil, httpError(gitops.Problemf(gitops.NotFound, "there is no cluster with a Secret %s", id))
}

// mayMember finds what is to be changed, unless it is another version than the
// change was made for.
func (s *server) mayMember(ctx context.Context, in *MemberInput, action string) (*Member, error) {
	m, err := s.member(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.reach.Permit(ctx, accessToMember(action, &m.MemberFields)); err != nil {
		return nil, httpError(err)
	}
	return m, matches(in.IfMatch, m.Version, "cluster "+m.Name)
}

func (s *server) getMember(ctx context.Context, in *struct {
	ID string `path:"id" maxLength:"253"`
},
) (*answer[*Member], error) {
	m, err := s.member(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[*Member]{m}, nil
}

func (s *server) createMember(ctx context.Context, in *struct{ Body MemberWish }) (*answer[*Member], error) {
	u := auth.From(ctx)
	if err := s.reach.Permit(ctx, accessToMember("create", &in.Body.MemberFields)); err != nil {
		return nil, httpError(err)
	}
	m, err := s.Members.Put(ctx, u, nil, in.Body)
	return s.writtenMember(ctx, m, err)
}

func (s *server) writtenMember(ctx context.Context, m *Member, err error) (*answer[*Member], error) {
	if taken, is := errors.AsType[*Taken](err); is {
		err = taken.to(func(f *MemberFields) bool { return s.reach.Permits(ctx, accessToMember("get", f)) })
	}
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[*Member]{m}, nil
}

// mayMove asks for the right to make what a change turns a cluster into, in the
// words of policies.
func (s *server) mayMove(ctx context.Context, old *Member, want *MemberFields) error {
	if old != nil && old.Server == want.Server && old.Project == want.Project {
		return nil
	}
	return httpError(s.reach.Permit(ctx, accessToMember("create", want)))
}

func (s *server) putMember(ctx context.Context, in *putMember) (*answer[*Member], error) {
	m, err := s.mayMember(ctx, &in.MemberInput, "update")
	if err != nil {
		return nil, err
	}
	if err := s.mayMove(ctx, m, &in.Body.MemberFields); err != nil {
		return nil, err
	}
	m, err = s.Members.Put(ctx, auth.From(ctx), m, in.Body)
	return s.writtenMember(ctx, m, err)
}

func (s *server) testMember(ctx context.Context, in *struct{ Body MemberProbe }) (*answer[*MemberProbed], error) {
	var old *Member
	if in.Body.ID != "" {
		var err error
		if old, err = s.mayMember(ctx, &MemberInput{ID: in.Body.ID}, "update"); err != nil {
			return nil, err
		}
	}
	if err := s.mayMove(ctx, old, &in.Body.MemberFields); err != nil {
		return nil, err
	}
	if in.Body.Check {
		err := s.Members.Check(ctx, old, in.Body.MemberWish)
		return &answer[*MemberProbed]{&MemberProbed{Probed: Probed{OK: true, Message: "the fields fit; the cluster was not asked"}}}, httpError(err)
	}
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	found, err := s.Members.Probe(ctx, auth.From(ctx), old, in.Body.MemberWish)
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[*MemberProbed]{found}, nil
}
