package engine

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
)

// small are the library's functions that are left as they are: what they give
// is small, or no larger than what they are given.
var small = map[string]bool{
	"abbrevboth": true, "atoi": true, "buildCustomCert": true, "dateModify": true, "date_modify": true, "get": true, "hasKey": true,
	"hello": true, "isAbs": true, "mustDateModify": true, "mustToDate": true, "must_date_modify": true, "now": true, "osIsAbs": true, "plural": true,
	"pluck": true, "randInt": true, "semver": true, "semverCompare": true, "substr": true, "toDate": true, "unixEpoch": true, "unset": true,
	"urlJoin": true, "urlParse": true, "uuidv4": true,
}

// TestEveryFunctionIsBound fails when the library gets a function that nobody
// has thought about.
func TestEveryFunctionIsBound(t *testing.T) {
	bound := newState(nil).functions()
	for name, f := range library() {
		same := reflect.ValueOf(f).Pointer() == reflect.ValueOf(bound[name]).Pointer()
		if same && !small[name] && !heads[name] {
			t.Errorf("%s %T is not counted", name, f)
		}
		if small[name] && strings.Contains(fmt.Sprintf("%T", f), "interface {}") && !strings.Contains(fmt.Sprintf("%T", f), "map[string]interface {}") {
			t.Errorf("%s %T takes what may be large", name, f)
		}
	}
	for _, known := range []map[string]bool{small, heads} {
		for name := range known {
			if library()[name] == nil {
				t.Errorf("the library has no %s", name)
			}
		}
	}
}

func TestCacheKeepsWithinBounds(t *testing.T) {
	text := func(i int) []file {
		return []file{{name: "a", from: &common.File{Name: "a", Data: fmt.Appendf(nil, "%01000d", i)}}}
	}
	c := newShelf(40_000)
	var all [][]file
	for i := range 20 {
		all = append(all, text(i))
		if _, err := c.get(all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if c.find(c.key(all[19]), all[19]) == nil || c.find(c.key(all[0]), all[0]) != nil {
		t.Error("the latest should be there, the first not")
	}
	if c.find(c.key(all[19]), all[8]) != nil {
		t.Error("other files under the same key are no hit")
	}
}

func TestSteps(t *testing.T) {
	s := newState(nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.begin(ctx, Limits{}.withDefaults())
	if err := s.step(1); err != nil {
		t.Error(err)
	}
	cancel()
	for range 2 * glance {
		if err := s.step(1); err != nil {
			return
		}
	}
	t.Error("a render that was given up should end")
}
