package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/danielgtaylor/huma/v2"
)

func (w *world) Parameters(context.Context, *v1alpha1.Application) (*Parameters, error) {
	return &Parameters{Sources: []ParameterSource{{Type: "Helm", Values: []Parameter{{Path: []string{"replicas"}, Value: 2}}}}}, nil
}

func (w *world) Keys(context.Context, *v1alpha1.Application) (*ParameterKeys, error) {
	return &ParameterKeys{
		Set: "webs", Cluster: "dev", Keys: []ParameterKey{{In: "label", Name: "size", Value: "large", Values: []string{"0:replicas"}}},
		From: BridgeSet{Namespace: "argocd", Name: "webs", Project: w.keysOf}, Server: "https://dev", Project: w.keysOf,
	}, nil
}

func (w *world) Field(ctx context.Context, app *v1alpha1.Application, object, path string) (*FieldOrigin, error) {
	keys, err := w.Keys(ctx, app)
	return &FieldOrigin{Object: object, Path: path, Value: 2, Keys: keys}, err
}

func (w *world) Actions(context.Context, *v1alpha1.Application, Ref) ([]Action, error) {
	return []Action{{Name: "restart"}, {Name: "scale", Disabled: true}}, nil
}

func (w *world) Act(_ context.Context, u *auth.User, app *v1alpha1.Application, want Act) ([]Acted, error) {
	w.asked = append(w.asked, want.Action+" "+want.Object.Kind+" "+want.Object.Name+" of "+app.Name+" by "+u.Name)
	return []Acted{{Ref: want.Object, Verb: "update"}}, nil
}

func (w *world) Expand(_ context.Context, _ *v1alpha1.ApplicationSet, look SetLook) (*Expansion, error) {
	app := func(name, project, cluster string) GeneratedApp {
		return GeneratedApp{Name: name, Project: project, Cluster: cluster, Server: "https://" + cluster, ClusterProject: project, Manifest: "name: " + name + "\n", Parameters: map[string]string{"name": cluster, "metadata.labels.size": "large"}}
	}
	foreign := app("web-new", "shop", "prod")
	foreign.ClusterProject = "platform"
	out := &Expansion{Spec: "generators: []\n", At: time.Unix(9, 0).UTC(), Applications: []GeneratedApp{}}
	for _, a := range []GeneratedApp{app("web-dev", "shop", "dev"), foreign, app("dns", "platform", "prod")} {
		if err := out.Show(look, a, func(*GeneratedApp) error { return nil }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (w *world) RefreshSet(_ context.Context, u *auth.User, set *v1alpha1.ApplicationSet) error {
	w.asked = append(w.asked, "refresh set "+set.Name+" by "+u.Name)
	return nil
}

// Which key of a cluster a value follows is told to those who may read the
// cluster and the set.
func TestKeysOfOthersAreHidden(t *testing.T) {
	for project, hidden := range map[string]bool{"shop": false, "platform": true} {
		w := newWorld()
		w.keysOf = project
		for _, of := range []string{"parameters/keys", "field?object=Deployment/web&path=spec.replicas"} {
			got := send(t, w.handler(), "reader", "GET", "/applications/argocd/web-dev/"+of, "")
			if got.Code != http.StatusOK || strings.Contains(got.Body.String(), "size") == hidden || strings.Contains(got.Body.String(), `"hidden":true`) != hidden {
				t.Errorf("%s of a cluster of %s: %d %s", of, project, got.Code, got.Body)
			}
		}
	}
}

// Actions say which of them somebody may do, and only those are done.
func TestActionsByRights(t *testing.T) {
	const path = "/applications/argocd/web-dev/objects/actions?group=apps&version=v1&kind=Deployment&objectNamespace=shop&objectName=web"
	for user, permitted := range map[string]bool{"reader": false, "writer": true} {
		w := newWorld()
		h := w.handler()
		var got []Action
		if err := json.Unmarshal(send(t, h, user, "GET", path, "").Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		want := []Action{{Name: "restart", Permitted: permitted}, {Name: "scale", Disabled: true, Permitted: permitted}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", user, diff)
		}
		send(t, h, user, "POST", path, `{"action":"restart"}`)
		if did := len(w.asked) == 1; did != permitted {
			t.Errorf("%s: did %v", user, w.asked)
		}
		if permitted && w.asked[0] != "restart Deployment web of web-dev by writer" {
			t.Errorf("did %s", w.asked[0])
		}
	}
}

// What a set generates is told as far as somebody may read it: neither
// Applications of other projects, nor metadata of other people's clusters.
func TestSetDetailByRights(t *testing.T) {
	w := newWorld()
	got := send(t, w.handler(), "reader", "GET", "/applicationsets/argocd/webs", "")
	var set SetDetail
	if err := json.Unmarshal(got.Body.Bytes(), &set); err != nil || got.Code != http.StatusOK {
		t.Fatal(got.Code, got.Body)
	}
	want := []GeneratedApp{
		{Name: "web-dev", Project: "shop", Cluster: "dev", Parameters: map[string]string{"name": "dev", "metadata.labels.size": "large"}, Manifest: "name: web-dev\n"},
		{Name: "web-new", Project: "shop", Parameters: map[string]string{}}, // with those of a cluster of platform
	}
	if diff := cmp.Diff(want, set.Expansion.Applications); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if set.Expansion.Total != len(want) {
		t.Errorf("there are %d", set.Expansion.Total)
	}
	if !strings.Contains(set.Spec, "generators:") {
		t.Errorf("its spec is %q", set.Spec)
	}
}

// What was made with the parameters of a cluster that somebody may not read is shown
// as far as an Application that they may read shows it anyway.
func TestSetDetailOfAHiddenCluster(t *testing.T) {
	const hidden, own = "platform", "shop"
	cases := map[string]struct {
		reason            string
		project           string
		fleet, exists     bool
		cluster, manifest bool
		problem           string
	}{
		"Own":     {"of one's own cluster all is shown", own, false, false, true, true, "no cluster vault"},
		"Hidden":  {"of another's nothing", hidden, false, false, false, false, "no cluster …"},
		"Exists":  {"but what there is already", hidden, false, true, true, true, "no cluster vault"},
		"Several": {"where it may have those of others, not what was made with them", own, true, false, true, false, "no cluster …"},
		"All":     {"which a hidden one is told of neither", hidden, true, false, false, false, "no cluster …"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			o := w.options()
			o.Clusters = func() []clusters.Health { return []clusters.Health{{Name: "vault", Project: hidden}} }
			s := &server{Options: o, reach: reach.New(w, w.index, nil)}
			var made []*view.Row
			if tc.exists {
				made = append(made, &view.Row{Name: "web"})
			}
			e := &Expansion{Applications: []GeneratedApp{{
				Name: "web", Project: "shop", Cluster: "vault", Server: "https://vault", ClusterProject: tc.project, Fleet: tc.fleet, Manifest: "zone: secret\n",
				Problem: "no cluster vault", Bare: "no cluster …",
				Parameters: map[string]string{"name": "vault", "nameNormalized": "vault", "server": "https://vault", "project": hidden, "zone": "secret"},
			}}}
			s.shown(auth.With(t.Context(), &auth.User{Name: "reader", Via: auth.Local}), e, byName(made))
			a := e.Applications[0]
			if all := name == "Own"; len(a.Parameters) > 0 != all || a.Cluster != "" != tc.cluster || a.Manifest != "" != tc.manifest || a.Problem != tc.problem {
				t.Errorf("%s: %+v", tc.reason, a)
			}
		})
	}
}

// A warning about a set names clusters to who may read each of them.
func TestSetDetailWarnings(t *testing.T) {
	const text, bare = "region is missing for vault", "region is missing"
	cases := map[string]struct {
		reason string
		doubt  Doubt
		want   string
	}{
		"Nothing": {"what names nothing is everybody's", Doubt{Text: text}, text},
		"Own":     {"one's own clusters are named", Doubt{Text: text, Bare: bare, Clusters: []string{"dev"}}, text},
		"Hidden":  {"others are not", Doubt{Text: text, Bare: bare, Clusters: []string{"dev", "vault"}}, bare},
		"Twin":    {"nor where another one has the same name", Doubt{Text: text, Bare: bare, Clusters: []string{"twin"}}, bare},
		"Unknown": {"nor what is none any more", Doubt{Text: text, Bare: bare, Clusters: []string{"gone"}}, bare},
		"Fleet":   {"nor what may be of any", Doubt{Text: text, Bare: bare, Fleet: true}, bare},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			o := w.options()
			known := []clusters.Health{{Name: "dev", Project: "shop"}, {Name: "vault", Project: "platform"}, {Name: "twin", Project: "shop"}, {Name: "twin", Project: "platform"}}
			o.Clusters = func() []clusters.Health { return known }
			s := &server{Options: o, reach: reach.New(w, w.index, nil)}
			ctx := auth.With(t.Context(), &auth.User{Name: "reader", Via: auth.Local})
			e := &Expansion{Doubts: []Doubt{tc.doubt, tc.doubt}}
			s.shown(ctx, e, nil)
			if diff := cmp.Diff([]string{tc.want}, e.Warnings); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			known = known[:1] // all are one's own
			e = &Expansion{Doubts: []Doubt{tc.doubt}}
			s.shown(ctx, e, nil)
			if diff := cmp.Diff([]string{text}, e.Warnings); diff != "" {
				t.Errorf("who may read all clusters (-want +got):\n%s", diff)
			}
		})
	}
}

// Two clusters may have one address: who may read one of them is not told of
// the other, whichever comes first.
func TestSetDetailOfOneAddress(t *testing.T) {
	w := newWorld()
	s := &server{Options: w.options(), reach: reach.New(w, w.index, nil)}
	ctx := auth.With(t.Context(), &auth.User{Name: "reader", Via: auth.Local})
	app := func(name, project string) GeneratedApp {
		return GeneratedApp{Name: name, Project: "shop", Server: "https://one", ClusterProject: project, Parameters: map[string]string{"metadata.labels.size": "large"}}
	}
	for _, all := range [][]GeneratedApp{{app("a", "shop"), app("b", "platform")}, {app("a", "platform"), app("b", "shop")}} {
		e := &Expansion{Applications: all}
		s.shown(ctx, e, nil)
		for _, a := range e.Applications {
			if told := len(a.Parameters) > 0; told != (a.ClusterProject == "shop") {
				t.Errorf("%s, of a cluster of %s, has %v", a.Name, a.ClusterProject, a.Parameters)
			}
		}
	}
}

// Parameters that may be of any cluster are told to who may read each.
func TestSetDetailOfManyClusters(t *testing.T) {
	w := newWorld()
	ctx := auth.With(t.Context(), &auth.User{Name: "reader", Via: auth.Local})
	for own, known := range map[bool][]clusters.Health{true: {{Name: "dev", Project: "shop"}}, false: {{Name: "dev", Project: "shop"}, {Name: "vault", Project: "platform"}}} {
		o := w.options()
		o.Clusters = func() []clusters.Health { return known }
		s := &server{Options: o, reach: reach.New(w, w.index, nil)}
		e := &Expansion{Applications: []GeneratedApp{
			{Name: "a", Project: "shop", Fleet: true, Parameters: map[string]string{"clusters": "[vault]"}},
			{Name: "b", Project: "shop", Fleet: true, Server: "https://dev", ClusterProject: "shop", Parameters: map[string]string{"label": "of vault"}},
			{Name: "c", Project: "shop", Parameters: map[string]string{"path": "of no cluster"}},
		}}
		s.shown(ctx, e, nil)
		for _, a := range e.Applications {
			if told := len(a.Parameters) > 0; told != (own || !a.Fleet) {
				t.Errorf("who may read all clusters (%t) is shown of %s %v", own, a.Name, a.Parameters)
			}
		}
	}
}

func (w *world) Windows(_ context.Context, app *v1alpha1.Application) (*Schedule, error) {
	return &Schedule{Application: app.Name, Automated: "now", Manual: "now", Windows: []Window{}}, w.windowless
}

func (w *world) Orphans(context.Context, *v1alpha1.Application) (*Orphans, error) {
	return &Orphans{Asked: true, Objects: []Unowned{{Kind: "ConfigMap", Namespace: "web", Name: "left"}}}, nil
}

// What a project does not permit is the reader's to know, and no failure of a host.
func TestParametersThatAreNotPermitted(t *testing.T) {
	for kind, want := range map[gitops.ProblemKind]int{gitops.Forbidden: http.StatusForbidden, gitops.NotFound: http.StatusNotFound, gitops.Refused: http.StatusBadGateway, gitops.Unreachable: http.StatusBadGateway} {
		var e huma.StatusError
		if err := looked(permitted(gitops.Problemf(kind, "x"))); !errors.As(err, &e) || e.GetStatus() != want {
			t.Errorf("%v: %v, want %d", kind, err, want)
		}
	}
}
