package fleet

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// wide serves so many kinds.
func wide(kinds int) serving {
	var list strings.Builder
	for i := range kinds {
		fmt.Fprintf(&list, `,{"name":"kind%03ds","kind":"Kind%03d","namespaced":true,"verbs":["get"]}`, i, i)
	}
	return func(r *http.Request) (*http.Response, error) {
		text := map[string]string{
			"/version": `{"gitVersion": "v1.36.3"}`,
			"/api":     `{"kind":"APIVersions","versions":["v1"]}`,
			"/apis":    `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
			"/api/v1":  `{"kind":"APIResourceList","groupVersion":"v1","resources":[` + strings.TrimPrefix(list.String(), ",") + `]}`,
		}[r.URL.Path]
		if text == "" {
			a := answer(r, strings.NewReader(`{"kind":"Status","status":"Failure","code":404,"reason":"NotFound"}`))
			a.StatusCode = http.StatusNotFound
			return a, nil
		}
		return answer(r, io.Reader(strings.NewReader(text))), nil
	}
}

// TestKindsHaveOneAccount has owners bring clusters with many kinds. Each has a
// share of what all have together, and what does not fit is said.
func TestKindsHaveOneAccount(t *testing.T) {
	const kinds = 100
	one := int64(0)
	synctest.Test(t, func(t *testing.T) {
		f := bubbleFleet(t, 0)
		one = brings(t, f, gitops.Cluster{Secret: "a"}, kinds).catalog.current.bytes
		if f.memory.held != one || one < kinds*perMapping {
			t.Errorf("%d bytes are held, of %d of the cluster", f.memory.held, one)
		}
	})
	found := func(secret, in string) gitops.Cluster {
		return gitops.Cluster{Secret: secret, Source: "vms", Annotations: map[string]string{causeway.AnnotationFoundIn: in + "/" + secret}}
	}
	synctest.Test(t, func(t *testing.T) {
		f := bubbleFleet(t, 2*shares*one) // a share is two clusters
		for _, tc := range []struct {
			reason string
			d      gitops.Cluster
			says   string
		}{
			{"a project has a share", gitops.Cluster{Secret: "r1", Project: "red"}, ""},
			{"", gitops.Cluster{Secret: "r2", Project: "red"}, ""},
			{"and no more", gitops.Cluster{Secret: "r3", Project: "red"}, "the kinds of all clusters of project red have 0.1 MiB together"},
			{"so has a namespace where clusters are found", found("n1", "blue"), ""},
			{"", found("n2", "blue"), ""},
			{"", found("n3", "blue"), "the kinds of all clusters found in namespace blue have 0.1 MiB together"},
			{"another one has its own", found("n4", "green"), ""},
			{"who runs the engine has what is left", gitops.Cluster{Secret: "o1"}, ""},
			{"", gitops.Cluster{Secret: "o2"}, ""},
			{"", gitops.Cluster{Secret: "o3"}, ""},
			{"", gitops.Cluster{Secret: "o4"}, "the kinds of all clusters have 0.3 MiB together"},
		} {
			c := brings(t, f, tc.d, kinds)
			s := c.State()
			if !s.Reachable || (s.Err != nil) != (tc.says != "") || s.Err != nil && !strings.Contains(s.Err.Error(), tc.says) || (s.Kinds == 0) != (tc.says != "") {
				t.Errorf("%s (%s): %d kinds, %v", tc.reason, tc.d.Secret, s.Kinds, s.Err)
			}
			if _, err := c.Facts(t.Context()); (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s (%s): who asks for its kinds is told %v", tc.reason, tc.d.Secret, err)
			}
		}
		late := f.spokes["r3"]
		f.Remove("r1")
		if _, err := late.catalog.refresh(t.Context()); err != nil || late.State().Err != nil {
			t.Errorf("one has left, and its room is not taken: %v, %v", err, late.State().Err)
		}
		d := late.Desc()
		d.Project = "yellow"
		if err := f.Set(t.Context(), d, wide(kinds).config(d.Server)); err != nil || f.memory.of["of project red"] != one || f.memory.of["of project yellow"] != one {
			t.Errorf("one belongs to another project, and the account has %v: %v", f.memory.of, err)
		}
		for _, c := range f.Clusters() {
			f.Remove(c.Secret)
		}
		if f.memory.held != 0 || len(f.memory.of) != 0 || len(f.memory.by) != 0 {
			t.Errorf("all have left, and %d bytes of %v are held", f.memory.held, f.memory.of)
		}
	})
}

// TestWhatIsKnownStays has a cluster serve more than fits by and by.
func TestWhatIsKnownStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, serves := bubbleFleet(t, 100<<10), wide(10)
		d := gitops.Cluster{Name: "spoke", Server: "http://spoke.test", Secret: "spoke"}
		if err := f.Set(t.Context(), d, serving(func(r *http.Request) (*http.Response, error) { return serves(r) }).config(d.Server)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c, held := f.spokes["spoke"], f.memory.held
		serves = wide(1000)
		_, err := c.catalog.refresh(t.Context())
		if s := c.State(); err == nil || s.Kinds != 10 || s.Err == nil || !strings.Contains(s.Err.Error(), "it serves 1000 in all versions") || f.memory.held != held {
			t.Errorf("%d kinds, %v, and %d bytes of %d: %v", s.Kinds, s.Err, f.memory.held, held, err)
		}
		if known, err := c.kinds(t.Context()); err != nil || len(known.byKind) != 10 {
			t.Errorf("what was known is lost: %v", err)
		}
		serves = wide(11)
		if _, err := c.catalog.refresh(t.Context()); err != nil || c.State().Err != nil || c.State().Kinds != 11 {
			t.Errorf("it fits again: %v, %v", err, c.State().Err)
		}
	})
}

func brings(t *testing.T, f *Fleet, d gitops.Cluster, kinds int) *Cluster {
	t.Helper()
	d.Name, d.Server = d.Secret, "http://"+d.Secret+".test"
	if err := f.Set(t.Context(), d, wide(kinds).config(d.Server)); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return f.spokes[d.Secret]
}
