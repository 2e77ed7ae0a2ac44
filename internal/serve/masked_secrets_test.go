package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store"
)

// decrypting has one object, with what was decrypted in it, and its old self live.
type decrypting struct {
	desired, live *unstructured.Unstructured
	err           error // why it cannot be rendered
}

func (d decrypting) set() *plan.Set {
	return &plan.Set{Hidden: []string{"swordfish"}, Objects: []plan.Object{{Manifest: gitops.Manifest{Object: d.desired}, Key: gitops.KeyOf(d.desired)}}}
}

func (d decrypting) Render(context.Context, *v1alpha1.Application) (*gitops.Rendering, error) {
	return nil, errors.New("not asked for")
}

func (d decrypting) Desired(context.Context, *v1alpha1.Application) (*plan.Set, error) {
	return d.set(), d.err
}

func (d decrypting) Diff(context.Context, *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	return nil, nil
}

func (d decrypting) Tree(context.Context, *v1alpha1.Application) ([]*observe.Node, error) {
	return nil, nil
}

func (d decrypting) Roots(context.Context, *v1alpha1.Application) ([]*unstructured.Unstructured, error) {
	return []*unstructured.Unstructured{d.live}, nil
}

func (d decrypting) Object(context.Context, *v1alpha1.Application, schema.GroupVersionKind, gitops.Key) (*unstructured.Unstructured, error) {
	return d.live, nil
}

// admits lets every application have what its status names.
func admits(_ context.Context, app *v1alpha1.Application) (*Admitted, error) {
	return &Admitted{Resources: app.Status.Resources}, nil
}

// settings are a ConfigMap with a password in it.
func settings(name, password string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "web"},
		"data": map[string]any{"colour": "blue", "password": password},
	}}
}

// What was decrypted is shown of no kind of object, nor what was there before.
func TestManagedShowsNothingDecrypted(t *testing.T) {
	both := decrypting{settings("web", "swordfish"), settings("web", "marlin"), nil}
	d := details{looker{on: &Options{Admit: admits, Stages: both, Live: both, Hidden: func() []string { return nil }}}}
	out, err := d.Managed(t.Context(), &v1alpha1.Application{})
	if err != nil || len(out) != 1 {
		t.Fatalf("there are %+v, %v", out, err)
	}
	text := fmt.Sprint(out)
	if strings.Contains(text, "swordfish") || strings.Contains(text, "marlin") || !strings.Contains(text, "blue") {
		t.Errorf("shown is %s", text)
	}
	if out[0].Target == out[0].Live {
		t.Error("the password that changes cannot be told")
	}
}

// decryptedFor is a history of syncs, the first one first, each with what was
// decrypted for it.
func decryptedFor(t *testing.T, app string, passwords ...string) *store.Store {
	t.Helper()
	s := historyOf(t)
	for i, password := range passwords {
		at := time.Now().Add(time.Duration(i-len(passwords)) * time.Minute)
		phase := map[bool]string{true: "Failed", false: "Succeeded"}[i%2 == 0]
		r := &gitops.Rendering{Digest: "digest-" + password, Hidden: []string{password}, Manifests: []gitops.Manifest{{Object: settings("web", password)}}}
		s.Rendering(r)
		s.Sync(history.Sync{ID: history.ID(password, at), App: history.App{Namespace: "argocd", Name: app}, Cause: history.Automated, Phase: phase, Started: at, Finished: at, Rendering: r.Digest})
	}
	return s
}

// An object is not shown while it is not known what was decrypted in it. What
// was so for earlier syncs is hidden also where something else is now.
func TestUnveiledIsNotShown(t *testing.T) {
	broken, no := errors.New("no such chart"), func() []string { return nil }
	cases := map[string]struct {
		reason   string
		decrypts bool
		failed   error
		past     []string
		live     string
		want     string // what the error says; empty where it is shown
	}{
		"Rendered":     {"what is decrypted now is known", true, nil, nil, "swordfish", ""},
		"NothingKnown": {"after a restart nothing is known of an application that cannot be rendered", true, broken, nil, "swordfish", "not shown: what was decrypted"},
		"Synced":       {"the last sync tells what was decrypted", true, broken, []string{"tuna", "swordfish"}, "swordfish", ""},
		"FailedSync":   {"a sync that failed may have applied it", true, broken, []string{"marlin", "herring", "salmon"}, "marlin", ""},
		"LongAgo":      {"what is left of the one before is hidden, too", true, nil, []string{"marlin", "tuna", "herring", "salmon", "cod"}, "marlin", ""},
		"NoKeys":       {"nothing is decrypted here", false, broken, nil, "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{}
			app.Namespace, app.Name = "argocd", "web"
			stages := decrypting{desired: settings("web", "swordfish"), err: tc.failed}
			on := &Options{Admit: admits, Stages: stages, Live: stages, Hidden: no, Decrypts: tc.decrypts, Checks: observe.New(), History: decryptedFor(t, "web", tc.past...)}
			left := settings("left", tc.live)
			out, err := looker{on: on}.shown(t.Context(), &Admitted{}, app, api.Ref{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: "left"}, left, nil)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s: %+v, %v", tc.reason, out, err)
				}
				return
			}
			if err == nil && (out.Problem != "") != (tc.failed != nil) {
				t.Errorf("what Git has is not known because of %q", out.Problem)
			}
			if err != nil || !strings.Contains(out.Live, "blue") || tc.live != "" && strings.Contains(out.Live, tc.live) {
				t.Errorf("%s: %+v, %v", tc.reason, out, err)
			}
		})
	}
}

// removing has an object that a sync would delete.
type removing struct {
	decrypting

	left *unstructured.Unstructured
}

func (r removing) Diff(context.Context, *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	d, err := plan.NewDiff(r.left, nil)
	return []plan.ObjectDiff{{Key: gitops.KeyOf(r.left), Verb: gitops.Prune, Diff: d}}, err
}

// What was decrypted for an earlier sync is in what the next one deletes, and
// in what an action changes.
func TestFormerSecretsAreHidden(t *testing.T) {
	app := &v1alpha1.Application{}
	app.Namespace, app.Name = "argocd", "web"
	stages := removing{decrypting{desired: settings("web", "swordfish")}, settings("left", "marlin")}
	l := looker{on: &Options{Admit: admits, Stages: stages, Hidden: func() []string { return nil }, Decrypts: true, History: decryptedFor(t, "web", "marlin", "swordfish")}}
	all, err := l.Diff(t.Context(), app)
	if err != nil || len(all) != 1 || !strings.Contains(all[0].Live, "blue") || strings.Contains(fmt.Sprint(all), "marlin") {
		t.Errorf("the differences are %+v, %v", all, err)
	}
	veil, err := l.veilNow(t.Context(), app)
	if _, left := veil.Sides(nil, stages.left); err != nil || strings.Contains(fmt.Sprint(left), "marlin") {
		t.Errorf("after an action it is %v, %v", left, err)
	}
}
