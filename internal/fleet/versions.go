package fleet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Bounds of a look at a cluster that does not tell of all its kinds at once:
// each version of a group is asked for by itself.
const (
	maxVersions      = 2000
	versionsInFlight = 4
	versionsPatience = 2 * probeTimeout
	attempts         = 2 // as client-go has, where some versions do not answer
)

var (
	errManyVersions = fmt.Errorf("it has more than %d versions of API groups", maxVersions)
	errLateVersion  = errors.New("the versions before it took too long")
)

// versions asks a cluster for its kinds. client-go's own way starts as many
// requests at a time as a cluster names versions, and keeps all answers.
type versions struct {
	discovery.DiscoveryInterface

	// all has the kinds of all versions where the cluster tells them at once.
	all func() (*metav1.APIGroupList, map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error)
}

func newVersions(c *discovery.DiscoveryClient) *versions {
	return &versions{c, c.GroupsAndMaybeResources}
}

// ServerGroupsAndResources implements discovery.DiscoveryInterface.
func (v *versions) ServerGroupsAndResources() (groups []*metav1.APIGroup, lists []*metav1.APIResourceList, err error) {
	for range attempts {
		groups, lists, err = v.look()
		if _, partial := discovery.GroupDiscoveryFailedErrorGroups(err); !partial {
			break
		}
	}
	return groups, lists, err
}

func (v *versions) look() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	found, kinds, failed, err := v.all()
	if err != nil {
		return nil, nil, err
	}
	if kinds == nil {
		if kinds, failed, err = v.each(found); err != nil {
			return nil, nil, err
		}
	}
	groups := make([]*metav1.APIGroup, len(found.Groups))
	for i := range found.Groups {
		groups[i] = &found.Groups[i]
	}
	lists := make([]*metav1.APIResourceList, 0, len(kinds))
	for _, list := range kinds {
		lists = append(lists, list)
	}
	if len(failed) > 0 {
		return groups, lists, &discovery.ErrGroupDiscoveryFailed{Groups: failed}
	}
	return groups, lists, nil
}

// each asks for all versions, at most versionsInFlight at a time, and keeps of
// the answers what a catalog does.
func (v *versions) each(found *metav1.APIGroupList) (map[schema.GroupVersion]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	asked, err := versionsIn(found)
	if err != nil {
		return nil, nil, err
	}
	lists, failed := map[schema.GroupVersion]*metav1.APIResourceList{}, map[schema.GroupVersion]error{}
	var mu sync.Mutex
	left, until := maxMapped, time.Now().Add(versionsPatience)
	var group crew.Group
	group.SetLimit(versionsInFlight)
	for _, gv := range asked {
		group.Go(func() error {
			list, err := v.one(gv, until)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed[gv] = err
				return nil
			}
			list.APIResources = list.APIResources[:min(len(list.APIResources), left)]
			left -= len(list.APIResources)
			lists[gv] = list
			return nil
		})
	}
	return lists, failed, group.Wait()
}

func (v *versions) one(gv schema.GroupVersion, until time.Time) (*metav1.APIResourceList, error) {
	if time.Now().After(until) {
		return nil, errLateVersion
	}
	list, err := v.ServerResourcesForGroupVersion(gv.String())
	if err != nil {
		return nil, err
	}
	list.GroupVersion = gv.String()
	list.APIResources = slices.Clip(slices.DeleteFunc(list.APIResources, func(r metav1.APIResource) bool { return !isKind(gv, r) }))
	return list, nil
}

// versionsIn are those that can be asked for.
func versionsIn(found *metav1.APIGroupList) ([]schema.GroupVersion, error) {
	var out []schema.GroupVersion
	for _, group := range found.Groups {
		for _, version := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			if gv.Version == "" || gitops.CheckKind(gv.WithKind("Any")) != nil {
				continue
			}
			if out = append(out, gv); len(out) > maxVersions {
				return nil, errManyVersions
			}
		}
	}
	return out, nil
}

// isKind tells a kind that somebody may ask for from subresources, and from
// what no API server could serve.
func isKind(gv schema.GroupVersion, r metav1.APIResource) bool {
	return !strings.Contains(r.Name, "/") && r.Kind != "" &&
		gitops.CheckKind(gv.WithKind(r.Kind)) == nil && gitops.CheckKey(gitops.Key{Name: r.Name}) == nil
}
