package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

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
		return nil, httpError(err)
	}
	rows := s.Index.Now().Rows
	confirm, err := s.Cursors.Seal(listOfDeployed(m), deployed(m, rows))
	if err != nil {
		return nil, httpError(err)
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

type deleteMember struct {
	MemberInput

	Confirm string `query:"confirm" maxLength:"1024" doc:"As the deletion that was shown has it."`
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
	return nil, httpError(s.Members.Remove(ctx, auth.From(ctx), m))
}
