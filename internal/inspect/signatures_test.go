package inspect

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
)

// fetched is the revision that every source is at.
type fetched string

func (f fetched) Snapshot(context.Context, gitops.SourceRef) (*gitops.Snapshot, error) {
	return &gitops.Snapshot{Revision: string(f)}, nil
}

// TestLooksAskForSignatures looks at revisions as a project wants them signed.
func TestLooksAskForSignatures(t *testing.T) {
	const at = "https://git.example.com/shop"
	cases := map[string]struct {
		reason   string
		spec     v1alpha1.AppProjectSpec
		source   v1alpha1.ApplicationSource
		revision string
		says     string // empty where it may be looked at
	}{
		"Signed":   {"as the project asks", v1alpha1.AppProjectSpec{SignatureKeys: []v1alpha1.SignatureKey{{KeyID: "A"}}}, v1alpha1.ApplicationSource{RepoURL: at, TargetRevision: "main"}, "signed", ""},
		"Unsigned": {"no sync would take it", v1alpha1.AppProjectSpec{SignatureKeys: []v1alpha1.SignatureKey{{KeyID: "A"}}}, v1alpha1.ApplicationSource{RepoURL: at, TargetRevision: "branch"}, "bare", "branch at bare by A"},
		"Chart":    {"it cannot be signed", v1alpha1.AppProjectSpec{SignatureKeys: []v1alpha1.SignatureKey{{KeyID: "A"}}}, v1alpha1.ApplicationSource{RepoURL: at, Chart: "web"}, "1.0.0", "Git repositories alone"},
		"NoRule":   {"the project asks for nothing", v1alpha1.AppProjectSpec{}, v1alpha1.ApplicationSource{RepoURL: at, TargetRevision: "branch"}, "bare", ""},
	}
	i := &Inspector{settings: &hub.Settings{}, verify: func(_ context.Context, ref gitops.SourceRef, revision string, rule gitops.SignatureRule) error {
		if revision == "signed" {
			return nil
		}
		return fmt.Errorf("%s at %s by %s", ref.Revision, revision, strings.Join(rule.Keys, ","))
	}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &tc.source}}
			s := &subject{App: app, Project: &v1alpha1.AppProject{Spec: tc.spec}, Sources: app.Spec.GetSources()}
			look := func(i *Inspector) error {
				c := i.comparer()
				c.Sources = fetched(tc.revision)
				_, err := c.Snapshots(t.Context(), s)
				return err
			}
			err := look(i)
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if err := look(&Inspector{settings: &hub.Settings{}}); err != nil {
				t.Errorf("where nobody knows the keys nothing is asked: %v", err)
			}
		})
	}
}
