package serve

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/object"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/environment"
)

// Bounds of a comparison of two environments.
const (
	mostBetween     = 200
	mostBetweenText = 64 << 10
)

// Between tells what differs between what two syncs applied. An object that is called by its environment is the same on both sides.
func (p past) Between(ctx context.Context, from, to environment.Side) (*api.Between, error) {
	before, err := p.Kept(ctx, from.Sync)
	if err != nil {
		return nil, err
	}
	after, err := p.Kept(ctx, to.Sync)
	if err != nil {
		return nil, err
	}
	old := alike(before.Rendering.Manifests, after.Rendering.Manifests, from, to)
	hidden := append(append([]string(nil), before.Rendering.Hidden...), after.Rendering.Hidden...)
	c := object.Compare(old, after.Rendering.Manifests, object.Options{Hidden: hidden, Annotations: p.annotations(), Namespace: to.Destination})
	out := &api.Between{From: before.Sync.ID, To: after.Sync.ID, Objects: []api.Difference{}}
	for i := range c.Objects {
		if i == mostBetween {
			out.Omitted = len(c.Objects) - mostBetween
			break
		}
		d := differenceOf(&c.Objects[i])
		d.Live, d.Desired = cutText(d.Live), cutText(d.Desired)
		out.Objects = append(out.Objects, d)
	}
	return out, nil
}

func cutText(text string) string {
	if len(text) <= mostBetweenText {
		return text
	}
	return strings.ToValidUTF8(text[:mostBetweenText], "") + "\n# more is left out\n"
}

// alike gives the objects of one side the names that the same ones have on the
// other. What could be several stays as it is.
func alike(mine, theirs []gitops.Manifest, from, to environment.Side) []gitops.Manifest {
	places := map[string][]*unstructured.Unstructured{}
	for i := range theirs {
		if o := theirs[i].Object; o != nil {
			key := placed(o, &to)
			places[key] = append(places[key], o)
		}
	}
	out := make([]gitops.Manifest, 0, len(mine))
	for _, m := range mine {
		if m.Object == nil {
			continue
		}
		m.Object = m.Object.DeepCopy()
		if same := places[placed(m.Object, &from)]; len(same) == 1 {
			rename(m.Object, same[0])
		} else if m.Object.GetNamespace() == from.Destination {
			m.Object.SetNamespace(to.Destination)
		}
		out = append(out, m)
	}
	return out
}

func placed(o *unstructured.Unstructured, side *environment.Side) string {
	gvk := o.GroupVersionKind()
	return gvk.Group + "/" + gvk.Kind + "/" + side.Place(o.GetNamespace(), o.GetName())
}

// rename gives an object another one's name, and the marks that say whose it is.
func rename(o, as *unstructured.Unstructured) {
	o.SetName(as.GetName())
	o.SetNamespace(as.GetNamespace())
	labels, annotations := o.GetLabels(), o.GetAnnotations()
	carry(labels, as.GetLabels(), "app.kubernetes.io/instance")
	carry(annotations, as.GetAnnotations(), gitops.AnnotationTracking)
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
}

// carry takes over a value that both have.
func carry(to, from map[string]string, key string) {
	if _, has := to[key]; !has {
		return
	}
	if value, has := from[key]; has {
		to[key] = value
	}
}
