package argocd

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// set is an ApplicationSet as somebody may see it.
type set struct {
	metav1.TypeMeta `json:",inline"`

	Metadata metav1.ObjectMeta             `json:"metadata"`
	Spec     any                           `json:"spec"`
	Status   v1alpha1.ApplicationSetStatus `json:"status,omitzero"`
}

// shownSet leaves out of a set the Applications that somebody may not read, and
// what is secret by its name. What kubectl applied has the same text once more.
func (s *server) shownSet(of *v1alpha1.ApplicationSet, visible func(*view.Row) bool, others *reach.Unseen) (*set, error) {
	spec, err := s.MaskSpec(&of.Spec)
	if err != nil {
		return nil, err
	}
	out := &set{TypeMeta: of.TypeMeta, Metadata: of.ObjectMeta, Spec: spec, Status: of.Status}
	out.Metadata.Annotations = maps.Clone(of.Annotations)
	delete(out.Metadata.Annotations, corev1.LastAppliedConfigAnnotation)
	readable := func(name string) bool {
		row := s.Index.Get(view.Key{Namespace: of.Namespace, Name: name})
		return row != nil && visible(row)
	}
	out.Status.Conditions = others.Conditions(of)
	out.Status.ApplicationStatus = where(of.Status.ApplicationStatus, func(a *v1alpha1.ApplicationSetApplicationStatus) bool { return readable(a.Application) })
	out.Status.Resources = where(of.Status.Resources, func(r *v1alpha1.ResourceStatus) bool { return readable(r.Name) })
	if len(out.Status.Resources) < len(of.Status.Resources) {
		out.Status.ResourcesCount = int64(len(out.Status.Resources)) // the others are not counted either
	}
	return out, nil
}

func (s *server) listSets(c *call) (any, error) {
	text, err := c.query.text("selector")
	if err != nil {
		return nil, err
	}
	selector, err := selectorOf(text)
	if err != nil {
		return nil, err
	}
	namespace, err := c.query.text("appsetNamespace")
	if err != nil {
		return nil, err
	}
	projects := c.query.texts("projects", "project")
	visible, err := s.reach.Visible(c.Context())
	if err != nil {
		return nil, err
	}
	all, err := s.Applications.ApplicationSets(c.Context())
	if err != nil {
		return nil, err
	}
	all = where(all, func(one *v1alpha1.ApplicationSet) bool {
		return selector.Matches(labels.Set(one.Labels)) && (namespace == "" || one.Namespace == namespace) &&
			(len(projects) == 0 || slices.Contains(projects, one.Spec.Template.Spec.GetProject()))
	})
	out, others := []set{}, reach.UnseenOf(s.Index.Now().Rows, visible)
	for _, one := range reach.Only(c.Context(), s.reach, all, reach.ReadSet) {
		shown, err := s.shownSet(&one, visible, others)
		if err != nil {
			return nil, err
		}
		out = append(out, *shown)
	}
	return items[set]{Items: out}, nil
}

func (s *server) getSet(c *call) (any, error) {
	namespace, err := c.query.text("appsetNamespace")
	if err != nil {
		return nil, err
	}
	all, err := s.Applications.ApplicationSets(c.Context())
	if err != nil {
		return nil, err
	}
	found, err := s.reach.Set(c.Context(), all, view.Key{Namespace: cmp.Or(namespace, s.Namespace), Name: c.PathValue("name")})
	if err != nil {
		return nil, err
	}
	visible, err := s.reach.Visible(c.Context())
	if err != nil {
		return nil, err
	}
	return s.shownSet(found, visible, reach.UnseenOf(s.Index.Now().Rows, visible))
}
