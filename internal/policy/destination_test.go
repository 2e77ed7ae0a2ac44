package policy

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestReaches(t *testing.T) {
	here := Target{Server: "https://a.example.org", Name: "a", Namespace: "whatever"}
	at := func(server, name, namespace string) v1alpha1.ApplicationDestination {
		return v1alpha1.ApplicationDestination{Server: server, Name: name, Namespace: namespace}
	}
	for name, tc := range map[string]struct {
		destinations []v1alpha1.ApplicationDestination
		own          bool
		want         bool
	}{
		"Nothing":          {nil, false, false},
		"OtherNamespace":   {[]v1alpha1.ApplicationDestination{at("https://a.example.org", "", "shop")}, false, true},
		"ByName":           {[]v1alpha1.ApplicationDestination{at("", "a", "shop")}, false, true},
		"OtherServer":      {[]v1alpha1.ApplicationDestination{at("https://b.example.org", "b", "*")}, false, false},
		"AllOfEveryServer": {[]v1alpha1.ApplicationDestination{at("*", "", "*")}, false, true},
		"NameDenied":       {[]v1alpha1.ApplicationDestination{at("*", "", "*"), at("", "!a", "*")}, false, false},
		"Own":              {[]v1alpha1.ApplicationDestination{at(own+here.Server, "", "shop")}, false, true},
		"OwnPattern":       {[]v1alpha1.ApplicationDestination{at(own+"https://*", "", "*")}, false, false},
		"NotItsOwn":        {[]v1alpha1.ApplicationDestination{at("*", "", "*")}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Destinations: tc.destinations, PermitOnlyProjectScopedClusters: tc.own}}
			if err := Reaches(p, here, []gitops.Cluster{{Server: "https://c.example.org", Name: "c"}}); (err == nil) != tc.want {
				t.Errorf("%v; want it to be permitted: %t", err, tc.want)
			}
		})
	}
}
