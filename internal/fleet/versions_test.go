package fleet

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
)

// oldServer does not tell of all its kinds at once.
type oldServer struct {
	discovery.DiscoveryInterface

	versions, kinds int
	wait            time.Duration
	failing         string

	mu               sync.Mutex
	asked, now, most int
}

func (*oldServer) ServerVersion() (*version.Info, error) { return &version.Info{}, nil }

func (s *oldServer) all() (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	group := metav1.APIGroup{Name: "old.test", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "old.test/../..", Version: "../.."}, {}}}
	for i := range s.versions {
		v := fmt.Sprintf("v%d", i+1)
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: "old.test/" + v, Version: v})
	}
	return &metav1.APIGroupList{Groups: []metav1.APIGroup{group}}, nil, nil, nil
}

func (s *oldServer) ServerResourcesForGroupVersion(gv string) (*metav1.APIResourceList, error) {
	s.count(1)
	defer s.count(-1)
	time.Sleep(s.wait) // of a synctest
	if gv == s.failing {
		return nil, errors.New("503")
	}
	list := &metav1.APIResourceList{APIResources: []metav1.APIResource{{Name: "a/status", Kind: "A"}, {Name: "nameless"}}}
	for i := range s.kinds {
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: fmt.Sprintf("a%ds", i), Kind: fmt.Sprintf("A%d", i)})
	}
	return list, nil
}

func (s *oldServer) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.now = s.asked+max(n, 0), s.now+n
	s.most = max(s.most, s.now)
}

// TestOldServer: each version of a group is asked for by itself.
func TestOldServer(t *testing.T) {
	for name, tc := range map[string]struct {
		reason        string
		server        *oldServer
		asked, mapped int
		failed        int
		err           error
	}{
		"Few":   {"all that can be asked for are", &oldServer{versions: 30, kinds: 2, wait: time.Second}, 30, 60, 0, nil},
		"Many":  {"none is asked for of too many", &oldServer{versions: maxVersions + 1}, 0, 0, 0, errManyVersions},
		"Slow":  {"it does not last for ever", &oldServer{versions: 100, kinds: 1, wait: 10 * time.Second}, attempts * 16, 16, 84, nil},
		"Large": {"kinds are bounded together", &oldServer{versions: 30, kinds: maxMapped / 20}, 30, maxMapped, 0, nil},
		"Fails": {"what fails is asked for again", &oldServer{versions: 3, kinds: 1, failing: "old.test/v2"}, attempts * 3, 2, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := tc.server
				c := newCatalog(&versions{s, s.all})
				k, err := c.refresh(t.Context())
				if !errors.Is(err, tc.err) || s.asked != tc.asked || s.most > versionsInFlight {
					t.Fatalf("%s: asked %d times, %d at a time, %v", tc.reason, s.asked, s.most, err)
				}
				if err == nil && (k.mapped != tc.mapped || len(c.found.Load().failed) != tc.failed) {
					t.Errorf("%s: %d kinds, %d versions failed", tc.reason, k.mapped, len(c.found.Load().failed))
				}
			})
		})
	}
}
