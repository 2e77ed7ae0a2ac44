package install

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

// serving is an API server whose list of kinds has some from a look on.
type serving struct {
	discovery.ServerResourcesInterface

	// from is the first look that has a kind, from 1; away is how many looks fail.
	from  map[string]int
	away  int
	looks map[string]int
}

func (s *serving) ServerResourcesForGroupVersion(version string) (*metav1.APIResourceList, error) {
	if s.looks == nil {
		s.looks = map[string]int{}
	}
	s.looks[version]++
	if s.looks[version] <= s.away {
		return nil, errors.New("away")
	}
	out := &metav1.APIResourceList{}
	for kind, from := range s.from {
		if s.looks[version] >= from {
			out.APIResources = append(out.APIResources, metav1.APIResource{Name: kind})
		}
	}
	return out, nil
}

// defining are definitions of the kinds, in one group.
func defining(kinds ...string) (out []*apiextensionsv1.CustomResourceDefinition) {
	for _, kind := range kinds {
		crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: kind + ".example.com"}}
		crd.Spec.Group, crd.Spec.Names.Plural = "example.com", kind
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}}
		out = append(out, crd)
	}
	return out
}

// TestDefinitionsAreWaitedFor until the API server lists all of them, and not for as long
// as one takes that will never be: why it is not is told.
func TestDefinitionsAreWaitedFor(t *testing.T) {
	taken := defining("as", "bs")
	taken[1].Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionFalse, Message: `"b" is already in use`}}
	for name, tc := range map[string]struct {
		reason string
		there  []*apiextensionsv1.CustomResourceDefinition
		server serving
		took   time.Duration
		says   string
	}{
		"There":   {"they are there", defining("as", "bs"), serving{from: map[string]int{"as": 1, "bs": 1}}, 0, ""},
		"Later":   {"one comes later", defining("as", "bs"), serving{from: map[string]int{"as": 1, "bs": 3}}, 2 * establishPoll, ""},
		"Away":    {"a list that cannot be read has none", defining("as", "bs"), serving{away: 4, from: map[string]int{"as": 1, "bs": 1}}, 4 * establishPoll, ""},
		"Refused": {"another definition has its names, which nobody waits for", taken, serving{from: map[string]int{"as": 1}}, (refusalEvery - 1) * establishPoll, `cannot wait for definition bs.example.com to be served: its names are taken: "b" is already in use`},
		"Deleted": {"somebody took it away", defining("as"), serving{from: map[string]int{"as": 1}}, (refusalEvery - 1) * establishPoll, "cannot wait for definition bs.example.com to be served: "},
		"Never":   {"it has its time", defining("as", "bs"), serving{from: map[string]int{"as": 1}}, establishTime, "cannot wait for definition bs.example.com to be served: "},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(tc.there[0])
				for _, crd := range tc.there[1:] {
					if err := client.Tracker().Add(crd); err != nil {
						t.Fatal(err)
					}
				}
				began := time.Now()
				err := discovered(t.Context(), client.ApiextensionsV1(), &tc.server, defining("as", "bs"))
				if took := time.Since(began); took != tc.took || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: after %s: %v, want %q after %s", tc.reason, took, err, tc.says, tc.took)
				}
			})
		})
	}
}

// TestListsAreReadOnceForAGroup, and a kind of another group with the same name is another.
func TestListsAreReadOnceForAGroup(t *testing.T) {
	server := &serving{from: map[string]int{"as": 1}}
	other := defining("as")[0]
	other.Spec.Group = "other.example.com"
	all := append(defining("as", "bs", "cs"), other)
	missing := unlisted(server, all)
	if len(missing) != 2 || missing[0].Name != "bs.example.com" || len(all) != 4 || all[0] == nil {
		t.Errorf("%d are missing: %v", len(missing), missing)
	}
	if server.looks["example.com/v1"] != 1 || server.looks["other.example.com/v1"] != 1 {
		t.Errorf("lists were read: %v", server.looks)
	}
}
