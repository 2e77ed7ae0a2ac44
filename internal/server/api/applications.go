package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/marks"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// listInput is a query as addresses have it.
type listInput struct {
	Text      string   `query:"q" maxLength:"256" doc:"Words that all have to occur in the name, project, cluster, source, images or labels."`
	Sync      []string `query:"sync,explode" maxItems:"100" doc:"Synced, OutOfSync, Unknown."`
	Health    []string `query:"health,explode" maxItems:"100" doc:"Healthy, Progressing, Suspended, Degraded, Missing, Unknown."`
	Operation []string `query:"operation,explode" maxItems:"100" doc:"Phase of the last operation."`
	Project   []string `query:"project,explode" maxItems:"500"`
	Cluster   []string `query:"cluster,explode" maxItems:"500" doc:"Name of the destination cluster."`
	Namespace []string `query:"namespace,explode" maxItems:"500" doc:"Namespace of the Application."`
	Set       []string `query:"applicationSet,explode" maxItems:"500"`
	Labels    string   `query:"labels" maxLength:"1024" doc:"Label selector, as kubectl takes it."`
	Revision  string   `query:"revision" maxLength:"256" doc:"Begins the revision of a source, or is the one asked for."`
	Image     string   `query:"image" maxLength:"256" doc:"Part of an image."`
	Sort      string   `query:"sort" maxLength:"32" doc:"Column, with a minus before it for the other direction: name, project, cluster, sync, health, created, synced, changed."`
	Offset    int      `query:"offset" minimum:"0" maximum:"1000000"`
	Limit     int      `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (in *listInput) query() view.Query {
	return view.Query{
		Text: in.Text, Sync: in.Sync, Health: in.Health, Operation: in.Operation, Project: in.Project, Cluster: in.Cluster,
		Namespace: in.Namespace, Set: in.Set, Labels: in.Labels, Revision: in.Revision, Image: in.Image,
		Sort: in.Sort, Offset: in.Offset, Limit: in.Limit,
	}
}

// KeyInput names an Application. It is exported for the reflection that reads
// what is embedded.
type KeyInput struct {
	Namespace string `path:"namespace" maxLength:"253"`
	Name      string `path:"name" maxLength:"253"`
}

func (in *KeyInput) key() view.Key { return view.Key{Namespace: in.Namespace, Name: in.Name} }

// Application is one Application, whole.
type Application struct {
	Row         *view.Row                `json:"row"`
	Spec        v1alpha1.ApplicationSpec `json:"spec"`
	Resources   []Resource               `json:"resources"`
	Conditions  []Condition              `json:"conditions"`
	Operation   *Operation               `json:"operation,omitempty" doc:"The last operation, or the one that runs."`
	Deployed    []string                 `json:"deployed,omitempty" doc:"Revisions of the last successful sync, one a source: what runs, also after a rollback. The sources have those that they were compared with."`
	Hold        *Hold                    `json:"hold,omitempty" doc:"What the sync that runs waits for."`
	Held        *Held                    `json:"held,omitempty" doc:"Deletions that wait for somebody's word."`
	Windows     *Schedule                `json:"windows,omitempty" doc:"When it may be synced, where something is to be: it is not Synced, or an operation runs."`
	Pending     bool                     `json:"pending,omitempty" doc:"An operation was asked for and has not begun."`
	Deleting    bool                     `json:"deleting,omitempty"`
	Annotations map[string]string        `json:"annotations,omitempty"`
	Finalizers  []string                 `json:"finalizers,omitempty"`
	Can         []string                 `json:"can" nullable:"false" doc:"What you may of: sync, override (sync to another revision; with sync: roll back), update (approve and confirm deletions), delete."`
}

// Ref names an object of an Application.
type Ref struct {
	Group     string `json:"group,omitempty"`
	Version   string `json:"version,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Key names it as the stages do.
func (r *Ref) Key() gitops.Key {
	return gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// Resource is an object of an Application, as its status has it.
type Resource struct {
	Ref

	Sync    string `json:"sync,omitempty"`
	Health  string `json:"health,omitempty"`
	Message string `json:"message,omitempty"`
	Wave    int64  `json:"wave"`
	Hook    bool   `json:"hook,omitempty"`
	Prune   bool   `json:"prune,omitempty" doc:"It is no longer in the sources."`
}

// Condition is an error or a warning.
type Condition struct {
	Type    string    `json:"type"`
	Message string    `json:"message"`
	Since   time.Time `json:"since,omitzero"`
}

// Operation is a sync, or what is left of it.
type Operation struct {
	ID       string     `json:"id,omitempty" doc:"The mark with which it was asked for, as the answer to a sync or rollback has it; empty where nobody asked. Anybody who may write the Application may have written it."`
	Phase    string     `json:"phase"`
	Message  string     `json:"message,omitempty"`
	By       string     `json:"by,omitempty" doc:"Who asked, with (unverified) where anybody may have written that; empty when nobody did."`
	Revision string     `json:"revision,omitempty"`
	Started  time.Time  `json:"started,omitzero"`
	Finished time.Time  `json:"finished,omitzero"`
	Retries  int64      `json:"retries,omitempty"`
	Results  []OpResult `json:"results,omitempty"`
}

// OpResult is what an operation did to one object.
type OpResult struct {
	Ref

	Phase   string `json:"phase,omitempty" doc:"PreSync, Sync, PostSync, SyncFail."`
	Hook    string `json:"hook,omitempty" doc:"Phase of a hook."`
	Status  string `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
}

func (s *server) applications(a huma.API) {
	handle(a, operation("list-applications", http.MethodGet, "/applications", "applications", "List, search and count Applications"), s.list)
	handle(a, operation("get-application", http.MethodGet, "/applications/{namespace}/{name}", "applications", "One Application, whole"), s.get)
}

func (s *server) list(ctx context.Context, in *listInput) (*answer[*view.Page], error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	page, err := s.Index.Now().Select(in.query(), visible)
	if err != nil {
		return nil, httpError(gitops.Problemf(gitops.Invalid, "%w", err))
	}
	return &answer[*view.Page]{page}, nil
}

// may finds an Application on which somebody may do something. One that may
// not be read is not there.
func (s *server) may(ctx context.Context, key view.Key, resource, action string) (*view.Row, error) {
	row, err := s.reach.Application(ctx, key, resource, action)
	return row, httpError(err)
}

// mayAlso asks for a further right to the Application of a row, in the project of
// the row.
func (s *server) mayAlso(ctx context.Context, row *view.Row, action string) error {
	now, err := s.may(ctx, row.Key(), "applications", action)
	if err == nil && now.Project != row.Project {
		return httpError(reach.Moved(row.Key()))
	}
	return err
}

// readable returns an Application that somebody may read.
func (s *server) readable(ctx context.Context, key view.Key) (*v1alpha1.Application, error) {
	row, err := s.may(ctx, key, "applications", "get")
	if err != nil {
		return nil, err
	}
	app, err := s.applicationOf(ctx, row)
	return app, httpError(err)
}

// applicationOf is the Application of a row by which somebody was found to have a
// right. One that has left that project in between is not theirs by it.
func (s *server) applicationOf(ctx context.Context, row *view.Row) (*v1alpha1.Application, error) {
	app, err := s.Applications.Application(ctx, row.Key())
	if err == nil && app.Spec.GetProject() != row.Project {
		return nil, reach.HiddenApplication(row.Key())
	}
	return app, err
}

func (s *server) get(ctx context.Context, in *KeyInput) (*answer[*Application], error) {
	row, err := s.may(ctx, in.key(), "applications", "get")
	if err != nil {
		return nil, err
	}
	app, err := s.applicationOf(ctx, row)
	if err != nil {
		return nil, httpError(err)
	}
	out := s.whole(row, app)
	out.Conditions = append(out.Conditions, s.silence(row)...)
	out.Conditions = append(out.Conditions, s.setFailure(ctx, row)...)
	out.Hold, out.Held, out.Windows = s.holdOf(ctx, app), heldOf(app), s.windowsOf(ctx, app)
	out.Can = s.reach.Can(ctx, reach.Application("applications", "", row.Project, in.key()), "sync", "override", "update", "delete")
	return &answer[*Application]{out}, nil
}

// silence is a condition of an Application whose cluster does not answer: then
// its status is what was known before.
func (s *server) silence(row *view.Row) []Condition {
	all := s.Clusters()
	at := slices.IndexFunc(all, func(c clusters.Health) bool { return c.Name == row.On() })
	if at < 0 || all[at].Reachable || all[at].Problem == "" {
		return nil
	}
	out := Condition{Type: "ClusterUnreachable", Message: "cluster " + row.Cluster + " does not answer: what is shown is what was known of it before"}
	if all[at].Since != nil {
		out.Since = all[at].Since.UTC()
	}
	return []Condition{out}
}

// setFailure is a condition of an Application whose ApplicationSet has an
// error: then it may be what the set gave before. Who may not read the set is
// not told.
func (s *server) setFailure(ctx context.Context, row *view.Row) []Condition {
	if row.Set == "" {
		return nil
	}
	set, err := s.Applications.ApplicationSet(ctx, view.Key{Namespace: row.Namespace, Name: row.Set})
	if err != nil || !s.reach.Permits(ctx, reach.ReadSet(set)) {
		return nil // what is known of the Application is shown all the same
	}
	at := slices.IndexFunc(set.Status.Conditions, func(c v1alpha1.ApplicationSetCondition) bool {
		return c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && c.Status == v1alpha1.ApplicationSetConditionStatusTrue
	})
	if at < 0 {
		return nil
	}
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil
	}
	all := statesOf(set, reach.UnseenOf(s.Index.Now().Rows, visible))
	message := "its ApplicationSet " + set.Name + " has an error, so what is here may be what it gave before: " + all[at].Message
	return []Condition{{Type: "ApplicationSetError", Message: message, Since: all[at].Since}}
}

func (s *server) whole(row *view.Row, app *v1alpha1.Application) *Application {
	return &Application{
		Row: row, Deployed: row.Deployed, Spec: app.Spec, Resources: resourcesOf(app.Status.Resources), Conditions: conditionsOf(app.Status.Conditions),
		Operation: s.operationOf(app), Pending: app.Operation != nil, Deleting: app.DeletionTimestamp != nil,
		Annotations: app.Annotations, Finalizers: app.Finalizers,
	}
}

func resourcesOf(all []v1alpha1.ResourceStatus) []Resource {
	out := make([]Resource, 0, len(all))
	for i := range all {
		r := &all[i]
		one := Resource{Ref: Ref{r.Group, r.Version, r.Kind, r.Namespace, r.Name}, Sync: string(r.Status), Wave: r.SyncWave, Hook: r.Hook, Prune: r.RequiresPruning}
		if r.Health != nil {
			one.Health, one.Message = string(r.Health.Status), r.Health.Message
		}
		out = append(out, one)
	}
	return out
}

func conditionsOf(all []v1alpha1.ApplicationCondition) []Condition {
	out := make([]Condition, 0, len(all))
	for i := range all {
		c := Condition{Type: all[i].Type, Message: all[i].Message}
		if all[i].LastTransitionTime != nil {
			c.Since = gitops.Moment(all[i].LastTransitionTime.Time)
		}
		out = append(out, c)
	}
	return out
}

// asker is who asked for the last operation of an Application.
func (s *server) asker(app *v1alpha1.Application) string {
	if s.Asker != nil {
		return s.Asker(app)
	}
	return gitops.Unverified(app.Status.OperationState.Operation.InitiatedBy.Username)
}

func (s *server) operationOf(app *v1alpha1.Application) *Operation {
	st := app.Status.OperationState
	if st == nil {
		return nil
	}
	o := &Operation{ID: marks.Of(&st.Operation), Phase: string(st.Phase), Message: st.Message, By: s.asker(app), Started: gitops.Moment(st.StartedAt.Time), Retries: st.RetryCount}
	if st.FinishedAt != nil {
		o.Finished = gitops.Moment(st.FinishedAt.Time)
	}
	if st.SyncResult == nil {
		return o
	}
	o.Revision = st.SyncResult.Revision
	for _, r := range st.SyncResult.Resources {
		o.Results = append(o.Results, OpResult{
			Ref: Ref{r.Group, r.Version, r.Kind, r.Namespace, r.Name}, Phase: string(r.SyncPhase), Hook: string(r.HookPhase), Status: string(r.Status), Message: r.Message,
		})
	}
	return o
}
