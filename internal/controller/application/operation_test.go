package application

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

var (
	web = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/web", Path: "deploy", TargetRevision: "main"}
	db  = v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/db", Path: "deploy", TargetRevision: "main"}
)

func with(s v1alpha1.ApplicationSource, revision string) v1alpha1.ApplicationSource {
	s.TargetRevision = revision
	return s
}

func TestOperationSources(t *testing.T) {
	cases := map[string]struct {
		reason    string
		spec      v1alpha1.ApplicationSpec
		op        *v1alpha1.SyncOperation
		automated bool
		want      v1alpha1.ApplicationSources
	}{
		"plain":     {"one that names nothing goes by the spec", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Prune: true}, false, nil},
		"automated": {"an automated one names what the spec resolved to", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Revision: "abc"}, true, nil},
		"revision":  {"another revision of the spec's source", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Revision: "abc"}, false, v1alpha1.ApplicationSources{with(web, "abc")}},
		"source":    {"a roll-back brings its source", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Source: &db, Revision: "abc"}, false, v1alpha1.ApplicationSources{with(db, "abc")}},
		"sources": {"or several", v1alpha1.ApplicationSpec{Sources: v1alpha1.ApplicationSources{web}}, &v1alpha1.SyncOperation{Sources: v1alpha1.ApplicationSources{db, web}, Revisions: []string{"abc", "def"}}, false,
			v1alpha1.ApplicationSources{with(db, "abc"), with(web, "def")}},
		"some": {"a source whose revision is not named keeps the spec's", v1alpha1.ApplicationSpec{Sources: v1alpha1.ApplicationSources{web, db}}, &v1alpha1.SyncOperation{Revisions: []string{"", "def"}}, false,
			v1alpha1.ApplicationSources{web, with(db, "def")}},
		"too many": {"revisions without a source are of no use", v1alpha1.ApplicationSpec{Source: &web}, &v1alpha1.SyncOperation{Revisions: []string{"abc", "def"}}, false, v1alpha1.ApplicationSources{with(web, "abc")}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: c.spec}
			app.Status.OperationState = &v1alpha1.OperationState{}
			app.Status.OperationState.Operation.InitiatedBy.Automated = c.automated
			before := app.DeepCopy()
			got := operationSources(app, c.op)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			if diff := cmp.Diff(before, app); diff != "" {
				t.Errorf("%s: the application was changed (-before +after):\n%s", c.reason, diff)
			}
		})
	}
}

// TestNothingIsSlippedUnderWhatRuns: manifests and a way back that are asked for meanwhile
// are not those of the operation that runs.
func TestNothingIsSlippedUnderWhatRuns(t *testing.T) {
	for name, op := range map[string]v1alpha1.Operation{
		"manifests": {Sync: &v1alpha1.SyncOperation{Manifests: []string{localYAM}}},
		"rollback":  {Sync: &v1alpha1.SyncOperation{Source: &web}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}}},
	} {
		t.Run(name, func(t *testing.T) {
			tg, err := backTo(t, permitting("*"), nil, func(k *history.Kept) { k.Sync.Origin = &history.Origin{} })
			if err != nil || tg.Brought == nil {
				t.Fatalf("a rollback brings nothing back: %v", err)
			}
			app := tg.App
			app.Operation = &op
			app.Status.OperationState.Operation.Info = nil // an ordinary sync
			r := &Reconciler{Options: Options{Past: keeping{}}, seen: newSeen()}
			tg = &state.Target{Subject: state.Subject{App: app, Project: permitting("*"), Sources: app.Spec.GetSources()}}
			if err := r.returning(t.Context(), tg); err != nil || tg.Brought != nil || tg.Unfit != nil {
				t.Errorf("it goes on with %+v: %v, %v", tg.Brought, err, tg.Unfit)
			}
		})
	}
}

func TestOnly(t *testing.T) {
	web := gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	cases := map[string]struct {
		reason string
		named  []v1alpha1.SyncOperationResource
		want   bool
	}{
		"named":           {"the object itself", []v1alpha1.SyncOperationResource{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}, true},
		"any namespace":   {"without a namespace it is meant wherever it is", []v1alpha1.SyncOperationResource{{Group: "apps", Kind: "Deployment", Name: "web"}}, true},
		"other namespace": {"its namesake elsewhere", []v1alpha1.SyncOperationResource{{Group: "apps", Kind: "Deployment", Namespace: "test", Name: "web"}}, false},
		"other group":     {"a kind of the same name", []v1alpha1.SyncOperationResource{{Kind: "Deployment", Namespace: "shop", Name: "web"}}, false},
		"second":          {"one of several", []v1alpha1.SyncOperationResource{{Kind: "Service", Name: "web"}, {Group: "apps", Kind: "Deployment", Name: "web"}}, true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := only(c.named)(web); got != c.want {
				t.Errorf("%s: got %t, want %t", c.reason, got, c.want)
			}
		})
	}
	if only(nil) != nil {
		t.Error("a sync that names nothing must not be partial: a partial one runs no hooks")
	}
}

// TestNamesThatMeanNothing: a sync of objects tells of those that the application has not, and stays one of the others.
func TestNamesThatMeanNothing(t *testing.T) {
	p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{{Key: gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}}}}}
	name := func(namespace, name string) v1alpha1.SyncOperationResource {
		return v1alpha1.SyncOperationResource{Group: "apps", Kind: "Deployment", Namespace: namespace, Name: name}
	}
	for label, tc := range map[string]struct {
		reason string
		named  []v1alpha1.SyncOperationResource
		want   []string
	}{
		"there":    {"it has the object", []v1alpha1.SyncOperationResource{name("shop", "web")}, nil},
		"anywhere": {"in whatever namespace", []v1alpha1.SyncOperationResource{name("", "web")}, nil},
		"mistyped": {"it is almost there", []v1alpha1.SyncOperationResource{name("shop", "wep")}, []string{"the application has no apps/Deployment:shop/wep"}},
		"many":     {"a message has bounds", slices.Repeat([]v1alpha1.SyncOperationResource{name("x", "y")}, maxStrangers+2), append(slices.Repeat([]string{"the application has no apps/Deployment:x/y"}, maxStrangers), "and 2 more")},
	} {
		t.Run(label, func(t *testing.T) {
			got := strangerTexts(strangers(&v1alpha1.SyncOperation{Resources: tc.named}, p), p)
			if len(got) != len(tc.want) {
				t.Fatalf("%s: %q", tc.reason, got)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], tc.want[i]) {
					t.Errorf("%s: %q, want %q", tc.reason, got[i], tc.want[i])
				}
			}
		})
	}
}

// TestWhatWasSentBefore: a result of what has no namespace shows the Application's, and is found all the same.
func TestWhatWasSentBefore(t *testing.T) {
	st := &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{Resources: v1alpha1.ResourceResults{{Kind: "Namespace", Namespace: "shop", Name: "shop"}, {Kind: "Service", Namespace: "shop", Name: "web"}}}}
	for key, want := range map[gitops.Key]bool{
		{Kind: "Namespace", Name: "shop"}: true, {Kind: "Service", Namespace: "shop", Name: "web"}: true, {Kind: "Service", Namespace: "test", Name: "web"}: false, {Group: "apps", Kind: "Service", Namespace: "shop", Name: "web"}: false,
	} {
		if sent(st)(key) != want || sent(&v1alpha1.OperationState{})(key) {
			t.Errorf("%s was sent: %t", key, !want)
		}
	}
}
