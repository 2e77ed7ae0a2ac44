package argocd

import (
	"cmp"
	"context"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// lookTime bounds a look at a cluster, and a rendering.
const lookTime = 30 * time.Second

// objectRef names an object in a tree.
type objectRef struct {
	Group     string `json:"group,omitempty"`
	Version   string `json:"version,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	UID       string `json:"uid,omitempty"`
}

// node is an object in a tree, which names its owners.
type node struct {
	objectRef

	ParentRefs []objectRef            `json:"parentRefs,omitempty"`
	Info       []v1alpha1.Info        `json:"info,omitempty"`
	Images     []string               `json:"images,omitempty"`
	Health     *v1alpha1.HealthStatus `json:"health,omitempty"`
	CreatedAt  *metav1.Time           `json:"createdAt,omitempty"`
}

// Managed is an object that Git or the cluster has, as JSON; "null" for a side
// that does not have it.
type Managed struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Target    string `json:"targetState"`
	Live      string `json:"liveState"`
	// Normalized is what is live without what nobody wrote, and Predicted what
	// a sync would make of it.
	Normalized      string `json:"normalizedLiveState"`
	Predicted       string `json:"predictedLiveState"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Hook            bool   `json:"hook,omitempty"`
	Modified        bool   `json:"modified,omitempty"`
}

// Manifests are what sources give.
type Manifests struct {
	Manifests  []string `json:"manifests"`
	Namespace  string   `json:"namespace,omitempty"`
	Server     string   `json:"server,omitempty"`
	Revision   string   `json:"revision,omitempty"`
	Revisions  []string `json:"revisions,omitempty"`
	SourceType string   `json:"sourceType,omitempty"`
}

// Action is something that can be done with a live object.
type Action struct {
	Name        string            `json:"name"`
	DisplayName string            `json:"displayName,omitempty"`
	Disabled    bool              `json:"disabled,omitempty"`
	Params      []ActionParameter `json:"params,omitempty"`
}

// ActionParameter is what a person may say of an action.
type ActionParameter struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Default string `json:"default,omitempty"`
}

// look asks something of an Application that may be read, for a bounded time.
func look[T any](s *server, c *call, ask func(context.Context, *v1alpha1.Application) (T, error)) (T, error) {
	var nothing T
	app, err := s.readable(c)
	if err != nil {
		return nothing, err
	}
	ctx, end, err := s.turn(c)
	if err != nil {
		return nothing, err
	}
	defer end()
	out, err := ask(ctx, app)
	return out, looked(err)
}

// turn takes a place among the looks, for a bounded time. End gives it back.
func (s *server) turn(c *call) (_ context.Context, end func(), err error) {
	ctx, cancel := context.WithTimeout(c.Context(), lookTime)
	free, ok := s.Looks.Begin(ctx)
	if !ok {
		cancel()
		return nil, nil, &problem{code: exhausted, text: "too many requests look at clusters; try again later", wait: looksWait}
	}
	return ctx, func() { free(); cancel() }, nil
}

func (s *server) tree(c *call) (any, error) {
	tree, err := look(s, c, s.Look.Tree)
	if err != nil {
		return nil, err
	}
	out := struct {
		Nodes []node `json:"nodes"`
	}{[]node{}}
	for _, n := range tree.Nodes {
		out.Nodes = flat(out.Nodes, n, nil)
	}
	return out, nil
}

// flat adds a node and what it owns.
func flat(out []node, n *api.Node, parents []objectRef) []node {
	one := node{
		objectRef:  objectRef{n.Group, n.Version, n.Kind, n.Namespace, n.Name, n.UID},
		ParentRefs: parents, Images: n.Images,
	}
	if n.Info != "" {
		one.Info = []v1alpha1.Info{{Name: "Status", Value: n.Info}}
	}
	health := n.Health
	if n.Missing {
		health = string(v1alpha1.HealthStatusMissing)
	}
	if health != "" {
		one.Health = &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusCode(health), Message: n.Message}
	}
	if !n.Created.IsZero() {
		one.CreatedAt = &metav1.Time{Time: n.Created}
	}
	out = append(out, one)
	self := one.objectRef
	self.Version = ""
	for _, child := range n.Children {
		out = flat(out, child, []objectRef{self})
	}
	return out
}

func (s *server) managed(c *call) (any, error) {
	only := map[string]string{}
	for _, name := range []string{"group", "kind", "namespace", "name"} {
		text, err := c.query.text(name)
		if err != nil {
			return nil, err
		}
		only[name] = text
	}
	all, err := look(s, c, s.Details.Managed)
	if err != nil {
		return nil, err
	}
	out := struct {
		Items []Managed `json:"items"`
	}{[]Managed{}}
	for _, m := range all {
		has := map[string]string{"group": m.Group, "kind": m.Kind, "namespace": m.Namespace, "name": m.Name}
		if wants(only, has) {
			out.Items = append(out.Items, m)
		}
	}
	return out, nil
}

// wants reports whether what is asked for is what there is; empty asks for anything.
func wants(asked, is map[string]string) bool {
	for name, value := range asked {
		if value != "" && value != is[name] {
			return false
		}
	}
	return true
}

func (s *server) manifests(c *call) (any, error) {
	revision, err := c.query.text("revision")
	if err != nil {
		return nil, err
	}
	positions := make([]int64, 0, len(c.query["sourcePositions"]))
	for _, text := range c.query["sourcePositions"] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, problemf(invalid, "sourcePositions are numbers from 1")
		}
		positions = append(positions, n)
	}
	app, revisions, err := s.atRevisions(c, revision, positions)
	if err != nil {
		return nil, err
	}
	ctx, end, err := s.turn(c)
	if err != nil {
		return nil, err
	}
	defer end()
	out, err := s.Details.Manifests(ctx, app, revisions)
	return out, looked(err)
}

// atRevisions is an Application with the revisions of its sources that a request
// names, if whoever sends it may have them rendered.
func (s *server) atRevisions(c *call, revision string, positions []int64) (*v1alpha1.Application, []string, error) {
	at, err := s.place(c)
	if err != nil {
		return nil, nil, err
	}
	row, err := s.may(c, at, "applications", "get")
	if err != nil {
		return nil, nil, err
	}
	app, err := s.cachedIn(c.Context(), at.key, row.Project)
	if err != nil {
		return nil, nil, err
	}
	revisions, err := placed(app, revision, c.query["revisions"], positions)
	if err == nil && leavesKnown(app, revisions) {
		err = s.mayAlso(c, at, row, "override")
	}
	return app, revisions, err
}

// leavesKnown reports whether revisions name one that its source does not know.
func leavesKnown(app *v1alpha1.Application, revisions []string) bool {
	for i := range app.Spec.GetSources() {
		if i < len(revisions) && revisions[i] != "" && !reach.Knows(app, i, revisions[i]) {
			return true
		}
	}
	return false
}

// placed puts revisions to their sources; nil when there are none.
func placed(app *v1alpha1.Application, revision string, several []string, positions []int64) ([]string, error) {
	sources := app.Spec.GetSources()
	if len(several) == 0 && revision == "" {
		return nil, nil
	}
	out := make([]string, len(sources))
	if len(revision) > maxRevision {
		return nil, problemf(invalid, "the revision has more than %d characters", maxRevision)
	}
	if len(several) == 0 {
		if len(out) > 0 {
			out[0] = revision
		}
		return out, nil
	}
	if len(several) != len(positions) {
		return nil, problemf(invalid, "there are %d revisions and %d sourcePositions; each revision needs the number of its source, from 1", len(several), len(positions))
	}
	for i, at := range positions {
		if len(several[i]) > maxRevision {
			return nil, problemf(invalid, "revision %d of %d has more than %d characters", i+1, len(several), maxRevision)
		}
		if at < 1 || at > int64(len(out)) {
			return nil, problemf(invalid, "source %d does not exist: the application has %d", at, len(out))
		}
		out[at-1] = several[i]
	}
	return out, nil
}

func (s *server) resource(c *call) (any, error) {
	ref, err := c.query.ref()
	if err != nil {
		return nil, err
	}
	o, err := look(s, c, func(ctx context.Context, app *v1alpha1.Application) (*api.Object, error) {
		return s.Look.Object(ctx, app, ref)
	})
	if err != nil {
		return nil, err
	}
	if o.Unanswered {
		return nil, &problem{code: unavailable, text: o.Message, wait: awayWait}
	}
	if o.Holder != "" {
		return nil, gitops.Problemf(gitops.NotReady, "%s", o.Message)
	}
	if o.Live == "" {
		return nil, problemf(notFound, "%s %s is not in the cluster", ref.Kind, ref.Name)
	}
	text, err := yaml.YAMLToJSON([]byte(o.Live))
	if err != nil {
		return nil, err
	}
	return struct {
		Manifest string `json:"manifest"`
	}{string(text)}, nil
}

func (s *server) actions(c *call) (any, error) {
	ref, err := c.query.ref()
	if err != nil {
		return nil, err
	}
	all, err := look(s, c, func(ctx context.Context, app *v1alpha1.Application) ([]Action, error) {
		return s.Details.Actions(ctx, app, ref)
	})
	if err != nil {
		return nil, err
	}
	return struct {
		Actions []Action `json:"actions"`
	}{all}, nil
}

// events are those of the Application, or of an object of it that is known by
// its name and UID.
func (s *server) events(c *call) (any, error) {
	var namespace, name, uid string
	for key, into := range map[string]*string{"resourceNamespace": &namespace, "resourceName": &name, "resourceUID": &uid} {
		text, err := c.query.text(key)
		if err != nil {
			return nil, err
		}
		*into = text
	}
	var about api.Ref
	all, err := look(s, c, func(ctx context.Context, app *v1alpha1.Application) (_ []api.Event, err error) {
		if name != "" {
			if about, err = s.named(ctx, app, objectRef{Namespace: namespace, Name: name, UID: uid}); err != nil {
				return nil, err
			}
		}
		return s.Look.Events(ctx, app, about)
	})
	if err != nil {
		return nil, err
	}
	out := corev1.EventList{Items: make([]corev1.Event, 0, len(all))}
	for i := range all {
		out.Items = append(out.Items, eventOf(&all[i], about))
	}
	return out, nil
}

// named finds an object of an Application without its kind.
func (s *server) named(ctx context.Context, app *v1alpha1.Application, want objectRef) (api.Ref, error) {
	tree, err := s.Look.Tree(ctx, app)
	if err != nil {
		return api.Ref{}, err
	}
	if n := find(tree.Nodes, want); n != nil {
		return n.Ref, nil
	}
	return api.Ref{}, problemf(notFound, "the application has no object %s", want.Name)
}

func find(all []*api.Node, want objectRef) *api.Node {
	for _, n := range all {
		if n.Name == want.Name && n.Namespace == want.Namespace && (want.UID == "" || n.UID == want.UID) {
			return n
		}
		if below := find(n.Children, want); below != nil {
			return below
		}
	}
	return nil
}

func eventOf(e *api.Event, about api.Ref) corev1.Event {
	return corev1.Event{
		InvolvedObject: corev1.ObjectReference{Kind: cmp.Or(about.Kind, v1alpha1.ApplicationKind), Namespace: about.Namespace, Name: about.Name},
		Type:           e.Type, Reason: e.Reason, Message: e.Message, Count: e.Count, Source: corev1.EventSource{Component: e.From},
		FirstTimestamp: metav1.NewTime(e.First), LastTimestamp: metav1.NewTime(e.Last),
	}
}

// commit tells who made a revision, of those that the source has or had.
func (s *server) commit(c *call) (any, error) {
	source, err := c.query.number("sourceIndex")
	if err != nil {
		return nil, err
	}
	revision := c.PathValue("revision")
	made, err := look(s, c, func(ctx context.Context, app *v1alpha1.Application) (*gitops.Commit, error) {
		if source >= int64(len(app.Spec.GetSources())) {
			return nil, problemf(invalid, "the application has no source %d", source)
		}
		if !reach.Had(app, int(source), revision) {
			return nil, problemf(notFound, "source %d of the application is not, and was not, at revision %.64s", source, revision)
		}
		return s.Details.Commit(ctx, app, int(source), revision)
	})
	if err != nil {
		return nil, err
	}
	return struct {
		Author  string      `json:"author,omitempty"`
		Date    metav1.Time `json:"date"`
		Message string      `json:"message,omitempty"`
	}{made.Author, metav1.NewTime(made.Date), made.Message}, nil
}
