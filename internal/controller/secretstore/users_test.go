package secretstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// listed are the objects of a cluster by "version kind"; a version that is missing is not served.
type listed map[string][]string

func (l listed) list(_ context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error) {
	specs, served := l[gvk.Version+" "+gvk.Kind]
	if !served {
		return nil, gitops.Problemf(gitops.NotReady, "it does not serve %s", gvk)
	}
	var out []unstructured.Unstructured
	for i, spec := range specs {
		if spec == "refused" {
			return nil, errors.New("refused")
		}
		place, spec, _ := strings.Cut(spec, " ")
		if namespace != "" && place != namespace {
			continue
		}
		o := unstructured.Unstructured{}
		text := `{"apiVersion":"external-secrets.io/` + gvk.Version + `","kind":"` + gvk.Kind + `","metadata":{"namespace":"` + place + `","name":"` + string(rune('a'+i)) + `"},"spec":` + spec + `}`
		if err := o.UnmarshalJSON([]byte(text)); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func TestUsers(t *testing.T) {
	own := gitops.Key{Group: esv1.Group, Kind: esv1.SecretStoreKind, Namespace: "shop", Name: "vault"}
	all := gitops.Key{Group: esv1.Group, Kind: esv1.ClusterSecretStoreKind, Name: "vault"}
	objects := listed{
		"v1 ExternalSecret": {
			`shop {"secretStoreRef":{"name":"vault"}}`, `shop {"secretStoreRef":{"name":"vault","kind":"ClusterSecretStore"}}`, `other {"secretStoreRef":{"name":"vault"}}`,
			`shop {"secretStoreRef":{"name":"aws"},"data":[{"secretKey":"k","remoteRef":{"key":"k"},"sourceRef":{"storeRef":{"name":"vault","kind":"SecretStore"}}}]}`, `other {"secretStoreRef":{"name":"vault","kind":"ClusterSecretStore"}}`,
		},
		"v1alpha1 PushSecret": {`shop {"secretStoreRefs":[{"name":"aws"},{"name":"vault"},{"labelSelector":{}}]}`, `other {"secretStoreRefs":[{"name":"vault","kind":"ClusterSecretStore"}]}`},
	}
	for name, tc := range map[string]struct {
		reason string
		in     listed
		key    gitops.Key
		want   []string
		err    string
	}{
		"of a namespace":  {"those of its namespace that name it anywhere", objects, own, []string{"ExternalSecret/shop/a", "ExternalSecret/shop/d", "PushSecret/shop/a"}, ""},
		"of all":          {"those of all namespaces that name one of the whole cluster", objects, all, []string{"ExternalSecret/shop/b", "ExternalSecret/other/e", "PushSecret/other/b"}, ""},
		"older":           {"a cluster that has the version before", listed{"v1beta1 ExternalSecret": objects["v1 ExternalSecret"][:1]}, own, []string{"ExternalSecret/shop/a"}, ""},
		"none":            {"a cluster that has none of the kinds", listed{}, own, nil, ""},
		"other kinds":     {"what is no store has no users", listed{"v1 ExternalSecret": {"refused"}}, gitops.Key{Kind: "Secret", Namespace: "shop", Name: "vault"}, nil, ""},
		"refused":         {"what cannot be listed is an error", listed{"v1 ExternalSecret": {"refused"}}, own, nil, "cannot list objects of the kind ExternalSecret: refused"},
		"refused at last": {"of each kind", listed{"v1 ExternalSecret": objects["v1 ExternalSecret"], "v1alpha1 PushSecret": {"refused"}}, own, nil, "PushSecret: refused"},
		"unreadable":      {"what cannot be read may use it", listed{"v1 ExternalSecret": {`shop {"data":"none"}`}}, own, nil, "cannot read"},
	} {
		found, err := Users{}.Of(t.Context(), tc.in.list, tc.key)
		if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %s: the error is %v", name, tc.reason, err)
		}
		var got []string
		for i := range found {
			got = append(got, found[i].GetKind()+"/"+found[i].GetNamespace()+"/"+found[i].GetName())
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %s: %v, want %v", name, tc.reason, got, tc.want)
		}
	}
}
