package cli

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// secrets lists the Secrets that describe something of the fleet.
func (h *hub) secrets(ctx context.Context, selector labels.Selector, kinds ...string) ([]corev1.Secret, error) {
	var all []corev1.Secret
	for _, kind := range kinds {
		list := &corev1.SecretList{}
		err := h.client.List(ctx, list, client.InNamespace(h.namespace), client.MatchingLabels{v1alpha1.LabelSecretType: kind})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if selector == nil || selector.Matches(labels.Set(list.Items[i].Labels)) {
				all = append(all, list.Items[i])
			}
		}
	}
	return all, nil
}

// servers has the clusters' names by their address.
func (h *hub) servers(ctx context.Context) (map[string]string, error) {
	if h.server != nil {
		return h.servedNames(ctx)
	}
	all, err := h.spokesOf(ctx, nil)
	if err != nil {
		return nil, err
	}
	servers := map[string]string{gitops.HubServer: gitops.HubName}
	sorted, _ := ranked(all)
	// What counts, and of that the first, is written last.
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b spoke) int { return strings.Compare(b.Source, a.Source) })
	for _, s := range sorted {
		servers[gitops.ServerKey(s.Server)] = s.Name
	}
	return servers, nil
}

func clusterKind() kind {
	return kind{
		resource: "cluster", singular: "cluster",
		aliases: []string{"clusters", "cluster"},
		header:  []string{"NAME", "ENVIRONMENT", "STATE", "APPS", "SYNCED", "HEALTHY", "ADDONS", "SERVER"},
		wide:    []string{"SECRET", "PROJECT", "METADATA", "VERSION", "LATENCY", "ENGINE"},
		list:    listClusters,
	}
}

// clusterView is a cluster as it may be printed: no credentials.
type clusterView struct {
	Name        string            `json:"name"`
	Server      string            `json:"server"`
	Secret      string            `json:"secret,omitempty"`
	Project     string            `json:"project,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Namespaces  []string          `json:"namespaces,omitempty"`
	// State reports whether it answers whoever asks.
	State string `json:"state"`
	// Paused tells that the engine leaves it alone, because its Secret says so.
	Paused  bool   `json:"paused,omitempty"`
	Version string `json:"version,omitempty"`
	Latency int64  `json:"latencyMilliseconds,omitempty"`
	// Engine is how the engine sees it, where the engine can be asked.
	Engine  *clusters.Health `json:"engine,omitempty"`
	Problem string           `json:"problem,omitempty"`
	// Clashes are what its Secret shares with others.
	Clashes []string `json:"clashes,omitempty"`
	Apps    int      `json:"applications"`
	Synced  int      `json:"synced"`
	Healthy int      `json:"healthy"`
}

func listClusters(ctx context.Context, h *hub, q query) ([]item, error) {
	if h.server != nil {
		return servedClusters(ctx, h, q)
	}
	all, err := h.spokesOf(ctx, q.selector)
	if err != nil {
		return nil, err
	}
	counts, err := h.counts(ctx)
	if err != nil {
		return nil, err
	}
	clashes, err := h.clashes(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s spoke) bool { return !q.of(s.Project) })
	seen := h.seen(ctx)
	items := make([]item, len(all))
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			items[i] = clusterItem(all[i], counts.Count(all[i].Name), answers(ctx, all[i]), seen[all[i].Secret], clashesOf(clashes, all[i].Secret))
		})
	}
	group.Wait()
	return items, nil
}

// clashes are what several cluster Secrets of the fleet describe.
func (h *hub) clashes(ctx context.Context) ([]gitops.Clash, error) {
	all, err := h.spokesOf(ctx, nil)
	if err != nil {
		return nil, err
	}
	_, found := ranked(all)
	return found, nil
}

// clashesOf are those that a Secret has a part in, in words.
func clashesOf(all []gitops.Clash, secret string) []string {
	var out []string
	for _, c := range all {
		if slices.Contains(c.Secrets, secret) {
			out = append(out, c.String())
		}
	}
	return out
}

// probePatience is how long a list waits for a cluster to answer.
const probePatience = 2 * time.Second

// answered is how a cluster answers whoever asks.
type answered struct {
	state, version string
	latency        time.Duration
}

// answers asks a cluster whether it is there.
func answers(ctx context.Context, s spoke) answered {
	if s.problem != nil {
		return answered{state: "invalid"}
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	start := time.Now()
	version, _, err := serverVersion(ctx, s.config)
	switch {
	case apierrors.IsUnauthorized(err):
		return answered{state: "refused"}
	case err != nil && !isStatus(err):
		return answered{state: "unreachable"}
	}
	return answered{"reachable", version, time.Since(start)}
}

// seen asks the engine how it sees the clusters, by their Secrets. An engine
// that cannot be asked is no reason to show nothing.
func (h *hub) seen(ctx context.Context) map[string]*clusters.Health {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	if h.fleet != nil {
		return nil // its engine serves no API
	}
	engine, err := h.remote(ctx)
	if err != nil {
		return nil
	}
	list, err := engine.clusters(ctx)
	if err != nil {
		return nil
	}
	out := map[string]*clusters.Health{}
	for i := range list {
		out[list[i].Secret] = &list[i]
	}
	return out
}

// engineCell tells in a few words how the engine sees a cluster.
func engineCell(h *clusters.Health) string {
	switch {
	case h == nil:
		return "-"
	case h.Reachable && h.Problem != "":
		return "reachable; " + h.Problem
	case h.Reachable && len(h.FailedGroups) > 0:
		return "reachable; without " + strings.Join(h.FailedGroups, ", ")
	case h.Reachable:
		return "reachable"
	case h.Since == nil:
		return "invalid"
	case h.Next == nil:
		return "no answer since " + h.Since.Format(time.RFC3339)
	}
	return "no answer since " + h.Since.Format(time.RFC3339) + "; next try at " + h.Next.Format(time.TimeOnly)
}

func clusterItem(s spoke, t fleetstatus.Tally, a answered, seen *clusters.Health, clashes []string) item {
	d, problem := s.Cluster, s.problem
	view := clusterView{
		Name: d.Name, Server: d.Server, Secret: d.Secret, Project: d.Project, Labels: d.Labels, Annotations: shown(d.Annotations),
		Namespaces: d.Namespaces, State: a.state, Paused: v1alpha1.SkipsReconcile(d.Annotations) || seen != nil && seen.Paused, Version: a.version, Latency: a.latency.Milliseconds(), Engine: seen, Apps: t.Apps, Synced: t.Synced, Healthy: t.Healthy, Clashes: clashes,
	}
	last := strings.Join(append([]string{d.Server}, clashes...), "; ")
	if problem != nil {
		view.Problem = problem.Error()
		last = view.Problem
	}
	return item{
		name: d.Name,
		cells: []string{
			d.Name, dash(d.Labels["environment"]), stateCell(view), strconv.Itoa(t.Apps), strconv.Itoa(t.Synced), strconv.Itoa(t.Healthy), strconv.Itoa(addons(d.Labels)), screen.Words(last),
		},
		wide:   []string{dash(d.Secret), dash(d.Project), strconv.Itoa(len(view.Annotations)), dash(a.version), dash(latencyCell(a.latency)), engineCell(seen)},
		object: view,
	}
}

// stateCell reports whether a cluster answers, and whether it is left alone.
func stateCell(c clusterView) string {
	if c.Paused {
		return c.State + ", paused"
	}
	return c.State
}

func latencyCell(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.Round(time.Millisecond).String()
}

// shown leaves out what kubectl keeps for itself: it repeats the whole Secret.
func shown(annotations map[string]string) map[string]string {
	kept := maps.Clone(annotations)
	delete(kept, corev1.LastAppliedConfigAnnotation)
	return kept
}

// addons counts the switches that are on.
func addons(labels map[string]string) int {
	n := 0
	for key, value := range labels {
		if strings.HasPrefix(key, "enable_") && value == "true" {
			n++
		}
	}
	return n
}

// counts has all applications, to be counted by cluster.
func (h *hub) counts(ctx context.Context) (fleetstatus.Snapshot, error) {
	var s fleetstatus.Snapshot
	list := &v1alpha1.ApplicationList{}
	if err := h.client.List(ctx, list, client.InNamespace(h.namespace)); err != nil {
		return s, err
	}
	servers, err := h.servers(ctx)
	if err != nil {
		return s, err
	}
	for i := range list.Items {
		s.Apps = append(s.Apps, fleetstatus.AppOf(&list.Items[i], servers))
	}
	return s, nil
}

func repositoryKind() kind {
	return kind{
		resource: "repository", singular: "repository",
		aliases: []string{"repos", "repo", "repository", "repositories"},
		header:  []string{"URL", "TYPE", "APPS", "CREDENTIALS", "MIRROR"},
		wide:    []string{"PROJECT", "SECRET"},
		list:    listRepositories,
	}
}

// repositoryView is a repository as it may be printed: no credentials.
type repositoryView struct {
	URL         string `json:"url"`
	Type        string `json:"type,omitempty"`
	Name        string `json:"name,omitempty"`
	Project     string `json:"project,omitempty"`
	Secret      string `json:"secret,omitempty"`
	Credentials bool   `json:"credentials"`
	Mirror      string `json:"mirror,omitempty"`
	Apps        int    `json:"applications"`
	// written is the whole address, of which a part may be a secret.
	written string
}

// listRepositories has what Secrets describe and what applications use.
func listRepositories(ctx context.Context, h *hub, q query) ([]item, error) {
	views, err := h.repositories(ctx, q.selector)
	if err != nil {
		return nil, err
	}
	list := &v1alpha1.ApplicationList{}
	if err := h.client.List(ctx, list, client.InNamespace(h.namespace)); err != nil {
		return nil, err
	}
	known := placedOf(views)
	for i := range list.Items {
		known.use(&list.Items[i])
	}
	var items []item
	for _, url := range slices.Sorted(maps.Keys(views)) {
		view := views[url]
		if q.of(view.Project) {
			view.Mirror = h.mirrorOf(view.written)
			items = append(items, repositoryItem(view))
		}
	}
	return items, nil
}

// repositories are those that Secrets describe, by their address.
func (h *hub) repositories(ctx context.Context, selector labels.Selector) (map[string]*repositoryView, error) {
	if h.server != nil {
		return h.servedRepositories(ctx, selector)
	}
	secrets, err := h.secrets(ctx, selector, v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds)
	if err != nil {
		return nil, err
	}
	views := map[string]*repositoryView{}
	for i := range secrets {
		view := repositoryOf(&secrets[i])
		views[view.written] = view
	}
	return views, nil
}

func repositoryOf(s *corev1.Secret) *repositoryView {
	text := func(key string) string { return strings.TrimSpace(string(s.Data[key])) }
	view := &repositoryView{written: text("url"), URL: gitops.PublicAddress(text("url")), Type: text("type"), Name: text("name"), Project: text("project"), Secret: s.Name}
	if view.Type == "" {
		view.Type = "git"
	}
	for _, key := range []string{"password", "sshPrivateKey", "bearerToken", "githubAppPrivateKey", "tlsClientCertKey", "username"} {
		view.Credentials = view.Credentials || len(s.Data[key]) > 0
	}
	return view
}

// placed finds repositories by addresses that applications have of them.
type placed struct {
	views map[string]*repositoryView
	exact map[string]*repositoryView
	// wide are those that charts of many addresses are in.
	wide []wideView
}

type wideView struct {
	access.Place

	view *repositoryView
}

func placedOf(views map[string]*repositoryView) *placed {
	p := &placed{views: views, exact: map[string]*repositoryView{}}
	for _, url := range slices.Sorted(maps.Keys(views)) {
		p.add(views[url])
	}
	return p
}

func (p *placed) add(v *repositoryView) {
	place, ok := access.PlaceOf(cmp.Or(v.written, v.URL))
	if !ok {
		return
	}
	p.exact[place.Key()] = v
	if v.Secret != "" && (v.Type == "helm" || v.Type == "oci") {
		p.wide = append(p.wide, wideView{place, v})
	}
}

// at is the repository with an address; of charts also the one that they are
// in. Nil for none.
func (p *placed) at(url string) *repositoryView {
	place, ok := access.PlaceOf(url)
	if !ok {
		return nil
	}
	if v := p.exact[place.Key()]; v != nil {
		return v
	}
	for _, w := range p.wide {
		if w.Holds(w.view.Type, place) {
			return w.view
		}
	}
	return nil
}

// use counts an application at each of the repositories that it reads.
func (p *placed) use(app *v1alpha1.Application) {
	counted := map[*repositoryView]bool{}
	for _, s := range app.Spec.GetSources() {
		if s.RepoURL == "" {
			continue
		}
		view := p.at(s.RepoURL)
		if view == nil {
			view = &repositoryView{written: s.RepoURL, URL: gitops.PublicAddress(s.RepoURL), Type: typeOf(s)}
			p.views[view.written] = view
			p.add(view)
		}
		view.Credentials = view.Credentials || gitops.PublicAddress(s.RepoURL) != s.RepoURL
		if !counted[view] {
			view.Apps++
		}
		counted[view] = true
	}
}

func typeOf(s v1alpha1.ApplicationSource) string {
	switch {
	case strings.HasPrefix(s.RepoURL, "oci://"):
		return "oci"
	case s.Chart != "":
		return "helm"
	}
	return "git"
}

func (h *hub) mirrorOf(url string) string {
	if h.fleet == nil {
		return ""
	}
	for _, m := range h.fleet.Mirrors {
		plain := strings.TrimPrefix(m.URL, "oci://")
		if url == m.URL || url == plain || strings.HasPrefix(url, m.URL+"/") || strings.HasPrefix(url, plain+"/") {
			return short(m.Path)
		}
	}
	return ""
}

func repositoryItem(v *repositoryView) item {
	credentials := "-"
	if v.Credentials {
		credentials = "yes"
	}
	return item{
		name:   v.URL,
		cells:  []string{v.URL, v.Type, strconv.Itoa(v.Apps), credentials, dash(v.Mirror)},
		wide:   []string{dash(v.Project), dash(v.Secret)},
		object: v,
	}
}
