package install

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ours reports whether an object may be written: it is not there yet, a bootstrap
// wrote it, or what is written leaves others what is theirs. Definitions are of
// the kinds themselves, whoever made them, an engine or Argo CD.
func (i *installer) ours(f found) bool {
	if i.adopts || f.live == nil || f.wanted.GetKind() == definitionKind {
		return true
	}
	return i.shared[gitops.KeyOf(f.wanted)] || managed(f.live, bootstrap.Manager)
}

// inTheWay names what somebody else made, all at once.
func inTheWay(foreign []found) error {
	var names []string
	do := "give it another name, or delete it"
	for _, f := range foreign {
		key := gitops.KeyOf(f.live)
		names = append(names, calling(key)+", which "+makerOf(f.live)+" made")
		if key.Group == v1alpha1.Group {
			do = "give it another name, delete it, or leave that root application out with --roots"
		}
	}
	return gitops.Problemf(gitops.Invalid, "nothing was written, because objects of others would be written over: %s", strings.Join(names, "; ")).Do(do)
}

// foreign are Applications that have the name of a root and that no set of that
// name made. The root's set would take over one that nobody owns, and could
// never make its own where somebody does.
func (b *Bootstrap) foreign(ctx context.Context) ([]found, error) {
	var out []found
	for _, root := range b.Member.Roots {
		f, err := b.installer.find(ctx, objectNamed(v1alpha1.ApplicationGVK, b.namespace, root))
		if err != nil {
			return nil, err
		}
		if f.live != nil && !ownedBySet(f.live, root) {
			out = append(out, f)
		}
	}
	return out, nil
}

// objectNamed is an object of which no more is known.
func objectNamed(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

func ownedBySet(o *unstructured.Unstructured, set string) bool {
	owner := metav1.GetControllerOf(o)
	return owner != nil && owner.Kind == v1alpha1.ApplicationSetKind && owner.Name == set
}
