package engine

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
)

// small are the library's functions that are left as they are: what they give
// is small, or no larger than what they are given.
var small = map[string]bool{
	"abbrevboth": true, "add": true, "add1": true, "add1f": true, "addf": true, "all": true, "any": true, "atoi": true, "biggest": true,
	"buildCustomCert": true, "ceil": true, "coalesce": true, "date": true, "dateInZone": true, "dateModify": true, "date_in_zone": true,
	"date_modify": true, "deepEqual": true, "default": true, "dig": true, "div": true, "divf": true, "empty": true, "first": true,
	"float64": true, "floor": true, "fromJson": true, "get": true, "hasKey": true, "hello": true, "htmlDateInZone": true, "int": true,
	"int64": true, "isAbs": true, "kindIs": true, "last": true, "max": true, "maxf": true, "min": true, "minf": true, "mod": true,
	"mul": true, "mulf": true, "mustDateModify": true, "mustFirst": true, "mustFromJson": true, "mustLast": true, "mustSlice": true,
	"mustToDate": true, "must_date_modify": true, "now": true, "osIsAbs": true, "plural": true, "pluck": true, "randInt": true,
	"round": true, "semver": true, "semverCompare": true, "slice": true, "sub": true, "subf": true, "substr": true, "ternary": true,
	"toDate": true, "toDecimal": true, "typeIs": true, "typeIsLike": true, "unixEpoch": true, "unset": true, "urlJoin": true,
	"urlParse": true, "uuidv4": true, "kindOf": true, "typeOf": true,
}

// TestEveryFunctionIsBound fails when the library gets a function that nobody
// has thought about.
func TestEveryFunctionIsBound(t *testing.T) {
	bound := newState(nil).functions()
	for name, f := range library() {
		same := reflect.ValueOf(f).Pointer() == reflect.ValueOf(bound[name]).Pointer()
		if same && !small[name] {
			t.Errorf("%s %T is not counted", name, f)
		}
	}
	for name := range small {
		if library()[name] == nil {
			t.Errorf("the library has no %s", name)
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
