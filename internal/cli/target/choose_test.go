package target

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestChooseObject(t *testing.T) {
	object := func(group, kind, namespace, name string) LiveObject {
		return LiveObject{Key: gitops.Key{Group: group, Kind: kind, Namespace: namespace, Name: name}, Version: "v1"}
	}
	objects := []LiveObject{
		object("apps", "Deployment", "a", "web"), object("apps", "Deployment", "b", "web"), object("apps", "Deployment", "a", "db"),
		object("", "Service", "a", "web"), object("serving.knative.dev", "Service", "a", "web"),
	}
	cases := map[string]struct{ reason, text, want, err string }{
		"Kind":       {reason: "kind and name", text: "Deployment/db", want: "apps/Deployment:a/db"},
		"LowerCase":  {reason: "capitals do not matter in a kind", text: "deployment/db", want: "apps/Deployment:a/db"},
		"Namespace":  {reason: "a namespace tells two apart", text: "Deployment/b/web", want: "apps/Deployment:b/web"},
		"Group":      {reason: "so does a group", text: "Service.serving.knative.dev/web", want: "serving.knative.dev/Service:a/web"},
		"Ambiguous":  {reason: "both are named", text: "Deployment/web", err: "Deployment.apps/a/web or Deployment.apps/b/web"},
		"Unknown":    {reason: "the nearest is named", text: "Deployment/bd", err: "Deployment/db"},
		"NoName":     {reason: "nor is a kind", text: "Deployment/", err: "KIND/NAME"},
		"OtherGroup": {reason: "another group's kind is another kind", text: "Deployment.example.com/db", err: "no live object Deployment.example.com/db"},
		"NoKind":     {reason: "a name alone is not enough", text: "web", err: "KIND/NAME"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Choose(objects, tc.text)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v; want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil || got.Key.String() != tc.want {
				t.Errorf("%s: got %s, %v; want %s", tc.reason, got.Key, err, tc.want)
			}
		})
	}
}
