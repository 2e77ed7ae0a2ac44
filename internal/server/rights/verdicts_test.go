package rights

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/cache"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

func TestVerdicts(t *testing.T) {
	index := view.NewIndex(time.Now())
	for _, name := range []string{"a", "b"} {
		index.Put(&view.Row{Name: name, Project: "p"})
	}
	rows := index.Now().Rows
	asked := 0
	v := &verdicts{grew: func(int64) {}}
	may := v.of(func(r *view.Row) bool { asked++; return r.Name == "a" })
	for range 3 {
		if !may(rows[0]) || may(rows[1]) {
			t.Fatal("the answers are wrong")
		}
	}
	if again := v.of(func(*view.Row) bool { asked++; return false }); !again(rows[0]) || asked != 2 {
		t.Errorf("asked %d times for two rows", asked)
	}
	// Another project has other rights: the row is asked for anew.
	index.Put(&view.Row{Name: "a", Project: "q"})
	if may(index.Get(view.Key{Name: "a"})); asked != 3 {
		t.Errorf("asked %d times after the project changed", asked)
	}
	index.Put(&view.Row{Name: "a", Project: "q", Health: "Degraded"})
	if may(index.Get(view.Key{Name: "a"})); asked != 3 {
		t.Errorf("asked %d times after the health changed", asked)
	}
}

// A number that is given again is of another row: nobody sees it because they
// saw the one before.
func TestVerdictsOfANumberThatIsGivenAgain(t *testing.T) {
	index, took := view.NewIndex(time.Now()), int64(0)
	v := &verdicts{grew: func(bytes int64) { took = bytes }}
	may := v.of(func(r *view.Row) bool { return r.Project == "shop" })
	for i := range 5000 {
		key := view.Key{Name: strconv.Itoa(i)}
		project := []string{"shop", "ops"}[i%2]
		index.Put(&view.Row{Name: key.Name, Project: project})
		row := index.Get(key)
		for range 2 {
			if may(row) != (project == "shop") {
				t.Fatalf("row %d of project %s is seen with the rights of another", i, project)
			}
		}
		if row.Seat.Number != 0 {
			t.Fatalf("row %d has number %d although there is no other row", i, row.Seat.Number)
		}
		index.Drop(key)
	}
	if took != 4096 {
		t.Errorf("the verdicts of one row take %d bytes", took)
	}
}

// The verdicts of many people take no more than there is for them.
func TestVerdictsOfManyAreForgotten(t *testing.T) {
	policy, err := rbac.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	row := &view.Row{Seat: view.Seat{Number: 1000}}
	all := cache.New[string, *verdicts](1 << 20)
	first := verdictsOf(all, policy.Subject(rbac.Claims{"sub": "0"}))
	for i := range 200 { // 12 KB each
		verdictsOf(all, policy.Subject(rbac.Claims{"sub": strconv.Itoa(i)})).of(func(*view.Row) bool { return true })(row)
	}
	if verdictsOf(all, policy.Subject(rbac.Claims{"sub": "0"})) == first {
		t.Error("those of the first are kept beside those of 199 others")
	}
}

// What was read is not asked again, until the policy changes; what could not be
// told is asked again, and what changes something each time.
func TestReadsAreRemembered(t *testing.T) {
	asked := 0
	v, took := &verdicts{}, int64(0)
	v.grew = func(bytes int64) { took = bytes }
	q := rbac.Request{Resource: "clusters", Action: "get", Object: "https://prod"}
	for _, failing := range []error{errors.New("cannot tell"), nil, nil} {
		ok, err := v.read(q, func() (bool, error) { asked++; return true, failing })
		if !ok || (err != nil) != (failing != nil) {
			t.Errorf("got %t, %v", ok, err)
		}
	}
	if asked != 2 || took == 0 {
		t.Errorf("asked %d times, %d bytes", asked, took)
	}
	for i := range 3 * mostReads {
		if ok, _ := v.read(rbac.Request{Object: strconv.Itoa(i)}, func() (bool, error) { return i%2 == 0, nil }); ok != (i%2 == 0) {
			t.Fatalf("%d: %t", i, ok)
		}
	}
	if len(v.reads) > mostReads || took > 2*mostReads*readSize {
		t.Errorf("%d are remembered, in %d bytes", len(v.reads), took)
	}
}

// What is asked about is a part of a request's address: with the key, the rest of it
// is not kept, and the key counts with its length.
func TestReadsKeepNothingElseOfARequest(t *testing.T) {
	const asked, rest, name = 2000, 16 << 10, 400
	r := New(Options{Settings: func() map[string]string { return nil }, Log: slog.New(slog.DiscardHandler)})
	r.Put(nil)
	mina := rbac.Claims{"sub": "mina"}
	v, took := verdictsOf(r.known.Load(), r.Policy().Subject(mina)), int64(0)
	v.grew = func(bytes int64) { took = bytes }
	before := heap()
	for i := range asked {
		address := fmt.Sprintf("/clusters/get/%0*d?%s", name, i, strings.Repeat("x", rest))
		parts := strings.SplitN(strings.TrimSuffix(address, address[len(address)-rest-1:]), "/", 4)
		if ok, err := r.allowed(&auth.User{Via: auth.Local, Claims: mina}, reach.Access{Resource: parts[1], Action: parts[2], Name: parts[3]}); ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if kept := heap() - before; kept > asked*rest/4 {
		t.Errorf("%d bytes are kept of what %d requests asked", kept, asked)
	}
	if len(v.reads) != asked || took < asked*(readSize+name) {
		t.Errorf("%d are remembered, in %d bytes", len(v.reads), took)
	}
	runtime.KeepAlive(r)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Of what only a request calls a resource nothing is remembered.
func TestReadsOfNoResource(t *testing.T) {
	r := New(Options{Settings: func() map[string]string { return nil }, Log: slog.New(slog.DiscardHandler)})
	r.Put(map[string]string{"policy.csv": "p, mina, *, get, *, allow"})
	mina := rbac.Claims{"sub": "mina"}
	for i := range 100 {
		if ok, err := r.allowed(&auth.User{Via: auth.Local, Claims: mina}, reach.Access{Resource: strconv.Itoa(i), Action: "get", Name: "*"}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if v := verdictsOf(r.known.Load(), r.Policy().Subject(mina)); len(v.reads) != 0 {
		t.Errorf("%d are remembered", len(v.reads))
	}
}

func TestRememberedReadsEndWithThePolicy(t *testing.T) {
	r := New(Options{Settings: func() map[string]string { return nil }, Log: slog.New(slog.DiscardHandler)})
	u := &auth.User{Name: "mina", Via: auth.Local, Claims: map[string]any{"sub": "mina"}}
	read, write := reach.Access{Resource: "clusters", Action: "get", Name: "https://prod"}, reach.Access{Resource: "clusters", Action: "update", Name: "https://prod"}
	for _, step := range []struct {
		policy      string
		read, write bool
	}{{"", false, false}, {"p, mina, clusters, get, *, allow", true, false}, {"p, mina, clusters, *, *, allow", true, true}, {"p, mina, clusters, update, *, allow", false, true}} {
		r.Put(map[string]string{"policy.csv": step.policy})
		for range 2 {
			if got := r.Permit(t.Context(), u, read) == nil; got != step.read {
				t.Errorf("with %q it may read: %t", step.policy, got)
			}
			if got := r.Permit(t.Context(), u, write) == nil; got != step.write {
				t.Errorf("with %q it may write: %t", step.policy, got)
			}
		}
	}
}

// What one person may read is no other's, whatever characters an issuer puts into
// names and groups.
func TestVerdictsAreOfAPersonAndTheirGroups(t *testing.T) {
	r := New(Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Log: slog.New(slog.DiscardHandler)})
	r.Put(nil)
	known := map[*verdicts]string{}
	for _, who := range []rbac.Claims{
		{"sub": "ann", "groups": []any{"dev", "ops"}},
		{"sub": "ann", "groups": []any{"dev\x00ops"}},
		{"sub": "ann\x00dev", "groups": []any{"ops"}},
		{"sub": "ann\x00dev\x00ops"},
	} {
		v := verdictsOf(r.known.Load(), r.Policy().Subject(who))
		if other, is := known[v]; is {
			t.Errorf("%q is remembered as %s", who, other)
		}
		known[v] = fmt.Sprintf("%q", who)
	}
}
