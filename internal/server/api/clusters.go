package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
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

// MemberDeletion is what forgetting a cluster leads to.
type MemberDeletion struct {
	Confirm   string              `json:"confirm" doc:"The value to send with the deletion, which binds it to the Applications of the cluster that were shown."`
	Generated []MemberApplication `json:"generated" nullable:"false" doc:"Applications that ApplicationSets delete then, wherever they are deployed, within the bounds of the guard."`
	Left      []view.Key          `json:"left" nullable:"false" doc:"Applications that are deployed to the cluster and stay, as no ApplicationSet deletes them: they lose their cluster, and cannot be synced."`
	Unknown   []view.Key          `json:"unknown" nullable:"false" doc:"Applications that are deployed to the cluster, of ApplicationSets of which it is not known what they delete."`
	Others    bool                `json:"others,omitempty" doc:"There are further ones, that you may not read."`

	Guarded       []GuardedDeletion `json:"guarded" nullable:"false" doc:"Deletions by ApplicationSets that the guard would hold until somebody approves them."`
	GuardedHidden bool              `json:"guardedHidden,omitempty" doc:"It would hold further ones, of ApplicationSets or Applications that you may not read."`
	Verdict       string            `json:"verdict" enum:"none,some,others,unknown" doc:"Whether the guard would hold deletions: none of them; some, which guarded tells; none of those that are known, while of other ApplicationSets it is not known what they delete; or it is not known."`
	Failures      []string          `json:"failures" nullable:"false" doc:"ApplicationSets of which not all is known."`
}

// MemberApplication is one that an ApplicationSet made of a cluster.
type MemberApplication struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Cluster   string `json:"cluster,omitempty" doc:"Where it is deployed, if that is another cluster."`
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

type deleteMember struct {
	MemberInput

	Confirm string `query:"confirm" maxLength:"1024" doc:"As the deletion that was shown has it."`
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
		return nil, told(err)
	}
	all, err := s.Members.All(ctx)
	if err != nil {
		return nil, told(err)
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
	return nil, told(gitops.Problemf(gitops.NotFound, "there is no cluster with a Secret %s", id))
}

// mayMember finds what is to be changed, unless it is another version than the
// change was made for.
func (s *server) mayMember(ctx context.Context, in *MemberInput, action string) (*Member, error) {
	m, err := s.member(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.reach.Permit(ctx, accessToMember(action, &m.MemberFields)); err != nil {
		return nil, told(err)
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
		return nil, told(err)
	}
	m, err := s.Members.Put(ctx, u, nil, in.Body)
	return s.writtenMember(ctx, m, err)
}

func (s *server) writtenMember(ctx context.Context, m *Member, err error) (*answer[*Member], error) {
	if taken, is := errors.AsType[*Taken](err); is {
		err = taken.to(func(f *MemberFields) bool { return s.reach.Permits(ctx, accessToMember("get", f)) })
	}
	if err != nil {
		return nil, told(err)
	}
	return &answer[*Member]{m}, nil
}

// mayMove asks for the right to make what a change turns a cluster into, in the
// words of policies.
func (s *server) mayMove(ctx context.Context, old *Member, want *MemberFields) error {
	if old != nil && old.Server == want.Server && old.Project == want.Project {
		return nil
	}
	return told(s.reach.Permit(ctx, accessToMember("create", want)))
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

func (s *server) memberDeletion(ctx context.Context, in *struct {
	ID string `path:"id" maxLength:"253"`
},
) (*answer[*MemberDeletion], error) {
	m, err := s.mayMember(ctx, &MemberInput{ID: in.ID}, "delete")
	if err != nil {
		return nil, err
	}
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, told(err)
	}
	rows := s.Index.Now().Rows
	confirm, err := s.Cursors.Seal(listOfDeployed(m), deployed(m, rows))
	if err != nil {
		return nil, told(err)
	}
	d := &MemberDeletion{
		Confirm: confirm, Generated: []MemberApplication{}, Left: []view.Key{}, Unknown: []view.Key{},
		Guarded: []GuardedDeletion{}, Verdict: VerdictUnknown, Failures: []string{},
	}
	d.divide(m, rows, visible, fateOf(s.foretell(ctx, m, d, reach.UnseenOf(rows, visible))))
	return &answer[*MemberDeletion]{d}, nil
}

// listOfDeployed is the list that what is confirmed is sealed for.
func listOfDeployed(m *Member) string { return "deployed to " + m.ID }

// deployed is a digest of what is deployed to a cluster. Who gets it gets it sealed:
// Applications are in it that they may not see, and could be guessed by it.
func deployed(m *Member, rows []*view.Row) string {
	sum := sha256.New()
	_, _ = sum.Write([]byte(m.ID + "\x00" + m.Server)) // a hash never fails
	for _, r := range rows {
		if r.Cluster == m.Name {
			_, _ = sum.Write([]byte("\x00" + r.Namespace + "/" + r.Name + " " + r.Set))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// fate is what becomes of Applications.
type fate struct {
	going map[view.Key]bool
	// unknown are the sets of which it is not known what they delete; nil when
	// nothing is known of any.
	unknown map[view.Key]bool
}

// fateOf takes nil for nothing that is known.
func fateOf(found *Supposed) *fate {
	if found == nil {
		return &fate{}
	}
	out := &fate{going: map[view.Key]bool{}, unknown: map[view.Key]bool{}}
	for _, t := range found.Turnovers {
		for _, name := range t.Going {
			out.going[view.Key{Namespace: t.Set.Namespace, Name: name}] = true
		}
	}
	for _, f := range found.SetFailures {
		if !f.Keeps {
			out.unknown[view.Key{Namespace: f.Set.Namespace, Name: f.Set.Name}] = true
		}
	}
	return out
}

func (f *fate) isUnknown(r *view.Row) bool {
	if r.Set == "" {
		return false
	}
	return f.unknown == nil || f.unknown[view.Key{Namespace: r.Namespace, Name: r.Set}]
}

// divide tells which Applications go, wherever they are deployed, and which of
// the cluster's stay without it.
func (d *MemberDeletion) divide(m *Member, rows []*view.Row, visible func(*view.Row) bool, f *fate) {
	for _, r := range rows {
		going := f.going[r.Key()]
		switch {
		case !going && r.Cluster != m.Name:
		case !visible(r):
			d.Others = true
		case going:
			d.Generated = append(d.Generated, MemberApplication{Namespace: r.Namespace, Name: r.Name, Cluster: elsewhere(r, m)})
		case f.isUnknown(r):
			d.Unknown = append(d.Unknown, r.Key())
		default:
			d.Left = append(d.Left, r.Key())
		}
	}
}

// elsewhere is where an Application is deployed, if that is another cluster.
func elsewhere(r *view.Row, m *Member) string {
	if r.Cluster == m.Name {
		return ""
	}
	return r.Cluster
}

func (s *server) deleteMember(ctx context.Context, in *deleteMember) (*struct{}, error) {
	m, err := s.mayMember(ctx, &in.MemberInput, "delete")
	if err != nil {
		return nil, err
	}
	var confirmed string
	if s.Cursors.Open(listOfDeployed(m), in.Confirm, &confirmed) != nil || confirmed != deployed(m, s.Index.Now().Rows) {
		return nil, huma.NewError(http.StatusConflict, "what goes with cluster "+m.Name+" is not what was confirmed; read "+Prefix+"/clusters/"+m.ID+"/deletion and send its confirm")
	}
	return nil, told(s.Members.Remove(ctx, auth.From(ctx), m))
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
		return &answer[*MemberProbed]{&MemberProbed{Probed: Probed{OK: true, Message: "the fields fit; the cluster was not asked"}}}, told(err)
	}
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	found, err := s.Members.Probe(ctx, auth.From(ctx), old, in.Body.MemberWish)
	if err != nil {
		return nil, told(err)
	}
	return &answer[*MemberProbed]{found}, nil
}
