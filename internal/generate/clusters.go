package generate

import (
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// secretTypeLabel is on every cluster Secret, so a selector may name it.
const secretTypeLabel = "argocd.argoproj.io/secret-type"

// bookkeeping annotations of a Secret are no parameters.
var bookkeeping = map[string]bool{
	v1alpha1.AnnotationRefresh:                         true,
	v1alpha1.AnnotationHydrate:                         true,
	v1alpha1.AnnotationTrackingID:                      true,
	"argocd.argoproj.io/installation-id":               true,
	"kubectl.kubernetes.io/last-applied-configuration": true,
}

type clustersKind struct{}

func (clustersKind) template(g *v1alpha1.ApplicationSetGenerator) *v1alpha1.ApplicationSetTemplate {
	if g.Clusters == nil {
		return nil
	}
	return &g.Clusters.Template
}

func (clustersKind) params(r *run, g *v1alpha1.ApplicationSetGenerator) ([]paramSet, error) {
	r.ofFleet()
	chosen, err := r.chosenClusters(g.Clusters.Selector)
	if err != nil {
		return nil, err
	}
	// One set of all is one, however many clusters there are.
	r.direct = r.direct && !g.Clusters.FlatList
	var out []paramSet
	for _, c := range chosen {
		p, err := r.clusterParams(c)
		if err != nil {
			return nil, err
		}
		if err := r.addValues(p.Params, g.Clusters.Values); err != nil {
			return nil, errorf("cannot render values with %s: %w", subject{c.Name, true}, err)
		}
		if out, err = r.keepOf(out, p, mapOf(len(p.Params)+roomForValues)); err != nil {
			return nil, err
		}
	}
	if !g.Clusters.FlatList {
		return out, nil
	}
	// One set that holds all, also when there is none.
	flat := make([]map[string]any, len(out))
	for i, p := range out {
		flat[i] = p.Params
	}
	return []paramSet{{Params{flatKey: flat}, anyCluster}}, nil
}

// chosenClusters are those that the selector matches. A hub without a Secret
// has no labels; it is among them only when the selector asks for nothing.
func (r *run) chosenClusters(selector metav1.LabelSelector) ([]*gitops.Cluster, error) {
	all, err := r.clusterList()
	if err != nil {
		return nil, err
	}
	empty := len(selector.MatchLabels) == 0 && len(selector.MatchExpressions) == 0
	match, err := metav1.LabelSelectorAsSelector(selector.DeepCopy())
	if err != nil {
		return nil, errorf("cannot use the selector of the clusters generator: %w", r.written(err))
	}
	byName := map[string]int{}
	var out []*gitops.Cluster
	hub := false
	for i := range all {
		c := &all[i]
		if bareHub(c) || !match.Matches(clusterLabels(c)) {
			continue
		}
		hub = hub || gitops.IsHub(c.Server)
		if first, twice := byName[c.Name]; twice {
			r.warnEqualNames(out[first], c)
			continue
		}
		byName[c.Name] = len(out)
		out = append(out, c)
	}
	if !empty {
		r.askLabels(match)
		r.chose(match.String(), "matches no cluster", len(all), len(out))
	}
	if empty && !hub {
		out = append(out, r.hub)
	}
	return out, nil
}

// askLabels notes that what the set gives depends on labels.
func (r *run) askLabels(match labels.Selector) {
	requirements, _ := match.Requirements()
	for _, one := range requirements {
		r.lacks.choose("metadata.labels." + one.Key())
	}
}

// bareHub reports whether a cluster is the hub, known without a Secret.
func bareHub(c *gitops.Cluster) bool { return c.Secret == "" && gitops.IsHub(c.Server) }

func clusterLabels(c *gitops.Cluster) labels.Set {
	if _, ok := c.Labels[secretTypeLabel]; ok {
		return c.Labels
	}
	out := make(labels.Set, len(c.Labels)+1)
	maps.Copy(out, c.Labels)
	out[secretTypeLabel] = "cluster"
	return out
}

func (r *run) warnEqualNames(a, b *gitops.Cluster) {
	r.warn(gitops.Warning{
		Reason: "EqualClusterNames", Clusters: []string{a.Name},
		Message: fmt.Sprintf("cluster Secrets %s and %s have the same name %q; only the first counts, rename one", a.Secret, b.Secret, a.Name),
		Bare:    r.ofSet("cluster Secrets have the same name; only the first counts, rename the others"),
	})
}

// clusterParams are made once a run and cluster; each caller adds its values to
// a copy. What is nested is shared where no function of the templates changes maps.
func (r *run) clusterParams(c *gitops.Cluster) (paramSet, error) {
	made, ok := r.made[c]
	if !ok {
		made = paramSet{r.makeClusterParams(c), OriginOf(c)}
		r.made[c] = made
		if err := r.held.take(frame(made.Params) + perOrigin + perCluster); err != nil {
			return paramSet{}, err
		}
	}
	out := paramSet{make(Params, len(made.Params)+roomForValues), made.of}
	maps.Copy(out.Params, made.Params)
	meta, ok := made.Params["metadata"].(map[string]any)
	if !ok {
		return out, nil
	}
	if len(r.set.Spec.Generators) > 1 && r.changes() { // another generator may have the cluster, too
		own := copyJSON(meta)
		out.Params["metadata"] = own
		return out, r.held.take(frame(own))
	}
	out.Params["metadata"] = maps.Clone(meta)
	return out, r.held.take(mapOf(len(meta)))
}

const roomForValues = 4

func (r *run) makeClusterParams(c *gitops.Cluster) Params {
	p := Params{"name": c.Name, "nameNormalized": normalize(c.Name), "server": c.Server, "project": c.Project}
	if bareHub(c) {
		return p
	}
	annotations := make(map[string]string, len(c.Annotations))
	for k, v := range c.Annotations {
		if !bookkeeping[k] {
			annotations[k] = v
		}
	}
	if !r.set.Spec.GoTemplate {
		addFlat(p, "metadata.annotations.", annotations)
		addFlat(p, "metadata.labels.", c.Labels)
		return p
	}
	// A map is absent, not empty, when the Secret has none.
	meta := map[string]any{}
	if len(c.Annotations) > 0 {
		meta["annotations"] = annotations
	}
	if len(c.Labels) > 0 {
		meta["labels"] = maps.Clone(c.Labels)
	}
	p["metadata"] = meta
	return p
}

func addFlat(p Params, prefix string, values map[string]string) {
	for k, v := range values {
		p[prefix+k] = v
	}
}

// addValues renders a generator's values with the parameters so far. They do
// not see one another.
func (r *run) addValues(p Params, values map[string]string) error {
	if len(values) == 0 {
		return nil
	}
	rendered := make(map[string]string, len(values))
	bytes := mapOf(len(values))
	for k, v := range values {
		if err := r.ownMaps(v, p); err != nil {
			return errorf("values.%s: %w", k, err)
		}
		text, err := r.texts.render(v, p)
		if err != nil {
			return errorf("values.%s: %w", k, err)
		}
		rendered[k] = text
		if bytes += perBox; text != v || r.copies > 0 {
			bytes += len(text)
		}
		if err := r.held.take(bytes); err != nil {
			return errorf("values.%s: %w", k, err)
		}
		bytes = 0
	}
	if r.set.Spec.GoTemplate {
		// A map of texts: index of a missing key is an empty text.
		p["values"] = rendered
		return nil
	}
	addFlat(p, "values.", rendered)
	return nil
}
