package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// previewTime bounds a preview: sets are expanded and Applications rendered.
const previewTime = 45 * time.Second

// BridgeEdit changes, adds or removes one key of a cluster.
type BridgeEdit struct {
	In     string `json:"in" enum:"label,annotation"`
	Name   string `json:"name" minLength:"1" maxLength:"317"`
	Value  string `json:"value,omitempty" maxLength:"65536"`
	Remove bool   `json:"remove,omitempty" doc:"Take the key away."`
}

// BridgeWish is metadata that a cluster could have.
type BridgeWish struct {
	Cluster string       `json:"cluster" minLength:"1" maxLength:"253"`
	Edits   []BridgeEdit `json:"edits" minItems:"1" maxItems:"20"`

	// Secret is that of the cluster which is meant, of those that somebody may
	// read: names of clusters are not unique.
	Secret string `json:"-"`
}

// BridgePreview is what follows from other metadata of a cluster. Nothing of
// it reached a cluster.
type BridgePreview struct {
	Cluster      string              `json:"cluster"`
	Added        int                 `json:"added"`
	Changed      int                 `json:"changed"`
	Removed      int                 `json:"removed"`
	Kept         int                 `json:"kept" doc:"Applications that their ApplicationSet no longer yields, and does not delete."`
	Applications []BridgeApplication `json:"applications"`
	Violations   []BridgeViolation   `json:"violations" doc:"What schemas have against the metadata."`
	Failures     []string            `json:"failures" doc:"ApplicationSets of which it is not known what becomes of them."`
	Guarded      []GuardedDeletion   `json:"guarded" nullable:"false" doc:"Deletions that the guard would hold until somebody approves them."`
	Verdict      string              `json:"verdict" enum:"none,some,others,unknown" doc:"Whether the guard would hold deletions: none of them; some, which guarded tells; none of those that are known, while of other ApplicationSets it is not known what they delete; or it is not known."`
}

// BridgeApplication is what becomes of one Application.
type BridgeApplication struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	Project   string       `json:"project"`
	Set       string       `json:"applicationSet,omitempty"`
	Effect    string       `json:"effect" enum:"added,changed,removed,kept" doc:"Kept is what its ApplicationSet no longer yields and does not delete: its policy keeps it, or others of the set cannot be created."`
	Fields    []Change     `json:"fields,omitempty" doc:"Fields of the Application that get another value."`
	Objects   []Difference `json:"objects" doc:"Objects that are rendered differently; live is as it is rendered now."`
	Note      string       `json:"note,omitempty"`

	// Of is the set, for the rights alone.
	Of BridgeSet `json:"-"`
}

// BridgeViolation is what a schema has against a key.
type BridgeViolation struct {
	In      string `json:"in"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Schema  string `json:"schema"`
	Refused bool   `json:"refused,omitempty" doc:"The API server would not take such a Secret."`
}

// Supposed is a preview before the rights of who asked.
type Supposed struct {
	BridgePreview

	SetFailures []BridgeFailure
	// Turnovers are of the sets that would delete Applications.
	Turnovers []Turnover
}

func (s *server) bridgePreview(a huma.API) {
	op := operation("preview-bridge", http.MethodPost, "/bridge/preview", "bridge", "What would become of the Applications if a cluster had other metadata")
	op.Description = "Nothing is changed. The sets are expanded with the metadata, what differs is rendered, and compared with what is rendered now."
	op.Errors = append(op.Errors, http.StatusTooManyRequests, http.StatusGatewayTimeout)
	handle(a, op, s.previewBridge)
}

type previewInput struct{ Body BridgeWish }

func (s *server) previewBridge(ctx context.Context, in *previewInput) (*answer[*BridgePreview], error) {
	b, sight, err := s.seenBridge(ctx)
	if err != nil {
		return nil, err
	}
	wish := &in.Body
	if wish.Secret, err = b.secretOf(wish.Cluster); err != nil {
		return nil, httpError(err)
	}
	if err := wish.check(); err != nil {
		return nil, httpError(err)
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	end, ok := s.Looks.Begin(ctx)
	if !ok {
		return nil, later(http.StatusTooManyRequests, "too many requests look at clusters; try again later", looksWait)
	}
	defer end()
	found, err := s.Bridge.Suppose(ctx, wish, s.maySuppose(ctx, sight))
	if err != nil {
		return nil, httpError(err)
	}
	out := &found.BridgePreview
	for i := range out.Applications {
		if app := &out.Applications[i]; sight.of(app.Of) {
			app.Set = app.Of.Name
		}
	}
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	// Of sets that may not be read nothing is told, not even that they delete:
	// they would give away what they go by.
	out.Guarded, _ = guardedOf(found.Turnovers, sight.of, reach.UnseenOf(s.Index.Now().Rows, visible))
	out.Verdict = verdictFor(out, found.SetFailures, sight.of)
	out.Failures = append(out.Failures, failuresOf(found.SetFailures, sight.of)...)
	return &answer[*BridgePreview]{out}, nil
}

// secretOf is the Secret of the cluster that somebody names among those that they
// may read.
func (b *Bridge) secretOf(name string) (string, error) {
	i := find(b.Clusters, name)
	if i < 0 {
		return "", gitops.Problemf(gitops.NotFound, "there is no cluster %s, or you may not read it", name)
	}
	secret := b.Clusters[i].Secret
	if secret != name && slices.ContainsFunc(b.Clusters[i+1:], func(c BridgeCluster) bool { return c.Name == name }) {
		return "", gitops.Problemf(gitops.Invalid, "several cluster Secrets have the name %s", name).Do("name the Secret instead, as " + secret)
	}
	return secret, nil
}

// Supposable tells which Applications of a namespace somebody is told of.
type Supposable struct {
	// Now is of one as its set makes it, Then of one as it would.
	Now, Then func(namespace string, app *GeneratedApp) bool
	// Objects is of one that is to be rendered, as its set makes it or would.
	Objects func(namespace string, app *v1alpha1.Application) bool
}

// maySuppose tells of those that somebody may read now, and would be able to read
// then. What there is not yet, they may read with the clusters that it is made of:
// metadata of one may choose what is taken of another.
func (s *server) maySuppose(ctx context.Context, sight *sight) Supposable {
	made := s.sightOfClusters(ctx)
	read := func(namespace string, app *GeneratedApp) (may, there bool) {
		key := view.Key{Namespace: namespace, Name: app.Name}
		there = s.Index.Get(key) != nil
		may = (!there || sight.application(app.Name)) && s.reach.Permits(ctx, reach.Application("applications", "get", app.Project, key))
		return may, there
	}
	return Supposable{
		Now: func(namespace string, app *GeneratedApp) bool {
			may, there := read(namespace, app)
			return may && (there || made.of(app))
		},
		Then: func(namespace string, app *GeneratedApp) bool {
			may, _ := read(namespace, app)
			return may && made.of(app)
		},
		Objects: func(namespace string, app *v1alpha1.Application) bool {
			return s.mayRender(ctx, view.Key{Namespace: namespace, Name: app.Name}, app)
		},
	}
}

// mayRender reports whether who may read an Application may have it rendered as it would
// be. What is not its own is rendered with the engine's keys for those alone who may sync
// it to that, in the project that it is of and in that which it would be of.
func (s *server) mayRender(ctx context.Context, key view.Key, as *v1alpha1.Application) bool {
	projects := []string{as.Spec.GetProject()}
	if row := s.Index.Get(key); row != nil {
		app, err := s.Applications.Application(ctx, key)
		if err == nil && app != nil && reach.Own(app, as) {
			return true
		}
		projects = append(projects, row.Project)
	}
	return !slices.ContainsFunc(projects, func(project string) bool {
		return !s.reach.Permits(ctx, reach.Application("applications", "override", project, key))
	})
}

// check tells what no API server would take, before anything is worked out.
func (w *BridgeWish) check() error {
	seen := map[[2]string]bool{}
	for _, e := range w.Edits {
		id := [2]string{e.In, e.Name}
		if seen[id] {
			return gitops.Problemf(gitops.Invalid, "the %s %s is changed twice", e.In, e.Name).Do("leave one of the two")
		}
		seen[id] = true
		if err := e.check(); err != nil {
			return err
		}
	}
	return nil
}

func (e *BridgeEdit) check() error {
	if wrong := validation.IsQualifiedName(strings.ToLower(e.Name)); len(wrong) > 0 {
		return gitops.Problemf(gitops.Invalid, "%q is no name of a key: %s", e.Name, wrong[0])
	}
	if e.In == "label" && e.Name == v1alpha1.LabelSecretType {
		return gitops.Problemf(gitops.Invalid, "the label %s is what makes a Secret a cluster: it stays", e.Name)
	}
	if e.In != "label" || e.Remove {
		return nil
	}
	if wrong := validation.IsValidLabelValue(e.Value); len(wrong) > 0 {
		return gitops.Problemf(gitops.Invalid, "%q is no value of the label %s: %s", e.Value, e.Name, wrong[0])
	}
	return nil
}
