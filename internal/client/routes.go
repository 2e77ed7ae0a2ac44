package client

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/argocd"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// argo begins the paths that answer in Argo CD's form, with whole objects.
const argo = argocd.Prefix + "/v1"

// Key names an Application.
type Key struct{ Namespace, Name string }

func (k Key) path(more string) string {
	return api.Prefix + "/applications/" + url.PathEscape(k.Namespace) + "/" + url.PathEscape(k.Name) + more
}

// Applications lists those of a namespace (all if it is empty) that a label selector picks.
func (c *Client) Applications(ctx context.Context, namespace, selector string) ([]v1alpha1.Application, error) {
	var list v1alpha1.ApplicationList
	query := url.Values{}
	set(query, "appNamespace", namespace)
	set(query, "selector", selector)
	err := c.Get(ctx, argo+"/applications", query, &list)
	return list.Items, err
}

// ApplicationSets lists those of the control namespace.
func (c *Client) ApplicationSets(ctx context.Context, selector string) ([]v1alpha1.ApplicationSet, error) {
	var list v1alpha1.ApplicationSetList
	query := url.Values{}
	set(query, "selector", selector)
	err := c.Get(ctx, argo+"/applicationsets", query, &list)
	return list.Items, err
}

// Projects lists all.
func (c *Client) Projects(ctx context.Context) ([]v1alpha1.AppProject, error) {
	var list v1alpha1.AppProjectList
	err := c.Get(ctx, argo+"/projects", nil, &list)
	return list.Items, err
}

// Application reads one.
func (c *Client) Application(ctx context.Context, k Key) (*v1alpha1.Application, error) {
	var list v1alpha1.ApplicationList
	// Asked by its name alone, Argo CD's API does not tell what is not there from what may not be read.
	if err := c.Get(ctx, argo+"/applications", url.Values{"appNamespace": {k.Namespace}, "name": {k.Name}}, &list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, &Problem{Status: http.StatusNotFound, Detail: "application " + k.Name + " in " + k.Namespace + " does not exist"}
	}
	return &list.Items[0], nil
}

// Tree reads the live objects of an Application.
func (c *Client) Tree(ctx context.Context, k Key) (*api.Tree, error) {
	t := &api.Tree{}
	return t, c.Get(ctx, k.path("/tree"), nil, t)
}

// Diff tells what a sync would change.
func (c *Client) Diff(ctx context.Context, k Key) (list []api.Difference, err error) {
	err = c.Get(ctx, k.path("/diff"), nil, &list)
	return list, err
}

// Syncs are past ones, the latest first.
func (c *Client) Syncs(ctx context.Context, k Key, most int) (list []history.Sync, err error) {
	err = c.Get(ctx, k.path("/history"), url.Values{"limit": {strconv.Itoa(most)}}, &list)
	return list, err
}

// Trace is one sync with what came after it.
func (c *Client) Trace(ctx context.Context, k Key, id string) (*syncs.Trace, error) {
	t := &syncs.Trace{}
	return t, c.Get(ctx, k.path("/history/"+url.PathEscape(id)), nil, t)
}

// Compare tells what differs between the manifests of two syncs.
func (c *Client) Compare(ctx context.Context, k Key, a, b string) (list []api.Difference, err error) {
	err = c.Get(ctx, k.path("/history/"+url.PathEscape(a)+"/compare/"+url.PathEscape(b)), nil, &list)
	return list, err
}

// Clusters are those that the engine knows, as it sees them.
func (c *Client) Clusters(ctx context.Context) (list []clusters.Health, err error) {
	err = c.Get(ctx, api.Prefix+"/fleet/clusters", nil, &list)
	return list, err
}

// Windows tells when an Application may sync.
func (c *Client) Windows(ctx context.Context, k Key) (*api.Schedule, error) {
	s := &api.Schedule{}
	return s, c.Get(ctx, k.path("/windows"), nil, s)
}

// Orphans are objects in an Application's namespace that nobody has.
func (c *Client) Orphans(ctx context.Context, k Key) (*api.Orphans, error) {
	o := &api.Orphans{}
	return o, c.Get(ctx, k.path("/orphans"), nil, o)
}

// Parameters are what an Application is rendered with.
func (c *Client) Parameters(ctx context.Context, k Key) (*api.Parameters, error) {
	p := &api.Parameters{}
	return p, c.Get(ctx, k.path("/parameters"), nil, p)
}

// ParameterKeys are the keys of its cluster that the parameters of an Application follow.
func (c *Client) ParameterKeys(ctx context.Context, k Key) (*api.ParameterKeys, error) {
	p := &api.ParameterKeys{}
	return p, c.Get(ctx, k.path("/parameters/keys"), nil, p)
}

// Field tells where a field of an Application's object comes from, which is named
// as KIND/NAME or KIND/NAMESPACE/NAME.
func (c *Client) Field(ctx context.Context, k Key, object, path string) (*api.FieldOrigin, error) {
	f := &api.FieldOrigin{}
	return f, c.Get(ctx, k.path("/field"), url.Values{"object": {object}, "path": {path}}, f)
}

// Events are those of one of an Application's objects, or its own where none is named.
func (c *Client) Events(ctx context.Context, k Key, of api.Ref) (list []api.Event, err error) {
	var query url.Values
	if of.Kind != "" {
		query = refQuery(of)
	}
	err = c.Get(ctx, k.path("/events"), query, &list)
	return list, err
}

// Actions are what can be done with a live object.
func (c *Client) Actions(ctx context.Context, k Key, of api.Ref) (list []api.Action, err error) {
	err = c.Get(ctx, k.path("/objects/actions"), refQuery(of), &list)
	return list, err
}

// Act does it.
func (c *Client) Act(ctx context.Context, k Key, of api.Ref, want *api.Act) (list []api.Acted, err error) {
	err = c.ask(ctx, request{http.MethodPost, k.path("/objects/actions"), refQuery(of), want}, &list)
	return list, err
}

// Repositories are those that Secrets describe.
func (c *Client) Repositories(ctx context.Context) (list []api.Repository, err error) {
	err = c.Get(ctx, api.Prefix+"/repositories", nil, &list)
	return list, err
}

// CommitQuery picks commits.
type CommitQuery struct {
	Text, Repo, Project, Cluster, State string
	Limit                               int
}

// commitPage is how many commits one answer has at most.
const commitPage = 50

// Changes are commits and how far they have come, the newest first.
func (c *Client) Changes(ctx context.Context, q CommitQuery) ([]api.Commit, error) {
	out, query := []api.Commit{}, url.Values{}
	for name, value := range map[string]string{"q": q.Text, "repo": q.Repo, "project": q.Project, "cluster": q.Cluster, "state": q.State} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for len(out) < q.Limit {
		query.Set("limit", strconv.Itoa(min(q.Limit-len(out), commitPage)))
		var page api.CommitPage
		if err := c.Get(ctx, api.Prefix+"/changes", query, &page); err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
		if page.Next == "" {
			break
		}
		query.Set("before", page.Next)
	}
	return out, nil
}

// Bridge counts the metadata of all clusters.
func (c *Client) Bridge(ctx context.Context) (*api.BridgeOverview, error) {
	b := &api.BridgeOverview{}
	return b, c.Get(ctx, api.Prefix+"/bridge", nil, b)
}

// BridgeOf is the metadata of one cluster.
func (c *Client) BridgeOf(ctx context.Context, cluster string) (*api.BridgeCluster, error) {
	b := &api.BridgeCluster{}
	return b, c.Get(ctx, api.Prefix+"/bridge/"+url.PathEscape(cluster), nil, b)
}

// PreviewBridge tells what would become of the Applications if a cluster had other metadata.
func (c *Client) PreviewBridge(ctx context.Context, wish *api.BridgeWish) (*api.BridgePreview, error) {
	p := &api.BridgePreview{}
	return p, c.ask(ctx, request{http.MethodPost, api.Prefix + "/bridge/preview", nil, wish}, p)
}

// FactsOf are what one cluster tells of itself.
func (c *Client) FactsOf(ctx context.Context, cluster string) (*api.BridgeFacts, error) {
	f := &api.BridgeFacts{}
	return f, c.Get(ctx, api.Prefix+"/bridge/"+url.PathEscape(cluster)+"/facts", nil, f)
}

// Sync asks for one; it bears the mark that comes back.
func (c *Client) Sync(ctx context.Context, k Key, want *api.Sync) (string, error) {
	var asked api.Asked
	err := c.ask(ctx, request{http.MethodPost, k.path("/sync"), nil, want}, &asked)
	return asked.ID, err
}

// SyncMany asks for one of each. What comes back is followed by Batch.
func (c *Client) SyncMany(ctx context.Context, all []Key, want *api.Sync) (*batch.Batch, error) {
	b := &batch.Batch{}
	return b, c.ask(ctx, request{http.MethodPost, api.Prefix + "/applications/sync", nil, api.BulkSync{Applications: rows(all), Sync: *want}}, b)
}

// RefreshMany asks for another look at each. What comes back is followed by Batch.
func (c *Client) RefreshMany(ctx context.Context, all []Key, how api.Thoroughness) (*batch.Batch, error) {
	b := &batch.Batch{}
	return b, c.ask(ctx, request{http.MethodPost, api.Prefix + "/applications/refresh", nil, api.BulkRefresh{Applications: rows(all), How: how}}, b)
}

// Batch tells how far one is; results are all, failed or none.
func (c *Client) Batch(ctx context.Context, id, results string) (*batch.Batch, error) {
	b := &batch.Batch{}
	return b, c.Get(ctx, batchPath(id), url.Values{"results": {results}}, b)
}

// CancelBatch ends one: what has not been asked for yet is skipped.
func (c *Client) CancelBatch(ctx context.Context, id string) error {
	return c.ask(ctx, request{http.MethodDelete, batchPath(id), nil, nil}, nil)
}

func batchPath(id string) string { return api.Prefix + "/operations/" + url.PathEscape(id) }

func rows(all []Key) []view.Key {
	out := make([]view.Key, len(all))
	for i, k := range all {
		out[i] = view.Key(k)
	}
	return out
}

// Rollback goes back to an earlier sync.
func (c *Client) Rollback(ctx context.Context, k Key, want *api.Rollback) (string, error) {
	var asked api.Asked
	err := c.ask(ctx, request{http.MethodPost, k.path("/rollback"), nil, want}, &asked)
	return asked.ID, err
}

// Refresh asks for another look.
func (c *Client) Refresh(ctx context.Context, k Key, how api.Thoroughness) error {
	return c.ask(ctx, request{http.MethodPost, k.path("/refresh"), url.Values{"how": {string(how)}}, nil}, nil)
}

// Terminate asks for the end of the operation that runs.
func (c *Client) Terminate(ctx context.Context, k Key) error {
	return c.ask(ctx, request{http.MethodPost, k.path("/terminate"), nil, nil}, nil)
}

// Approve lets a mass deletion go that is held.
func (c *Client) Approve(ctx context.Context, k Key, want *api.Approval) error {
	return c.ask(ctx, request{http.MethodPost, k.path("/approve"), nil, want}, nil)
}

// ApproveSet is Approve for an ApplicationSet.
func (c *Client) ApproveSet(ctx context.Context, k Key, want *api.Approval) error {
	return c.ask(ctx, request{http.MethodPost, k.setPath("/approve"), nil, want}, nil)
}

// PauseSet holds the roll-out of an ApplicationSet in steps.
func (c *Client) PauseSet(ctx context.Context, k Key) error {
	return c.ask(ctx, request{http.MethodPost, k.setPath("/pause"), nil, nil}, nil)
}

// ResumeSet lets it go on.
func (c *Client) ResumeSet(ctx context.Context, k Key) error {
	return c.ask(ctx, request{http.MethodPost, k.setPath("/resume"), nil, nil}, nil)
}

// setPath is the path of something of an ApplicationSet.
func (k Key) setPath(of string) string {
	return api.Prefix + "/applicationsets/" + url.PathEscape(k.Namespace) + "/" + url.PathEscape(k.Name) + of
}

// Confirm lets objects go that ask for it.
func (c *Client) Confirm(ctx context.Context, k Key, want *api.Confirmation) error {
	return c.ask(ctx, request{http.MethodPost, k.path("/confirm"), nil, want}, nil)
}

// Delete deletes an Application.
func (c *Client) Delete(ctx context.Context, k Key, objects gitops.Propagation) error {
	return c.ask(ctx, request{http.MethodDelete, k.path(""), url.Values{"objects": {string(objects)}}, nil}, nil)
}

// Session is who the token says that one is.
func (c *Client) Session(ctx context.Context) (*api.Session, error) {
	s := &api.Session{}
	return s, c.Get(ctx, api.Prefix+"/session", nil, s)
}

// Settings are those that everybody may read: with the issuer that people sign in with.
func (c *Client) Settings(ctx context.Context) (*argocd.Settings, error) {
	s := &argocd.Settings{}
	return s, c.Get(ctx, argo+"/settings", nil, s)
}

// SignIn proves an account, and returns the token of its session.
func (c *Client) SignIn(ctx context.Context, name, password string) (string, error) {
	var t api.Token
	err := c.ask(ctx, request{http.MethodPost, api.Prefix + "/session", nil, api.Credentials{Username: name, Password: password}}, &t)
	return t.Token, err
}

// SignOut ends the session of the token.
func (c *Client) SignOut(ctx context.Context) error {
	return c.ask(ctx, request{http.MethodDelete, api.Prefix + "/session", nil, nil}, nil)
}

// Keys lists API keys: one's own, or all that one may end.
func (c *Client) Keys(ctx context.Context, all bool) (list []api.APIKey, err error) {
	err = c.Get(ctx, api.Prefix+"/keys", url.Values{"all": {strconv.FormatBool(all)}}, &list)
	return list, err
}

// CreateKey makes an API key.
func (c *Client) CreateKey(ctx context.Context, want *api.NewKey) (*api.MadeKey, error) {
	made := &api.MadeKey{}
	return made, c.ask(ctx, request{http.MethodPost, api.Prefix + "/keys", nil, want}, made)
}

// RevokeKey ends one.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.ask(ctx, request{http.MethodDelete, api.Prefix + "/keys/" + url.PathEscape(id), nil, nil}, nil)
}

// auditPage is as many entries as one answer has.
const auditPage = 500

// Audit lists entries, the newest first.
func (c *Client) Audit(ctx context.Context, q *store.AuditQuery) ([]audit.Entry, error) {
	out := []audit.Entry{}
	query := auditQuery(q)
	for len(out) < q.Limit {
		query.Set("limit", strconv.Itoa(min(q.Limit-len(out), auditPage)))
		var page api.AuditPage
		if err := c.Get(ctx, api.Prefix+"/audit", query, &page); err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
		if page.Next == 0 {
			break
		}
		query.Set("before", strconv.FormatInt(page.Next, 10))
	}
	return out, nil
}

// ExportAudit hands out lines of JSON, the oldest first. An answer that is cut
// off is an error.
func (c *Client) ExportAudit(ctx context.Context, q *store.AuditQuery, line func([]byte) error) error {
	query := auditQuery(q)
	query.Set("after", strconv.FormatInt(q.After, 10))
	answer, err := c.send(ctx, request{http.MethodGet, api.Prefix + "/audit/export", query, nil})
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := line(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return c.unanswered(ctx, err)
	}
	return nil
}

func auditQuery(q *store.AuditQuery) url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"who": q.Who, "verb": q.Verb, "outcome": q.Outcome, "project": q.Project, "namespace": q.Namespace, "name": q.Name, "q": q.Text} {
		set(query, name, value)
	}
	for name, at := range map[string]time.Time{"from": q.From, "to": q.To} {
		if !at.IsZero() {
			query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return query
}

// Object reads one of an Application's objects.
func (c *Client) Object(ctx context.Context, k Key, of api.Ref) (*api.Object, error) {
	o := &api.Object{}
	return o, c.Get(ctx, k.path("/object"), refQuery(of), o)
}

// refQuery names an object.
func refQuery(of api.Ref) url.Values {
	query := url.Values{"kind": {of.Kind}, "objectName": {of.Name}}
	for name, value := range map[string]string{"group": of.Group, "version": of.Version, "objectNamespace": of.Namespace} {
		set(query, name, value)
	}
	return query
}

// Logs reads a container's; the caller closes them.
func (c *Client) Logs(ctx context.Context, k Key, query url.Values) (io.ReadCloser, error) {
	answer, err := c.send(ctx, request{http.MethodGet, k.path("/logs"), query, nil})
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}
