package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

const oneMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, annotations: {argocd.argoproj.io/sync-options: %s}}\n"

// without takes files away, all at once: half of them would be below the guard.
func (s *site) without(t *testing.T, names ...string) {
	t.Helper()
	s.AtOnce(func(folder string) {
		for _, name := range names {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				t.Error(err)
			}
		}
	})
}

// gone waits until none of some ConfigMaps is there.
func (s *site) gone(t *testing.T, names ...string) {
	t.Helper()
	embeddedtest.Eventually(t, func(context.Context) error {
		for _, name := range names {
			if cm, err := s.ConfigMap(name); err == nil {
				return fmt.Errorf("%s is there", cm.Name)
			}
		}
		return nil
	})
}

// What the guard holds is shown whole, and goes when exactly that is approved
// by somebody who may change the Application.
func TestMassDeletionIsApprovedByAPI(t *testing.T) {
	files, names, paths := map[string]string{}, []string{}, []string{}
	for i := range 7 {
		name := fmt.Sprintf("cm-%d", i)
		files["app/"+name+".yaml"] = fmt.Sprintf(oneMap, name, `""`)
		if i > 0 {
			names, paths = append(names, name), append(paths, "app/"+name+".yaml")
		}
	}
	s := serveSite(t, files)
	s.App("app", "app")
	s.Until("app", "synced", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && len(app.Status.Resources) == 7
	})
	s.without(t, paths...)
	v, reader := s.visitor(""), s.account("reader", "get", "list")
	v.signIn(t)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	var held api.HeldObjects
	sees(t, v, at, func(a *api.Application) error {
		if a.Held == nil || a.Held.Approval == nil {
			return errors.New("nothing is held")
		}
		held = *a.Held.Approval
		return nil
	})
	if held.Count != 6 || len(held.Objects) != 6 || held.Objects[0].Kind != "ConfigMap" || held.Objects[0].Name != "cm-1" {
		t.Errorf("what is held is %+v", held)
	}
	reader.wants(t, http.StatusForbidden, http.MethodPost, at+"/approve", api.Approval{Digest: held.Digest, Minutes: 5}, nil)
	v.wants(t, http.StatusConflict, http.MethodPost, at+"/approve", api.Approval{Digest: strings.Repeat("0", 32), Minutes: 5}, nil)
	v.wants(t, http.StatusConflict, http.MethodPost, at+"/confirm", api.Confirmation{Digest: held.Digest}, nil)
	if _, err := s.ConfigMap("cm-1"); err != nil {
		t.Errorf("what nobody approved is gone: %v", err)
	}
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/approve", api.Approval{Digest: held.Digest, Minutes: 5}, nil)
	s.gone(t, names...)
	sees(t, v, at, func(a *api.Application) error {
		if a.Held != nil {
			return fmt.Errorf("held is %+v", a.Held)
		}
		return nil
	})
	v.wants(t, http.StatusConflict, http.MethodPost, at+"/approve", api.Approval{Digest: held.Digest, Minutes: 5}, nil)
	s.wasApproved(t, v, "admin approve allowed", "admin approve failed", "reader update denied")
}

// wasApproved looks for entries of the audit.
func (s *site) wasApproved(t *testing.T, v *visitor, wanted ...string) {
	t.Helper()
	sees(t, v, "/audit?limit=200", func(p *struct{ Items []audit.Entry }) error {
		var said strings.Builder
		for i := range p.Items {
			e := &p.Items[i]
			_, _ = fmt.Fprintf(&said, "%s %s %s\n", e.Who.Name[strings.LastIndex(e.Who.Name, ":")+1:], e.Verb, e.Outcome)
		}
		for _, want := range wanted {
			if !strings.Contains(said.String(), want) {
				return fmt.Errorf("the audit has no %q:\n%s", want, said.String())
			}
		}
		return nil
	})
}

// An object that asks to be confirmed is shown, and goes when it was.
func TestDeletionIsConfirmedByAPI(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(oneMap, "stays", `""`), "app/b.yaml": fmt.Sprintf(oneMap, "precious", "Prune=confirm")})
	s.App("app", "app")
	s.Until("app", "synced", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && len(app.Status.Resources) == 2
	})
	s.without(t, "app/b.yaml")
	v := s.visitor("")
	v.signIn(t)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	var asks api.HeldObjects
	sees(t, v, at, func(a *api.Application) error {
		if a.Held == nil || a.Held.Confirmation == nil {
			return errors.New("nothing asks")
		}
		asks = *a.Held.Confirmation
		return nil
	})
	if asks.Count != 1 || asks.Objects[0].Name != "precious" {
		t.Errorf("what asks is %+v", asks)
	}
	v.wants(t, http.StatusConflict, http.MethodPost, at+"/confirm", api.Confirmation{Digest: strings.Repeat("0", 32)}, nil)
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/confirm", api.Confirmation{Digest: asks.Digest}, nil)
	s.gone(t, "precious")
	s.wasApproved(t, v, "admin confirm allowed")
}

// A set that would delete most of what it made waits; who may change the set
// lets exactly these go.
func TestDeletionsOfASetAreApprovedByAPI(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(oneMap, "settings", `""`)})
	set := &v1alpha1.ApplicationSet{}
	set.Name = "many"
	set.Spec.Template.Name = "{{name}}"
	set.Spec.Template.Spec = v1alpha1.ApplicationSpec{
		Project: "default", Source: &v1alpha1.ApplicationSource{RepoURL: apptest.RepoURL, Path: "app", TargetRevision: "HEAD"},
		Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: s.Namespace},
	}
	makes := func(names ...string) {
		var list []apiextensionsv1.JSON
		for _, name := range names {
			list = append(list, apiextensionsv1.JSON{Raw: fmt.Appendf(nil, `{"name":%q}`, s.ID(name))})
		}
		set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{List: &v1alpha1.ListGenerator{Elements: list}}}
	}
	makes("a", "b", "c", "d")
	s.Make(set)
	v := s.visitor("")
	v.signIn(t)
	are := func(want int) {
		sees(t, v, "/applications?applicationSet=many", func(p *struct{ Total int }) error {
			if p.Total != want {
				return fmt.Errorf("%d are there", p.Total)
			}
			return nil
		})
	}
	are(4)
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := s.Get(ctx, client.ObjectKeyFromObject(set), set); err != nil {
			return err
		}
		makes("a")
		return s.Update(ctx, set)
	})
	at := "/applicationsets/" + s.Namespace + "/many"
	var held api.HeldApplications
	sees(t, v, at, func(d *api.SetDetail) error {
		if d.Held == nil {
			return errors.New("nothing is held")
		}
		held = *d.Held
		return nil
	})
	if held.Count != 3 || len(held.Applications) != 3 || held.Applications[0].Name == s.ID("a") {
		t.Errorf("what is held is %+v", held)
	}
	v.wants(t, http.StatusConflict, http.MethodPost, at+"/approve", api.Approval{Digest: strings.Repeat("0", 32), Minutes: 5}, nil)
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/approve", api.Approval{Digest: held.Digest, Minutes: 5}, nil)
	are(1)
	s.wasApproved(t, v, "admin approve allowed", "admin approve failed")
}
