package generate

import (
	"context"
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Resources reads objects of the hub.
type Resources interface {
	// List returns the objects of a namespace that the query chooses. Kind
	// may be a kind or the plural name of a resource.
	List(ctx context.Context, namespace string, q Query) ([]unstructured.Unstructured, error)
}

// Query chooses objects by name, or else by labels.
type Query struct {
	Group, Version, Kind string
	Name                 string
	Labels               labels.Selector
}

// WithResources lets generators read objects of the hub; without it
// clusterDecisionResource is an error.
func WithResources(r Resources) Option { return func(g *Generator) { g.resources = r } }

type decisionKind struct{}

func (decisionKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.ClusterDecisionResource == nil {
		return nil
	}
	return &g.ClusterDecisionResource.Template
}

// params has a set for each item of the objects' status that names a known cluster.
func (decisionKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	if r.settings == nil || r.resources == nil {
		return nil, offline("clusterDecisionResource", "objects of the hub")
	}
	r.ofFleet()
	d, err := r.decision(g.ClusterDecisionResource)
	if err != nil {
		return nil, err
	}
	items, err := r.decided(d)
	if err != nil {
		return nil, err
	}
	clusters, err := r.clustersByName()
	if err != nil {
		return nil, err
	}
	var out []paramSet
	for _, item := range items {
		name, _ := item[d.match].(string)
		c, known := clusters[name]
		if !known {
			which := fmt.Sprintf("%s: status.%s of %s lists a cluster whose %s is", r.at(), d.list, d.query.Kind, d.match)
			const no = "no cluster Secret has as its name"
			r.warn(gitops.Warning{Reason: "UnknownCluster", Message: r.ofSet(fmt.Sprintf("%s %q, which %s", which, name, no)), Fleet: true, Bare: r.ofSet(which + " what " + no)})
			continue
		}
		p, err := r.decisionParams(name, c.Server, item, g.ClusterDecisionResource.Values)
		if err != nil {
			return nil, err
		}
		if out, err = r.keepOf(out, paramSet{p, OriginOf(c)}, weigh(p)+perOrigin+perCluster); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decisionParams: values are taken as they are written.
func (r *run) decisionParams(name, server string, item map[string]any, values map[string]string) (Params, error) {
	p := Params{"name": name, "server": server}
	if r.set.Spec.GoTemplate {
		for k, v := range item {
			p[k] = copyJSON(v)
		}
		if len(values) > 0 {
			p["values"] = maps.Clone(values)
		}
		return p, nil
	}
	if err := r.addLeaves(p, item); err != nil {
		return nil, err
	}
	addFlat(p, "values.", values)
	return p, nil
}

// clustersByName are those that a decision can name, of each name the first.
func (r *run) clustersByName() (map[string]*gitops.Cluster, error) {
	fleet, err := r.clusterList()
	if err != nil {
		return nil, err
	}
	out := make(map[string]*gitops.Cluster, len(fleet)+1)
	hub := false
	for i := range fleet {
		c := &fleet[i]
		hub = hub || gitops.IsHub(c.Server)
		if _, twice := out[c.Name]; !twice && !c.Misnamed() {
			out[c.Name] = c
		}
	}
	if _, taken := out[gitops.HubName]; !hub && !taken {
		out[gitops.HubName] = r.hub
	}
	return out, nil
}

// decision says where a list of clusters is.
type decision struct {
	query Query
	// list is the key of the list in the status; match the key of the
	// cluster's name in its items.
	list, match string
}

func (r *run) decision(g *v1alpha1.DuckTypeGenerator) (*decision, error) {
	data, err := r.settings.ConfigMap(r.ctx, r.set.Namespace, g.ConfigMapRef)
	if err != nil {
		return nil, unreachable(errorf("cannot read ConfigMap %s of a clusterDecisionResource generator: %w", g.ConfigMapRef, err))
	}
	group, version, ok := strings.Cut(data["apiVersion"], "/")
	d := &decision{query: Query{Group: group, Version: version, Kind: data["kind"], Name: g.Name}, list: data["statusListKey"], match: data["matchKey"]}
	if d.list == "" {
		d.list = "clusters"
	}
	for _, wrong := range []struct {
		is   bool
		what string
	}{
		{!ok || group == "" || version == "", "apiVersion of the form group/version"},
		{d.query.Kind == "", "kind"},
		{d.match == "", "matchKey"},
	} {
		if wrong.is {
			return nil, problemf(gitops.Invalid, "ConfigMap %s of a clusterDecisionResource generator has no %s", g.ConfigMapRef, word(wrong.what)).
				Do("add it to the ConfigMap")
		}
	}
	return d, d.choose(g)
}

func (d *decision) choose(g *v1alpha1.DuckTypeGenerator) error {
	labelled := g.LabelSelector.MatchLabels != nil || g.LabelSelector.MatchExpressions != nil
	if labelled == (g.Name != "") {
		return problemf(gitops.Invalid, "a clusterDecisionResource generator has to choose by name or by labelSelector").
			Do("set one of the two")
	}
	if !labelled {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(&g.LabelSelector)
	if err != nil {
		return problemf(gitops.Invalid, "cannot use labelSelector of a clusterDecisionResource generator: %w", err)
	}
	d.query.Labels = selector
	return nil
}

// decided joins the lists of all objects. One without a status has not
// decided yet.
func (r *run) decided(d *decision) ([]map[string]any, error) {
	objects, err := r.resources.List(r.ctx, r.set.Namespace, d.query)
	if err != nil {
		return nil, unreachable(errorf("cannot read %s of a clusterDecisionResource generator: %w", word(d.query.Kind), err))
	}
	if len(objects) == 0 {
		return nil, problemf(gitops.NotFound, "no object of kind %s (%s/%s) is what the clusterDecisionResource generator asks for", word(d.query.Kind), word(d.query.Group), word(d.query.Version)).
			Do("create it in namespace " + r.set.Namespace + ", or correct name or labelSelector")
	}
	var out []map[string]any
	for i := range objects {
		list, found, err := unstructured.NestedSlice(objects[i].Object, "status", d.list)
		if err != nil {
			return nil, problemf(gitops.Invalid, "status.%s of %s is no list: %w", word(d.list), objects[i].GetName(), err).Do("correct statusListKey in the ConfigMap")
		}
		if !found {
			r.warnf("NoDecision", "%s: %s %s has no status.%s, so it chooses no cluster", word(r.at()), word(d.query.Kind), objects[i].GetName(), word(d.list))
		}
		for _, item := range list {
			if fields, ok := item.(map[string]any); ok {
				out = append(out, fields)
			}
		}
	}
	return out, nil
}
