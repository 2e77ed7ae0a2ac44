package aws

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestEntriesAreCountedOnce, also of a search that lists what it then reads, and of one that begins anew without a right.
func TestEntriesAreCountedOnce(t *testing.T) {
	s := newServer(t)
	s.page = 4000
	s.parameters = map[string]parameter{}
	const all = 6000
	for i := range all {
		s.parameters[fmt.Sprintf("/all/%04d", i)] = parameter{versions: []string{"x"}, tags: map[string]string{"kind": "all"}}
	}
	p := s.opened(t, ofParameters)
	s.answers(func(w http.ResponseWriter, operation string, said object) bool {
		refuses := operation == "GetParametersByPath" && said["NextToken"] != nil
		if refuses {
			fail(w, accessDenied, "no")
		}
		return refuses
	})
	found, err := p.Find(t.Context(), find("/all", "", map[string]string{"kind": "all"}))
	if err != nil || len(found) != all {
		t.Errorf("by tags: found %d (%v)", len(found), err)
	}
	found, err = p.Find(t.Context(), find("/all", "0$", nil))
	if err != nil || len(found) != all/10 {
		t.Errorf("without the right to read a path: found %d (%v)", len(found), err)
	}
}

// TestSearchesBeginAtThePrefix: a role may often read nothing outside of it.
func TestSearchesBeginAtThePrefix(t *testing.T) {
	s := newServer(t)
	for name, tc := range map[string]struct {
		reason, prefix, path, want string
		found                      int
	}{
		"folder":       {"a folder", "/app/", "", "/app", 3},
		"within":       {"up to a part of a name", "/app/de", "", "/app", 1},
		"first":        {"of the first name", "/ap", "", "/", 3},
		"no hierarchy": {"names without folders", "pl", "", "/", 1},
		"path":         {"a path counts", "/app/", "/app/deep", "/app/deep", 1},
		"none":         {"without a prefix", "", "", "/", 31},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.opened(t, strings.Replace(ofParameters, `"region"`, fmt.Sprintf(`"prefix":%q,"region"`, tc.prefix), 1))
			asked, filters := "", []any(nil)
			for _, refused := range []string{"", "GetParametersByPath"} {
				s.answers(func(w http.ResponseWriter, operation string, said object) bool {
					if operation == "DescribeParameters" {
						filters, _ = said["ParameterFilters"].([]any)
					}
					if path, ok := said["Path"].(string); ok {
						asked = path
					}
					if operation == refused {
						fail(w, accessDenied, "no")
					}
					return operation == refused
				})
				found, err := p.Find(t.Context(), find(tc.path, ".", nil))
				if err != nil || len(found) != tc.found || asked != tc.want {
					t.Errorf("%s: found %d below %s, want %d below %s (%v)", tc.reason, len(found), asked, tc.found, tc.want, err)
				}
			}
			if below := fmt.Sprint(filters); tc.want != "/" && !strings.Contains(below, "Values:["+tc.want+"]") {
				t.Errorf("%s: listed with %s", tc.reason, below)
			}
		})
	}
}
